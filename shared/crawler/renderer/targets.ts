import { withoutFragment } from '../../core/parser/link-set.ts';
import type { BrowserEvent, Connection } from './connection.ts';
import type { PausedRequest } from './page-requests.ts';

/** A page, frame, worker or popup, as the browser announces it. */
interface TargetInfo {
  readonly targetId: string;
  readonly type: string;
  readonly url: string;
  readonly browserContextId?: string;
}

/** The side of a page that the browser's events concern. */
export interface PageOfTargets {
  /** Called once: the page's own target is there, and waits until it is resumed. */
  onOpen(session: string, targetId: string): void;
  /** Called for a frame of another process, and for a worker, which wait until they are resumed. */
  onPart(session: string, type: string): void;
  onPopup(url: string): void;
  onPaused(paused: PausedRequest): void;
  onEvent(event: BrowserEvent, isMain: boolean): void;
}

interface Owner {
  readonly page: PageOfTargets;
  readonly context: string;
  /** URLs of its workers. */
  readonly workers: Set<string>;
  session?: string;
}

const FRAME_WAIT_MS = 500;
/** Pages, frames and workers are paused until Strand knows which page they belong to. */
export const AUTO_ATTACH = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };

/** Which page a session, a frame or a worker belongs to. Popups are closed: they belong to no page. */
export class Targets {
  readonly #connection: Connection;
  readonly #byContext = new Map<string, Owner>();
  readonly #bySession = new Map<string, Owner>();
  readonly #byFrame = new Map<string, Owner>();
  /** Requests of frames that are not announced yet. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  add(context: string, page: PageOfTargets): void {
    this.#byContext.set(context, { page, context, workers: new Set() });
  }

  remove(context: string): void {
    const owner = this.#byContext.get(context);
    this.#byContext.delete(context);
    for (const map of [this.#bySession, this.#byFrame])
      for (const [key, other] of map) if (other === owner) map.delete(key);
  }

  /** Resolves to the page of a request; undefined if it belongs to none. Waits a moment for a frame that is new. */
  async pageOf({ frameId, request }: PausedRequest): Promise<PageOfTargets | undefined> {
    if (frameId === undefined) return undefined;
    const known = this.#byFrame.get(frameId) ?? this.#startedByWorker(frameId, request.headers);
    if (known !== undefined) return known.page;
    await new Promise<void>((resolve) => {
      const waiters = this.#waiting.get(frameId) ?? new Set();
      const done = () => {
        clearTimeout(timer);
        waiters.delete(done);
        if (waiters.size === 0) this.#waiting.delete(frameId);
        resolve();
      };
      const timer = setTimeout(done, FRAME_WAIT_MS);
      this.#waiting.set(frameId, waiters.add(done));
    });
    return this.#byFrame.get(frameId)?.page;
  }

  onEvent(event: BrowserEvent): void {
    const { method, params, sessionId } = event;
    const owner = sessionId === undefined ? undefined : this.#bySession.get(sessionId);
    if (method === 'Target.attachedToTarget') this.#onAttached(params, owner);
    else if (method === 'Target.detachedFromTarget') this.#bySession.delete(params.sessionId);
    else if (owner !== undefined) {
      if (method === 'Page.frameAttached') this.#own(params.frameId, owner);
      owner.page.onEvent(event, sessionId === owner.session);
    }
  }

  /** A worker that a worker starts is not announced before its script is there. Its starter is the referrer. */
  #startedByWorker(frameId: string, headers: PausedRequest['request']['headers']): Owner | undefined {
    const starter = headers.Referer ?? '';
    const [owner, another] = [...this.#byContext.values()].filter(({ workers }) => workers.has(starter));
    if (owner === undefined || another !== undefined) return undefined;
    this.#own(frameId, owner);
    return owner;
  }

  #own(frameId: string, owner: Owner): void {
    this.#byFrame.set(frameId, owner);
    for (const resolve of this.#waiting.get(frameId) ?? []) resolve();
  }

  #onAttached(params: { readonly sessionId: string; readonly targetInfo: TargetInfo }, parent?: Owner): void {
    const { sessionId, targetInfo } = params;
    const owner = parent ?? this.#byContext.get(targetInfo.browserContextId ?? '');
    const isOfPage = owner !== undefined && !BROWSERS_OWN.has(targetInfo.type);
    const isPopup = isOfPage && targetInfo.type === 'page' && owner.session !== undefined;
    if (isOfPage && !isPopup) this.#onPart(sessionId, targetInfo, owner);
    // A popup may share the thread of its opener, which would wait with it.
    this.#send('Runtime.runIfWaitingForDebugger', {}, sessionId);
    if (!isPopup) return;
    owner.page.onPopup(targetInfo.url);
    this.#send('Target.closeTarget', { targetId: targetInfo.targetId });
  }

  #onPart(session: string, { type, targetId, url }: TargetInfo, owner: Owner): void {
    if (type.endsWith('worker')) owner.workers.add(withoutFragment(url));
    this.#bySession.set(session, owner);
    this.#own(targetId, owner);
    this.#send('Target.setAutoAttach', AUTO_ATTACH, session);
    if (type === 'page') {
      owner.session = session;
      owner.page.onOpen(session, targetId);
    } else owner.page.onPart(session, type);
  }

  #send(method: string, params: object, session?: string): void {
    this.#connection
      .send(method, params, { session })
      // The target or the browser has ended meanwhile.
      .catch(() => {});
  }
}

/** Targets that are not of a page, but around it. */
const BROWSERS_OWN: ReadonlySet<string> = new Set(['tab', 'browser_ui']);
