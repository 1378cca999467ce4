/** The reading of documents that are read as a whole, by modules for their media types. */
import type { Cause } from '../../../core/causes/cause.ts';
import type { CrawlConfig } from '../../../core/crawl/config.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import type { ReadAnswer } from '../../media-thread/read-whole.ts';
import type { HookedCrawl } from '../page-hooks.ts';

/** A page whose body is to be read. The response's body is there until the call resolves. */
export interface UnreadDocument {
  readonly crawl: HookedCrawl;
  readonly url: string;
  readonly mediaType: string;
  readonly response: FetchedResponse;
  readonly facts: DocumentFacts;
  /** Runs each synchronous part of a project's module: for a watchdog. */
  readonly around?: <T>(part: () => T) => T;
}

/** As a thread for documents gives it. A project's module has no limits of its own. */
export type DocumentAnswer = ReadAnswer;

/** A document that could not be read to its end since the machine was busy, and is fetched again. */
export interface LaterDocument {
  readonly retryMs: number;
  /** The try counts against the URL's attempts. */
  readonly isAttempt: boolean;
  readonly cause: Cause;
}

/** Reads documents, outside of the thread that crawls where that takes long. */
export interface DocumentReading {
  /** Whether there is a module for documents of this media type. */
  reads(mediaType: string): boolean;
  /** Never rejects. */
  read(document: UnreadDocument): Promise<DocumentAnswer>;
  /** How long the reading of a document may take. */
  limitMs(config: CrawlConfig): number;
}
