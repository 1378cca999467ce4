import type { Cause } from '../../core/causes/cause.ts';
import type { BlockedPage, Head } from '../../core/frontier/head.ts';
import type { TurnCaution } from './caution.ts';
import type { TurnServices } from './services.ts';
import type { StoredHead } from './stored-head.ts';

/** A URL may be tried alone this many times, with the worker's death each time. */
const MAX_INTENTS = 3;

/**
 * The decision of the quarantine about a URL before it is fetched. `allowed`. `quarantined`: too many workers
 * died while they fetched it. `busy`: a suspect is being tried in this process, or this one cannot be tried alone;
 * this turn must be postponed, as one that has requested nothing.
 */
export type QuarantineAnswer = 'allowed' | 'quarantined' | 'busy';

export interface QuarantineOptions {
  readonly caution: Pick<TurnCaution, 'isAnnouncing' | 'stored'>;
  /** How long the turn waits for those that it cannot announce beside. */
  readonly until: number;
}

/**
 * The host's pages that crash or block workers. Pages that blocked their thread are known from the head. If a
 * host has perhaps killed its workers, its turn is a quarantine turn: it stores each URL in the head (the
 * intent) before it fetches the URL, so that the next worker knows which URLs were being fetched when the last
 * one died.
 *
 * All hosts of a worker that died repeatedly have such turns, most of them side by side. A host whose head
 * names a URL is a suspect, one of few. It is tried alone: from its first announcement until
 * {@link Quarantine.release} no other turn of this process announces anything.
 */
export class Quarantine {
  readonly blocked: readonly BlockedPage[];
  readonly #intentLock: TurnServices['intentLock'];
  readonly #head: StoredHead;
  readonly #options: QuarantineOptions;
  /** A URL of the host was being fetched when a worker died. */
  readonly #isSuspected: boolean;
  /** Announced by a worker that died. Undefined once that URL was fetched or has failed. */
  #suspect: Head['intent'];
  #release: (() => void) | undefined;
  #isAnnounced = false;
  #isPostponed = false;
  /**
   * Whether something of the web is being fetched or parsed. An error that is thrown meanwhile has its cause
   * there.
   */
  #isWatching = false;

  constructor(
    { intentLock }: Pick<TurnServices, 'intentLock'>,
    head: StoredHead,
    options: QuarantineOptions,
  ) {
    this.blocked = head.head.quarantine ?? [];
    this.#intentLock = intentLock;
    this.#head = head;
    this.#options = options;
    this.#suspect = head.head.intent;
    this.#isSuspected = this.#suspect !== undefined;
  }

  /** The turn announces each URL before it fetches it, one at a time. */
  get isAnnouncing(): boolean {
    return this.#options.caution.isAnnouncing;
  }

  /** An announcement came to nothing, as another turn of this process had the lock. */
  get isPostponed(): boolean {
    return this.#isPostponed;
  }

  get suspect(): Head['intent'] {
    return this.#suspect;
  }

  /** Why the page is not fetched again, if it has blocked its thread. */
  causeOf(url: string): Cause | undefined {
    return this.blocked.length === 0 ? undefined : this.blocked.find((page) => page.url === url)?.cause;
  }

  /** Stores the URL as the one that is about to be fetched, if this is a quarantine turn. */
  async announce(url: string): Promise<QuarantineAnswer> {
    if (!this.isAnnouncing) return 'allowed';
    // Uses the suspect read at the turn's start: announcing robots.txt must not reset the page's tries.
    const tries = this.#suspect?.url === url ? this.#suspect.tries : 0;
    if (tries >= MAX_INTENTS) return 'quarantined';
    this.#release ??= await this.#intentLock(this.#options.until, this.#isSuspected);
    if (!this.#release) {
      this.#isPostponed = true;
      return 'busy';
    }
    // Where it is fetched beside others, its worker's death says only that it may have been the reason.
    await this.#storeIntent({ url, tries: this.#isSuspected ? tries + 1 : 0 });
    this.#isAnnounced = true;
    return 'allowed';
  }

  /** The URL has not killed this worker, or is given up: it is suspected no longer. */
  clear(url: string): void {
    if (this.#suspect?.url === url) this.#suspect = undefined;
  }

  /** Runs a step that may kill the worker: it fetches or parses bytes of the web. */
  watch<T>(work: () => Promise<T>): Promise<T>;
  watch<T>(work: () => T | Promise<T>): T | Promise<T>;
  watch<T>(work: () => T | Promise<T>): T | Promise<T> {
    this.#isWatching = true;
    const watched = (result: T): T => {
      this.#isWatching = false;
      return result;
    };
    const result = work();
    return result instanceof Promise ? result.then(watched) : watched(result);
  }

  /**
   * The turn is discarded. Takes back what it announced if that URL was not the reason: our own services
   * failed.
   */
  async retract(): Promise<void> {
    if (!this.#isAnnounced || this.#isWatching) return;
    // If this fails, too, the URL has one try less.
    await this.#storeIntent(this.#suspect).catch(() => {});
  }

  /** Lets other turns of this process announce. */
  release(): void {
    this.#release?.();
  }

  async #storeIntent(intent: Head['intent']): Promise<void> {
    await this.#head.stageItems([]);
    const { head } = this.#head;
    // The next turn cannot take again a page that this one takes of the share.
    const share = head.share && { ...head.share, left: 0 };
    const { stored: caution } = this.#options.caution;
    await this.#head.replace({ ...head, ...(share && { share }), ...(caution && { caution }), intent });
  }
}

export const causeOfDeath = (at: 'page' | 'robots'): Cause => ({
  code: 'workerDied',
  times: MAX_INTENTS,
  at,
});
