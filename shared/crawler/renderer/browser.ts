import { messageOf } from '../../core/base/error-message.ts';
import { PAGE_LIMITS } from '../../core/render/page-limits.ts';
import type { FetchPart, Rendering, RenderJob } from '../ports/renderer.ts';
import { type BrowserProcess, type BrowserProcessOptions, startBrowserProcess } from './browser-process.ts';
import { type BrowserEvent, type Connection, connect } from './connection.ts';
import { Page } from './page.ts';
import type { PausedRequest } from './page-requests.ts';
import { type ProcessWatch, watchProcesses } from './process-watch.ts';
import { REMOVED_INTERFACES } from './removed-interfaces.ts';
import { AUTO_ATTACH, Targets } from './targets.ts';

export interface BrowserOptions extends BrowserProcessOptions {
  /** The browser must answer within this time after its start. */
  readonly startMs: number;
  /** For tests, which take the guard apart to show what each part of it is for. */
  readonly guard?: { readonly intercepted?: string; readonly removed?: string };
}

export interface RenderOptions {
  readonly job: RenderJob;
  readonly fetchPart: FetchPart;
  /** Both on the clock of `performance`. */
  readonly startedAt: number;
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** Starts a browser. Throws if it does not start, or does not answer. */
export async function startBrowser(options: BrowserOptions): Promise<Browser> {
  const process = await startBrowserProcess(options);
  const browser = new Browser(process);
  try {
    await browser.prepare(options);
    return browser;
  } catch (error) {
    // A browser that ends says why a moment after its pipe has broken.
    const reason = await Promise.race([process.ended, after(200)]);
    await browser.close();
    throw reason === undefined ? error : new Error(reason);
  }
}

/** A browser that has started. */
export class Browser {
  readonly #process: BrowserProcess;
  readonly #connection: Connection;
  readonly #targets: Targets;
  readonly #watch: ProcessWatch;
  readonly #pages = new Set<Page>();
  #userAgent = '';
  #removed = REMOVED_INTERFACES;
  /** Pages that were begun, and those whose processes ended. */
  pages = 0;
  crashes = 0;
  hasEnded = false;

  constructor(process: BrowserProcess) {
    this.#process = process;
    this.#connection = connect({
      write: process.write,
      read: process.read,
      onEvent: (event) => this.#onEvent(event),
      onLargeEvent: (start) => this.#refuseLarge(start),
      onEnd: (reason) => this.#onEnd(reason),
    });
    this.#targets = new Targets(this.#connection);
    this.#watch = watchProcesses({
      root: process.pid,
      mostBytes: PAGE_LIMITS.processBytes,
      onLook: () => this.#onLook(),
    });
    void process.ended.then((reason) => this.#connection.end(reason));
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Pages that are being rendered. */
  get active(): number {
    return this.#pages.size;
  }

  /** Requests come to Strand from here on, of whatever they are: before the first page is there. */
  async prepare({ startMs, guard }: BrowserOptions): Promise<void> {
    const send = this.#connection.send;
    const { userAgent } = await send<{ userAgent: string }>('Browser.getVersion', {}, { ms: startMs });
    this.#userAgent = userAgent.replace('Headless', '');
    this.#removed = guard?.removed ?? this.#removed;
    await send('Browser.setDownloadBehavior', { behavior: 'deny' });
    const urlPattern = guard?.intercepted ?? '*';
    await send('Fetch.enable', { patterns: [{ urlPattern, requestStage: 'Request' }] });
    await send('Target.setAutoAttach', AUTO_ATTACH);
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
      context = (
        await this.#connection.send<{ browserContextId: string }>('Target.createBrowserContext', {
          disposeOnDetach: true,
        })
      ).browserContextId;
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
    await this.#process.end();
  }

  async #renderIn(context: string, options: RenderOptions): Promise<Rendering> {
    const { job, fetchPart, deadline, signal, startedAt } = options;
    const page = new Page({
      job,
      fetchPart,
      deadline,
      context,
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
      .send('Target.createTarget', { url: 'about:blank', browserContextId: context })
      .catch((error) => page.end('crashed', messageOf(error)));
    const rendering = await page.render();
    signal?.removeEventListener('abort', stop);
    if (page.hasCrashed) this.crashes++;
    await this.#dispose(context);
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

/** The rendering of a page that was not begun. */
export function undrawn(state: Rendering['state'], detail: string, startedAt: number): Rendering {
  const used = { requests: 0, bytes: 0, ms: performance.now() - startedAt, cpuMs: 0 };
  return { state, detail, links: [], cookies: [], used };
}

const after = (ms: number): Promise<undefined> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms, undefined);
  });
