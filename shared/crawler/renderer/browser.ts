import { messageOf } from '../../core/base/error-message.ts';
import { PAGE_LIMITS } from '../../core/render/page-limits.ts';
import type { Rendering, RenderJob } from '../ports/renderer.ts';
import { type BrowserProcessOptions, type RunningBrowser, startBrowserProcess } from './browser-process.ts';
import { type BrowserEvent, type Connection, connect } from './connection.ts';
import { Page } from './page.ts';
import type { AnswerPart, PausedRequest } from './page-requests.ts';
import { type ProcessWatch, watchProcesses } from './process-watch.ts';
import { REMOVED_INTERFACES } from './removed-interfaces.ts';
import { AUTO_ATTACH, Targets } from './targets.ts';
import { undrawn } from './undrawn.ts';

export interface BrowserOptions extends BrowserProcessOptions, PrepareOptions {
  /** For tests, which take the guard apart to show what each part of it is for. */
  readonly guard?: { readonly intercepted?: string; readonly removed?: string };
}

export interface PrepareOptions {
  /** The browser must answer within this time after its start. */
  readonly startMs: number;
  readonly guard?: { readonly intercepted?: string; readonly removed?: string };
  /** Where pages are rendered: each in a context of its own, with these parameters, or all in the only one. Default: in its own. */
  readonly contexts?: object | 'one';
  /** Called when the browser has answered, before requests come to Strand. A rejection ends the browser. */
  readonly before?: (send: Connection['send']) => Promise<void>;
}

export interface RenderOptions {
  readonly job: RenderJob;
  readonly fetchPart: AnswerPart;
  /** Both on the clock of `performance`. */
  readonly startedAt: number;
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** A browser usually answers within a second. */
export const START_MS = 20_000;

/** As the flags of a browser that Strand starts say, for those that it has not started. */
const WINDOW = { width: 1280, height: 1000 };

/** Starts a browser. Throws if it does not start, or does not answer. */
export async function startBrowser(options: BrowserOptions): Promise<Browser> {
  const running = await startBrowserProcess(options);
  // A browser of one process breaks with the second context.
  return prepareBrowser(running, options.isSingleProcess ? { ...options, contexts: 'one' } : options);
}

/** Throws if the browser does not answer; then it is ended. */
export async function prepareBrowser(running: RunningBrowser, options: PrepareOptions): Promise<Browser> {
  const browser = new Browser(running, options.contexts);
  try {
    await browser.prepare(options);
    return browser;
  } catch (error) {
    // A browser that ends says why a moment after its pipe has broken.
    const reason = await Promise.race([running.ended, after(200)]);
    await browser.close();
    throw reason === undefined ? error : new Error(reason);
  }
}

/** A browser that has started. */
export class Browser {
  readonly #running: RunningBrowser;
  readonly #connection: Connection;
  readonly #targets: Targets;
  readonly #watch: ProcessWatch;
  readonly #contexts: object | 'one';
  /** The id of the only context, if there is no other. */
  #only = '';
  readonly #pages = new Set<Page>();
  #userAgent = '';
  #removed = REMOVED_INTERFACES;
  /** Pages that were begun, and those whose processes ended. */
  pages = 0;
  crashes = 0;
  hasEnded = false;

