/**
 * What an engine may provide besides the ports of `ports.ts`. Where it does not, the worker does without: nothing is
 * lost but what the interface gives.
 */
import type { HookError } from './control/summary.ts';
import type { CrawlId, HostKey } from './ports.ts';

/** Where a payload is archived: what a `revisit` record says of it (WARC 1.1, section 6.7). */
export interface ArchivedPayload {
  /** WARC-Target-URI of its response record. */
  readonly url: string;
  /** WARC-Date of that, as written there. */
  readonly date: string;
  /** WARC-Record-ID of that: `<urn:uuid:...>`. */
  readonly recordId: string;
}

/** The payloads that a crawl has archived, by digest. */
export interface PayloadIndex {
  /** Where the payload (SHA-1, 20 bytes) is archived, or undefined. */
  find(crawl: CrawlId, sha1: Uint8Array): Promise<ArchivedPayload | undefined>;
  /** Remembers payloads whose records are durable. Of several of one digest the first stays. Safe to repeat. */
  add(crawl: CrawlId, payloads: readonly NewPayload[]): Promise<void>;
}

export interface NewPayload extends ArchivedPayload {
  readonly sha1: Uint8Array;
}

/** Links that were left out, for `strand export --skipped`. Each once, or seldom more often; the last second may be lost. */
export interface SkipLog {
  /** Returns at once: it is asked for every link left out. */
  note(crawl: CrawlId, skip: Skip): void;
}

export interface Skip {
  readonly url: string;
  /** As in the counts of `skipped`: `scope`, `exclude`, `trap`, ... */
  readonly reason: string;
  /** The page it was found on. */
  readonly via?: string | undefined;
  /** More of why, in words. Of a page whose links were left out: how many. */
  readonly cause?: string;
}

/**
 * What `onPage` returned, each item once in `items.jsonl`, whatever crashes: items are staged before their turn's head
 * is committed, and published after it; staged ones whose version the head has not reached are dropped.
 */
export interface ItemStore {
  /** Keeps the lines of JSON (without their ends) of a turn that is to become `version` of the head; replaces what was staged for it. */
  stage(crawl: CrawlId, host: HostKey, version: number, lines: readonly string[]): Promise<void>;
  /** The head of that version is committed. */
  publish(crawl: CrawlId, host: HostKey, version: number): Promise<void>;
}

/** What a project's hooks threw, for the summary: the first different errors of each kind of hook. */
export interface HookErrorLog {
  /** Returns at once, and never throws: whether this is one of the first different errors that this log was given. */
  note(crawl: CrawlId, error: HookError): boolean;
  /** Counts a page whose hook failed after the hook's call had ended: no turn knows of it. Never throws. */
  countLate(crawl: CrawlId): void;
}

export interface OptionalPorts {
  readonly payloads?: PayloadIndex;
  readonly skips?: SkipLog;
  readonly items?: ItemStore;
  readonly hookErrors?: HookErrorLog;
}
