/** The pages of a session, from a thread that is replaced when a page blocks or kills it. */
import { causeText } from '../../../shared/core/causes/cause-text.ts';
import type { CrawlOptions } from '../../../shared/core/crawl/crawl-options.ts';
import { type HostKey, hostKey } from '../../../shared/core/url/host-key.ts';
import { PageNotRead } from '../page-not-read.ts';
import { reviveError } from '../thread-error.ts';
import type { AskedPage, FromPageThread, PageAnswers, PageForm, ViewConfig } from './page-messages.ts';
import { type PageThread, type PageThreadEnd, runPageThread } from './run-page-thread.ts';

interface Pending extends AskedPage {
  /** The URL that is fetched for it: the last one of a chain of redirects. */
  at: string;
  /** Threads that ended meanwhile, and it is not known by which page. */
  losses: number;
  readonly resolve: (answer: PageAnswers[PageForm]) => void;
  readonly reject: (error: unknown) => void;
}

/** A page that was in progress in this number of threads that ended counts as the one that ended them. */
const MAX_LOSSES = 3;
/** Pages that are known to block, and hosts that rest. */
const MAX_KNOWN = 1000;
const DEFAULT_DELAY_MS = 1000;

export class WatchedPages {
  readonly #options: CrawlOptions;
  readonly #pending = new Map<number, Pending>();
  /** By their URLs: why pages are not fetched again. */
  readonly #blocked = new Map<string, string>();
  readonly #rests = new Map<HostKey, number>();
  #thread: PageThread | undefined;
  #config: ViewConfig | undefined;
  #lastId = 0;
  #closed: { readonly reason: unknown } | undefined;

  constructor(options: CrawlOptions) {
    this.#options = options;
  }

  /** There after the first answer. */
  get config(): ViewConfig {
    if (this.#config === undefined) throw new Error('Expected a page to be fetched first');
    return this.#config;
  }

  get<F extends PageForm>(url: string, form: F): Promise<PageAnswers[F]> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      const answer = resolve as Pending['resolve'];
      this.#ask({ id, url, form, at: url, losses: 0, resolve: answer, reject });
    });
  }

  /** Rejects the pages that are in progress with `reason`. */
  async close(reason: unknown): Promise<void> {
    this.#closed ??= { reason };
    for (const { reject } of this.#pending.values()) reject(this.#closed.reason);
    this.#pending.clear();
    await this.#thread?.end();
    this.#thread = undefined;
  }

  #ask(asked: Pending): void {
    const why = this.#blocked.get(asked.at) ?? this.#blocked.get(asked.url);
    if (this.#closed) asked.reject(this.#closed.reason);
    else if (why !== undefined) asked.reject(new PageNotRead(`${asked.url} was not read: ${why}`));
    else {
      this.#pending.set(asked.id, asked);
      this.#thread ??= this.#start(asked.url);
      this.#thread.hold(true);
      const { id, url, form } = asked;
      this.#thread.ask({ id, url, form });
    }
  }

  #start(url: string): PageThread {
    const now = Date.now();
    const rests = [...this.#rests].filter(([, until]) => until > now);
    return runPageThread({
      start: { options: this.#options, url, rests },
      onMessage: (message) => this.#onMessage(message),
      onEnd: (end) => this.#onEnd(end),
    });
  }

  #onMessage(message: Exclude<FromPageThread, { kind: 'failed' }>): void {
    switch (message.kind) {
      case 'begun':
        this.#config = message.config;
        return;
      case 'rest':
        this.#rest(message.host, message.until);
        return;
      case 'moved':
        for (const asked of this.#pending.values()) if (asked.at === message.from) asked.at = message.to;
        return;
      case 'answer':
        this.#take(message.id)?.resolve(message.answer);
        return;
      case 'refused':
        this.#take(message.id)?.reject(revived(message.error));
    }
  }

  #take(id: number): Pending | undefined {
    const asked = this.#pending.get(id);
    this.#pending.delete(id);
    // A process that has its pages ends, though it did not close the session.
    if (this.#pending.size === 0) this.#thread?.hold(false);
    return asked;
  }

  #onEnd(end: PageThreadEnd): void {
    this.#thread = undefined;
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    if (end.kind === 'failed') {
      for (const { reject } of lost) reject(end.error);
      return;
    }
    const now = Date.now();
    // Nobody knows when the thread has requested them last.
    for (const { at } of lost) this.#rest(hostKey(at), now + (this.#config?.delayMs ?? DEFAULT_DELAY_MS));
    const { url, why } = suspectOf(end);
    for (const asked of lost) {
      if (url === undefined && ++asked.losses >= MAX_LOSSES) this.#block(asked.at, why);
      if (url === asked.at) this.#block(asked.at, why);
    }
    for (const asked of lost) this.#ask(asked);
  }

  #block(url: string, why: string): void {
    this.#blocked.set(url, why);
    dropOldest(this.#blocked);
  }

  #rest(host: HostKey, until: number): void {
    const known = this.#rests.get(host) ?? 0;
    this.#rests.delete(host);
    this.#rests.set(host, Math.max(known, until));
    dropOldest(this.#rests);
  }
}

function dropOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= MAX_KNOWN) return;
    map.delete(key);
  }
}

/** The page that ended the thread, if that is known, and what it did. */
function suspectOf(end: Exclude<PageThreadEnd, { kind: 'failed' }>): {
  url: string | undefined;
  why: string;
} {
  if (end.kind === 'died') return { url: end.url, why: `its thread died: ${end.cause}` };
  const { task, blockedMs: ms = 0 } = end;
  const why = task
    ? causeText({ code: 'threadBlocked', ms, step: task.step })
    : `blocked its thread for ${Math.round(ms / 1000)} s`;
  return { url: task?.url, why };
}

/** Errors of pages that a crawl does not know. */
function revived(error: Parameters<typeof reviveError>[0]): Error {
  return error.name === 'PageNotRead' ? new PageNotRead(error.message) : reviveError(error);
}
