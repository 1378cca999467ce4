import { setTimeout as sleep } from 'node:timers/promises';
import { isIdle } from '../../core/render/settle.ts';

export interface PageQuietOptions {
  /** No wait is longer, on the clock of `performance`. */
  readonly until: number;
  /** Requests of the page without an answer yet. */
  readonly inFlight: () => number;
  /** Requests that get no answer in this round. */
  readonly held: () => number;
  /** Whether the page has ended, or is to be read as it is. */
  readonly isOver: () => boolean;
}

/** Virtual time passes within milliseconds, unless scripts need longer for what they do in it. */
const VIRTUAL_WAIT_MS = 1000;

/** Waits until nothing happens on a page. Browsers only know when no request was made for a while, which may never be. */
export class PageQuiet {
  readonly #options: PageQuietOptions;
  /** Loaders of the main frame whose documents were loaded: that of the empty document before the page is one of them. */
  readonly #loaded = new Set<string>();
  #loader: string | undefined;
  #hasNavigated = false;
  #hasTimePassed = false;
  #onChange = () => {};

  constructor(options: PageQuietOptions) {
    this.#options = options;
  }

  /** Whether the page's document has begun. */
  get hasBegun(): boolean {
    return this.#loader !== undefined;
  }

  /** Something has changed: a request has begun or ended, a script was ended, the page is over. */
  change(): void {
    this.#onChange();
  }

  onBegin(loader: string | undefined): void {
    this.#loader = loader;
    this.#onChange();
  }

  onLoad(loader: string): void {
    this.#loaded.add(loader);
    this.#onChange();
  }

  onNavigation(): void {
    this.#hasNavigated = true;
    this.#onChange();
  }

  onTimePassed(): void {
    this.#hasTimePassed = true;
    this.#onChange();
  }

  /** Resolves to true when nothing has happened for `quietMs`; to false if there is no time for more. */
  settle(quietMs: number): Promise<boolean> {
    const { until, isOver } = this.#options;
    return new Promise((resolve) => {
      let quiet: NodeJS.Timeout | undefined;
      const end = (isQuiet: boolean) => {
        clearTimeout(quiet);
        clearTimeout(late);
        this.#onChange = () => {};
        resolve(isQuiet);
      };
      const late = setTimeout(() => end(false), Math.max(0, until - performance.now()));
      this.#onChange = () => {
        clearTimeout(quiet);
        if (isOver()) end(false);
        else if (this.#isIdle()) quiet = setTimeout(() => end(true), quietMs);
      };
      this.#onChange();
    });
  }

  /** Calls `begin`, which lets virtual time pass, and waits until it has. */
  async passTime(begin: () => Promise<unknown>): Promise<void> {
    this.#hasTimePassed = false;
    await begin();
    const stop = new AbortController();
    const passed = new Promise<void>((resolve) => {
      this.#onChange = () => {
        if (this.#hasTimePassed || this.#options.isOver()) resolve();
      };
      this.#onChange();
    });
    await Promise.race([passed, sleep(VIRTUAL_WAIT_MS, undefined, { signal: stop.signal }).catch(() => {})]);
    stop.abort();
  }

  #isIdle(): boolean {
    return isIdle({
      hasLoaded: this.#loader !== undefined && this.#loaded.has(this.#loader),
      hasNavigated: this.#hasNavigated,
      inFlight: this.#options.inFlight(),
      held: this.#options.held(),
    });
  }
}
