import { MAX_MESSAGE_BYTES, type OpenTransport } from './transport.ts';

/** An event of the browser, by the Chrome DevTools Protocol. */
export interface BrowserEvent {
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: each event has its own fields; they are read where it is handled
  readonly params: any;
  readonly sessionId?: string;
}

interface SendOptions {
  /** The session of a page, frame or worker. Default: the browser's own. */
  readonly session?: string | undefined;
  /** The answer is waited for this long. */
  readonly ms?: number;
}

/** Commands to a browser. */
export interface Connection {
  /** Rejects if the browser answers with an error, too late, or has ended. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own result; the caller names its type
  send<T = any>(method: string, params?: object, options?: SendOptions): Promise<T>;
  /** Fails all commands in progress, and all later ones. */
  end(reason: string): void;
}

export interface ConnectionOptions {
  readonly open: OpenTransport;
  readonly onEvent: (event: BrowserEvent) => void;
  /** Called with the first bytes of an event that is larger than {@link MAX_MESSAGE_BYTES}: it is dropped. */
  readonly onLargeEvent: (start: string) => void;
  /** Called once, when the transport has ended or nothing on it is understood. */
  readonly onEnd: (reason: string) => void;
}

const ANSWER_MS = 10_000;

interface Waiting {
  readonly method: string;
  readonly timer: NodeJS.Timeout;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Sends commands to a browser, and takes its answers and events. */
export function connect({ open, onEvent, onLargeEvent, onEnd }: ConnectionOptions): Connection {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let ended: string | undefined;

  function take(id: number): Waiting | undefined {
    const one = waiting.get(id);
    waiting.delete(id);
    clearTimeout(one?.timer);
    return one;
  }

  function onMessage(text: string): void {
    const message = JSON.parse(text);
    const one = take(message.id);
    if (message.id === undefined) onEvent(message);
    else if (message.error) one?.reject(new RefusedCommand(one.method, message.error.message));
    else one?.resolve(message.result);
  }

  function onLarge(start: string): void {
    const id = /^\{"id":(\d+)/.exec(start)?.[1];
    const one = take(Number(id));
    if (id === undefined) onLargeEvent(start);
    else one?.reject(new LargeAnswer(one.method));
  }

  function end(reason: string): void {
    if (ended !== undefined) return;
    ended = reason;
    for (const id of [...waiting.keys()]) take(id)?.reject(new Error(reason));
    onEnd(reason);
  }

  const transport = open({ onMessage, onLarge, onEnd: end });
  return {
    end,
    send: (method, params = {}, { session, ms = ANSWER_MS } = {}) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(new Error(ended));
        const id = ++lastId;
        const timer = setTimeout(() => take(id)?.reject(new LateAnswer(method, ms)), ms);
        waiting.set(id, { method, timer, resolve: (result) => resolve(result as never), reject });
        transport.send(JSON.stringify({ id, method, params, sessionId: session }));
      }),
  };
}

/** The browser has answered with an error. */
export class RefusedCommand extends Error {
  readonly method: string;

  constructor(method: string, reason: string) {
    super(`${method}: ${reason}`);
    this.method = method;
  }
}

/** The browser has not answered in time. */
export class LateAnswer extends Error {
  constructor(method: string, ms: number) {
    super(`${method}: no answer within ${ms} ms`);
  }
}

/** The answer is too large to be taken. */
export class LargeAnswer extends Error {
  constructor(method: string) {
    super(`${method}: the answer has more than ${MAX_MESSAGE_BYTES >> 20} MB`);
  }
}
