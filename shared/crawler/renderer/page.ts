import { messageOf } from '../../core/base/error-message.ts';
import { LinkList } from '../../core/render/link-list.ts';
import { PAGE_LIMITS } from '../../core/render/page-limits.ts';
import { isScriptRedirect, QUIET_MS, QUIET_STEP_MS } from '../../core/render/settle.ts';
import type { Rendering, RenderJob, RenderState } from '../ports/renderer.ts';
import { behave } from './behave.ts';
import { type BrowserEvent, type Connection, LateAnswer } from './connection.ts';
import { PageQuiet } from './page-quiet.ts';
import { type AnswerPart, PageRequests, type PausedRequest } from './page-requests.ts';
import { createReader, type PageReader, readPage } from './read-page.ts';
import { ScriptCookies } from './script-cookies.ts';
import { ScriptWatch } from './script-watch.ts';
import { setCookies } from './set-cookies.ts';
import type { PageOfTargets } from './targets.ts';

export interface PageOptions {
  readonly job: RenderJob;
  readonly fetchPart: AnswerPart;
  readonly connection: Connection;
  /** The page's browser context: cookies and storage of its own. Undefined: the browser's only one. */
  readonly context: string | undefined;
  /** The user agent that scripts see. */
  readonly userAgent: string;
  /** A script that removes interfaces: see `removed-interfaces.ts`. */
  readonly removed: string;
  /** When the page must have ended, on the clock of `performance`. */
  readonly deadline: number;
  /** CPU that each process of the browser has used. */
  readonly cpuByProcess: () => ReadonlyMap<number, number> | undefined;
}

/** A page that is being rendered. */
export class Page implements PageOfTargets {
  readonly #options: PageOptions;
  readonly #links: LinkList;
  readonly #cookies: ScriptCookies;
  readonly #quiet: PageQuiet;
  readonly #opened = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<Ending>();
  #ending: Ending | undefined;
  #session = '';
  #frame = '';
  #requests: PageRequests | undefined;
  #reader: PageReader | undefined;
  #navigations = 0;
  #popups = 0;
  #histories = 0;
  /** Where the page went before it had settled. */
  #wentTo: string | undefined;
  #hasSettled = false;
  #scripts: ScriptWatch | undefined;
  cpuMs = 0;
  /** Its process has ended. */
  hasCrashed = false;

