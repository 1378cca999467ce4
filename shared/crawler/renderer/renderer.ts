import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/base/error-message.ts';
import type { FetchPart, Renderer, Rendering, RenderJob } from '../ports/renderer.ts';
import { type Browser, type BrowserOptions, START_MS, startBrowser } from './browser.ts';
import { type AnyBrowser, isRemote, NO_BROWSER } from './find-browser.ts';
import { undrawn } from './undrawn.ts';

export interface RendererOptions {
  /** Undefined: there is none, and no page is rendered. See `findBrowser`. */
  readonly program: AnyBrowser | undefined;
  /** The folder for the browser's profile and temporary files. */
  readonly temporaryFolder: string;
  /** Called with a sentence for the operator. */
  readonly warn: (message: string) => void;
  /** For tests: how browsers are started. */
  readonly start?: Partial<BrowserOptions>;
}

/** A browser is replaced after this number of pages, or of pages whose process ended. */
const PAGES_PER_BROWSER = 100;
const CRASHES_PER_BROWSER = 2;
/** After this number of failed starts no further one is tried. */
const MAX_FAILED_STARTS = 3;
/** A remote browser, or what leads to it, may be back in a moment. */
const RECONNECT_PAUSES_MS = [0, 1000, 5000];

/** Creates a renderer. Its browser starts with the first page. */
export const createRenderer = (options: RendererOptions): Renderer => {
  const renderer = new BrowserRenderer(options);
  return {
    render: (job, fetchPart, signal) => renderer.render(job, fetchPart, signal),
    close: () => renderer.close(),
  };
};

class BrowserRenderer implements Renderer {
  readonly #options: RendererOptions;
  #hasSandbox: boolean;
  #browser: Promise<Browser> | undefined;
  /** Browsers that render their last pages. */
  readonly #closing = new Set<Promise<void>>();
  readonly #all = new Set<Browser>();
  #failedStarts = 0;
  #isClosed = false;

  constructor(options: RendererOptions) {
    this.#options = options;
    this.#hasSandbox = !isRoot();
  }

  async render(job: RenderJob, fetchPart: FetchPart, signal?: AbortSignal): Promise<Rendering> {
    const startedAt = performance.now();
    const browser = await this.#ready();
    if (typeof browser === 'string') return undrawn('noBrowser', browser, startedAt);
    const deadline = startedAt + job.limits.ms;
    const rendering = await browser.render({ job, fetchPart, startedAt, deadline, signal });
    this.#replaceIfUsed(browser);
    return rendering;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#browser?.catch(() => {});
    await Promise.all([...this.#all].map((browser) => browser.close()));
    await Promise.all(this.#closing);
  }

  /** Returns the browser, or why there is none. */
  async #ready(): Promise<Browser | string> {
    const { program } = this.#options;
    if (program === undefined) return NO_BROWSER;
    if (this.#isClosed) return 'the renderer is closed';
    this.#browser ??= this.#start(program);
    const starting = this.#browser;
    try {
      const browser = await starting;
      if (!browser.hasEnded) return browser;
      if (this.#browser === starting) this.#browser = undefined;
      return await this.#ready();
    } catch (error) {
      if (this.#browser === starting && this.#failedStarts < MAX_FAILED_STARTS) this.#browser = undefined;
      return messageOf(error);
    }
  }

  async #start(program: AnyBrowser): Promise<Browser> {
    try {
      const browser = await this.#startOnce(program);
      this.#failedStarts = 0;
      this.#all.add(browser);
      return browser;
    } catch (error) {
      if (++this.#failedStarts === MAX_FAILED_STARTS)
        this.#options.warn(`No further page is rendered: ${messageOf(error)}`);
      throw error;
    }
  }

  async #startOnce(program: AnyBrowser): Promise<Browser> {
    const { temporaryFolder, start, warn } = this.#options;
    if (isRemote(program)) {
      const { connectBrowser } = await import('./remote-browser.ts');
      await sleep(RECONNECT_PAUSES_MS[this.#failedStarts]);
      return connectBrowser(program, { startMs: START_MS, ...start });
    }
    const options = { program, temporaryFolder, startMs: START_MS, ...start };
    if (!this.#hasSandbox) this.#warnOfSandbox();
    try {
      return await startBrowser({ ...options, hasSandbox: this.#hasSandbox });
    } catch (error) {
      if (!this.#hasSandbox || !/sandbox/i.test(messageOf(error))) throw error;
      this.#hasSandbox = false;
      warn(`The browser's sandbox does not work here: ${messageOf(error)}`);
      return await this.#startOnce(program);
    }
  }

  #hasWarned = false;

  #warnOfSandbox(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const why = isRoot() ? 'as root it refuses to' : 'this system does not allow it';
    this.#options.warn(
      `The browser runs without its sandbox (${why}): a page that breaks it has the rights of this process`,
    );
  }

  #replaceIfUsed(browser: Browser): void {
    const isUsed = browser.pages >= PAGES_PER_BROWSER || browser.crashes >= CRASHES_PER_BROWSER;
    // A remote one that is replaced would serve two connections for a while, which would refuse each other's requests.
    const isReplaced = isUsed && browser.pid !== undefined;
    if (!isReplaced && !browser.hasEnded) return;
    void this.#browser?.then(
      (current) => {
        if (current === browser) this.#browser = undefined;
      },
      () => {},
    );
    if (browser.active > 0) return;
    const closing = browser.close().then(() => {
      this.#all.delete(browser);
      this.#closing.delete(closing);
    });
    this.#closing.add(closing);
  }
}

const isRoot = (): boolean => process.getuid?.() === 0;