  constructor(running: RunningBrowser, contexts: object | 'one' = {}) {
    this.#running = running;
    this.#contexts = contexts;
    this.#connection = connect({
      open: running.open,
      onEvent: (event) => this.#onEvent(event),
      onLargeEvent: (start) => this.#refuseLarge(start),
      onEnd: (reason) => this.#onEnd(reason),
    });
    this.#targets = new Targets(this.#connection);
    this.#watch = watchProcesses({
      root: running.pid,
      mayEndRoot: contexts === 'one',
      mostBytes: PAGE_LIMITS.processBytes,
      onLook: () => this.#onLook(),
    });
    void running.ended.then((reason) => this.#connection.end(reason));
  }

  /** Undefined if it runs elsewhere. */
  get pid(): number | undefined {
    return this.#running.pid;
  }

  /** Pages that are being rendered. */
  get active(): number {
    return this.#pages.size;
  }

  /** Requests come to Strand from here on, of whatever they are: before the first page is there. */
  async prepare({ startMs, guard, before }: PrepareOptions): Promise<void> {
    const send = this.#connection.send;
    const { userAgent } = await send<{ userAgent: string }>('Browser.getVersion', {}, { ms: startMs });
    this.#userAgent = userAgent.replace('Headless', '');
    this.#removed = guard?.removed ?? this.#removed;
    await before?.(send);
    await send('Browser.setDownloadBehavior', { behavior: 'deny' });
    const urlPattern = guard?.intercepted ?? '*';
    await send('Fetch.enable', { patterns: [{ urlPattern, requestStage: 'Request' }] });
    await send('Target.setAutoAttach', AUTO_ATTACH);
    if (this.#contexts === 'one') this.#only = await this.#onlyContext();
  }

  /** Never rejects. */
  async render(options: RenderOptions): Promise<Rendering> {
    const { job, startedAt } = options;
    this.pages++;
    this.#shareCpu();
    if (job.document.body.length > job.limits.htmlBytes)
      return undrawn('tooLarge', `it has more than ${job.limits.htmlBytes} bytes`, startedAt);
    let context: string | undefined;
    try {
      context = await this.#openContext();
      return await this.#renderIn(context, options);
    } catch (error) {
      return undrawn('crashed', messageOf(error), startedAt);
    } finally {
      if (context !== undefined) this.#targets.remove(context);
    }
  }

  /** Resolves when all of its processes have ended. Safe to repeat. */
  async close(): Promise<void> {
    this.#watch.end();
    await this.#running.end();
  }

  async #onlyContext(): Promise<string> {
    const { targetInfos } = await this.#connection.send<{ targetInfos: { browserContextId?: string }[] }>(
      'Target.getTargets',
    );
    return targetInfos.find(({ browserContextId }) => browserContextId !== undefined)?.browserContextId ?? '';
  }

  async #openContext(): Promise<string> {
    if (this.#contexts === 'one') return this.#only;
    const context = { disposeOnDetach: true, ...this.#contexts };
    const { browserContextId } = await this.#connection.send('Target.createBrowserContext', context);
    return browserContextId;
  }

  async #renderIn(context: string, options: RenderOptions): Promise<Rendering> {
    const { job, fetchPart, deadline, signal, startedAt } = options;
    const browserContextId = this.#contexts === 'one' ? undefined : context;
    const page = new Page({
      job,
      fetchPart,
      deadline,
      context: browserContextId,
      connection: this.#connection,
      removed: this.#removed,
      userAgent: `${this.#userAgent} ${job.userAgent}`,
      cpuByProcess: this.#watch.cpuByProcess,
    });
    const stop = () => page.end('timedOut', 'it was stopped');
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    this.#pages.add(page);
    this.#targets.add(context, page);
    this.#connection
      .send('Target.createTarget', { url: 'about:blank', browserContextId, ...WINDOW })
      .catch((error) => page.end('crashed', messageOf(error)));
    const rendering = await page.render();
    signal?.removeEventListener('abort', stop);
    if (page.hasCrashed) this.crashes++;
    if (browserContextId !== undefined) await this.#dispose(browserContextId);
    this.#shareCpu();
    this.#pages.delete(page);
    const { count = 0, bytes = 0 } = page.requests ?? {};
    const ms = performance.now() - startedAt;
    return { ...rendering, used: { requests: count, bytes, ms, cpuMs: page.cpuMs } };
  }

  /** A browser that does not do so in time keeps the page until it is replaced. */
  async #dispose(browserContextId: string): Promise<void> {
    await this.#connection
      .send('Target.disposeBrowserContext', { browserContextId }, { ms: 3000 })
      .catch(() => {});
  }

  #onEvent(event: BrowserEvent): void {
    if (event.method === 'Fetch.requestPaused') void this.#onPaused(event.params);
    else this.#targets.onEvent(event);
  }

  /** A request of no page that is being rendered is refused: of popups, of service workers, of the browser itself. */
  async #onPaused(paused: PausedRequest): Promise<void> {
    const page = await this.#targets.pageOf(paused);
    if (page === undefined) this.#refuse(paused.requestId);
    else page.onPaused(paused);
  }

  #refuse(requestId: string): void {
    this.#connection
      .send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      // It has ended meanwhile.
      .catch(() => {});
  }

  #refuseLarge(start: string): void {
    const requestId = /"requestId":"([^"]+)"/.exec(start)?.[1];
    if (start.includes('"Fetch.requestPaused"') && requestId !== undefined) this.#refuse(requestId);
  }

  #onLook(): void {
    this.#shareCpu();
    for (const page of this.#pages) page.look();
  }

  /** CPU that the browser has used since the last call is that of the pages that it renders, in equal parts. */
  #shareCpu(): void {
    const cpuMs = this.#watch.takeCpuMs();
    for (const page of this.#pages) page.cpuMs += cpuMs / this.#pages.size;
  }

  #onEnd(reason: string): void {
    this.hasEnded = true;
    this.#watch.end();
    for (const page of this.#pages) page.end('crashed', reason);
  }
}

const after = (ms: number): Promise<undefined> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms, undefined);
  });