  constructor(options: PageOptions) {
    this.#options = options;
    this.#links = new LinkList(options.job.limits.links);
    this.#cookies = new ScriptCookies(options.job.cookies);
    this.#quiet = new PageQuiet({
      // The rest is for reading the page.
      until: options.deadline - Math.min(3000, options.job.limits.ms / 4),
      inFlight: () => this.#requests?.inFlight ?? 0,
      held: () => this.#requests?.held ?? 0,
      isOver: () => this.#ending !== undefined || this.#scripts?.hasGivenUp === true,
    });
  }

  get requests(): PageRequests | undefined {
    return this.#requests;
  }

  /** Ends the page with what is known of it by then. */
  end(state: RenderState, detail: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = { state, detail };
    this.#requests?.end();
    this.#over.resolve(this.#ending);
    this.#quiet.change();
  }

  async render(): Promise<Omit<Rendering, 'used'>> {
    const { deadline } = this.#options;
    const late = setTimeout(() => this.end('timedOut', 'its time was over'), deadline - performance.now());
    try {
      return await Promise.race([
        this.#rendered(),
        this.#over.promise.then((ending) => this.#unrendered(ending)),
      ]);
    } catch (error) {
      const state = error instanceof LateAnswer ? 'timedOut' : 'crashed';
      return this.#unrendered(this.#ending ?? { state, detail: messageOf(error) });
    } finally {
      clearTimeout(late);
      this.end('rendered', '');
    }
  }

  onOpen(session: string, targetId: string): void {
    const { job, userAgent, fetchPart, connection } = this.#options;
    this.#session = session;
    this.#frame = targetId;
    this.#reader = createReader(connection, { session, frameId: targetId, links: job.limits.links });
    this.#requests = new PageRequests({
      job,
      fetchPart,
      connection,
      session,
      mainFrame: targetId,
      onChange: () => this.#quiet.change(),
      onStay: (link) => this.#onStay(link),
      onReload: (loader) => this.#quiet.onBegin(loader),
      onSetCookie: (text) => this.#cookies.noteAnswer(text),
      onFault: (error) => this.end('crashed', messageOf(error)),
    });
    this.#scripts = new ScriptWatch({
      send: (method, params, ms) => this.#send(method, params, ms),
      cpuByProcess: this.#options.cpuByProcess,
      onEnd: () => this.#quiet.change(),
    });
    const prepared = [
      this.#send('Page.enable'),
      this.#send('Page.setLifecycleEventsEnabled', { enabled: true }),
      this.#send('Network.enable', {
        maxTotalBufferSize: 0,
        maxResourceBufferSize: 0,
        maxPostDataSize: 1 << 20,
      }),
      this.#send('Network.setBypassServiceWorker', { bypass: true }),
      this.#send('Inspector.enable'),
      this.#send('Emulation.setUserAgentOverride', { userAgent }),
      this.#send('Page.addScriptToEvaluateOnNewDocument', {
        source: this.#options.removed,
        runImmediately: true,
      }),
    ];
    Promise.all(prepared).then(() => this.#opened.resolve(), this.#opened.reject);
  }

  onPart(session: string, type: string): void {
    const send = (method: string, params?: object) =>
      void this.#options.connection
        .send(method, params, { session })
        // It has ended meanwhile.
        .catch(() => {});
    if (type === 'iframe') {
      send('Page.enable');
      send('Page.addScriptToEvaluateOnNewDocument', { source: this.#options.removed, runImmediately: true });
    } else {
      send('Runtime.evaluate', { expression: this.#options.removed });
      send('Network.setUserAgentOverride', { userAgent: this.#options.userAgent });
    }
  }

  onPopup(url: string): void {
    this.#links.add(url);
    if (++this.#popups === PAGE_LIMITS.popups) void this.#scripts?.end();
  }

  onPaused(paused: PausedRequest): void {
    void this.#requests?.answer(paused);
  }

  onEvent({ method, params, sessionId }: BrowserEvent, isMain: boolean): void {
    if (method === 'Page.javascriptDialogOpening')
      void this.#options.connection
        .send(
          'Page.handleJavaScriptDialog',
          { accept: params.type === 'beforeunload' },
          { session: sessionId },
        )
        // Its page has closed it.
        .catch(() => {});
    if (method === 'Page.windowOpen') this.#links.add(params.url);
    if (!isMain) return;
    if (method === 'Page.navigatedWithinDocument') this.#onHistory(params);
    if (method === 'Inspector.targetCrashed') {
      this.hasCrashed = true;
      this.end('crashed', 'its process ended');
    }
    if (method === 'Emulation.virtualTimeBudgetExpired') this.#quiet.onTimePassed();
    if (method === 'Page.lifecycleEvent' && params.name === 'load' && params.frameId === this.#frame)
      this.#quiet.onLoad(params.loaderId);
  }

  /** Called some times a second. */
  look(): void {
    if (this.#ending === undefined && this.#quiet.hasBegun) this.#scripts?.look();
  }

  async #rendered(): Promise<Omit<Rendering, 'used'>> {
    const { job, connection, context } = this.#options;
    await this.#opened.promise;
    await setCookies(connection, context, job.cookies);
    await this.#navigate();
    const isWhole = await this.#quiet.settle(QUIET_MS);
    this.#hasSettled = true;
    // It is rendered again with the answers. Until then it may not even be readable: a script may wait for one.
    if (this.#requests?.isAnswered !== true) return this.#unrendered({ state: 'rendered', detail: '' });
    const redirect = await this.#scriptRedirect();
    const behaviourFault = redirect === undefined ? await this.#behave() : undefined;
    if (this.#requests?.isAnswered !== true) return this.#unrendered({ state: 'rendered', detail: '' });
    const screenshot = job.screenshot === true ? await this.#reader!.picture() : undefined;
    if (isWhole && redirect === undefined) await this.#passTime();
    if (this.#requests?.isAnswered !== true) return this.#unrendered({ state: 'rendered', detail: '' });
    const read = await readPage(this.#reader as PageReader, job);
    return {
      ...read,
      links: this.#links.all(),
      navigatedTo: redirect,
      cookies: await this.#cookies.read(connection, context),
      screenshot,
      behaviourFault,
      detail: read.detail ?? this.#detail(isWhole),
    };
  }

  #unrendered({ state, detail }: Ending): Omit<Rendering, 'used'> {
    return { state, detail, links: this.#links.all(), cookies: [] };
  }

  async #navigate(): Promise<void> {
    const { job } = this.#options;
    const navigated = this.#send<{ loaderId?: string; errorText?: string }>(
      'Page.navigate',
      { url: job.url },
      job.limits.ms,
    );
    const { loaderId, errorText } = await navigated;
    if (errorText !== undefined) throw new Error(`the browser does not show it: ${errorText}`);
    this.#quiet.onBegin(loaderId);
  }

  async #scriptRedirect(): Promise<string | undefined> {
    if (this.#wentTo === undefined) return undefined;
    const { textChars } = await this.#reader!.facts();
    return isScriptRedirect(textChars) ? this.#wentTo : undefined;
  }

  #behave(): Promise<string | undefined> {
    const reader = this.#reader as PageReader;
    const requests = this.#requests as PageRequests;
    return behave(this.#options.job.behaviours, {
      // Without all answers the page is not what a visitor would act on.
      run: async (expression) => (requests.isAnswered ? reader.run(expression) : undefined),
      settle: async () => (await this.#quiet.settle(QUIET_STEP_MS)) && requests.isAnswered,
      gather: async () => {
        for (const url of requests.isAnswered ? await reader.links() : []) this.#links.add(url);
      },
      progress: () => requests.count + this.#links.size,
      beginClicks: () => {
        requests.hasClicked = true;
      },
    });
  }

  /** Lets timers of the next seconds fire at once. The clock of the page stands afterwards: this is the last step. */
  async #passTime(): Promise<void> {
    for (let rounds = 0; rounds < TIME_ROUNDS; rounds++) {
      const before = this.#requests?.count;
      await this.#quiet.passTime(() =>
        this.#send('Emulation.setVirtualTimePolicy', { policy: 'advance', budget: VIRTUAL_MS }),
      );
      if (!(await this.#quiet.settle(QUIET_STEP_MS)) || this.#requests?.count === before) return;
    }
  }

  /** For people: why a page that was read may not be whole. */
  #detail(isWhole: boolean): string | undefined {
    if (this.#scripts?.hasEndedAny) return 'a script did not end, and was ended';
    return isWhole ? undefined : 'it did not settle in its time';
  }

  #onStay(link: string | undefined): void {
    if (++this.#navigations > PAGE_LIMITS.navigations) return;
    if (link !== undefined) {
      this.#links.add(link);
      if (!this.#hasSettled) this.#wentTo ??= link;
    }
    this.#quiet.onNavigation();
  }

  #onHistory({ frameId, url }: { readonly frameId: string; readonly url: string }): void {
    if (frameId === this.#frame && ++this.#histories <= PAGE_LIMITS.histories) this.#links.add(url);
  }

  #send<T>(method: string, params?: object, ms?: number): Promise<T> {
    return this.#options.connection.send<T>(method, params, {
      session: this.#session,
      ...(ms !== undefined && { ms }),
    });
  }
}

interface Ending {
  readonly state: RenderState;
  readonly detail: string;
}

const VIRTUAL_MS = 5000;
const TIME_ROUNDS = 3;
