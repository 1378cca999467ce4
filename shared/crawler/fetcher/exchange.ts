import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Body } from '../../core/outcome/body.ts';
import type { FetchedResponse, FetchOutcome } from '../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../core/outcome/fetch-request.ts';
import type { ResponseHead } from '../../core/outcome/response-head.ts';
import { type Abortable, unwatchAbort, watchAbort } from './abort-watch.ts';
import { type ConnectionFacts, factsOf, firstErrorOf, type WireBytes, wireBytesOf } from './connector.ts';
import {
  type DescribedFailure,
  described,
  describeFailure,
  durationText,
  errorCode,
  type FailureLimits,
  isDisconnect,
  isOutOfFiles,
  KnownFailure,
} from './failure.ts';
import type { RepairedHead } from './repair-head.ts';
import { type ResponseReader, responseReader } from './response-reader.ts';
import type { SocketBudget } from './socket-budget.ts';
import { type BodySpace, type BodySpool, createBodySpool } from './spooled-body.ts';
import { type DecodedBody, undoTransferCodings } from './transfer-codings.ts';
import { TimeOut } from './wait-for-socket.ts';
import { withoutSecrets } from './without-secrets.ts';

/** The parts that all exchanges of one fetcher share. */
export interface ExchangeContext extends FailureLimits {
  /** Hands the exchange to undici. */
  readonly dispatch: (exchange: Exchange) => void;
  /** Called in the same step in which undici writes the request, just before it. */
  readonly onStart: (exchange: Exchange) => void;
  readonly now: () => number;
  readonly budget: SocketBudget;
  readonly bodies: BodySpace;
  readonly totalTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly mostBodyBytes?: number | undefined;
}

/**
 * By status, why a kept connection was not used for a request, which the next one may be. A server that closes an idle
 * connection may say so, and so seem to answer the request that comes meanwhile (RFC 9110, section 15.5.9): browsers take
 * it for a closed connection, too. A proxy in front of several servers may want another connection for each host (section
 * 15.5.20).
 */
const REFUSED_CONNECTIONS: ReadonlyMap<number, string> = new Map([
  [408, 'the server closed the idle connection (HTTP 408)'],
  [421, 'the server wants another connection for this host (HTTP 421)'],
]);

/** Whether the request may be sent again without an answer to the first one (RFC 9110, section 9.2.2). */
export const isRepeatable = ({ method = 'GET' }: FetchRequest): boolean =>
  method === 'GET' || method === 'HEAD';

/** How the exchange's promise is settled. */
export interface Settle {
  readonly resolve: (outcome: FetchOutcome | PromiseLike<FetchOutcome>) => void;
  readonly reject: (error: unknown) => void;
}

type BodyBreak = Pick<FetchedResponse, 'truncated' | 'bodyFailure'>;

const NO_BYTES: WireBytes = { sent: 0, received: 0 };

/**
 * Sockets that have carried a request, with the bytes of the time until the end of the last one. The next one may meet the
 * server's closing them.
 */
const used = new WeakMap<Socket, WireBytes>();

/**
 * Undici's handler of a request and its outcome. It settles exactly once; later reports of undici are ignored. Rejects
 * only for our own failures (a full disk, no file descriptor left).
 */
export class Exchange implements Dispatcher.DispatchHandler, Abortable {
  readonly request: FetchRequest;
  /** Headers that the operator has set for the request's host. */
  readonly ownHeaders: Readonly<Record<string, string>> | undefined;
  abortPlace = -1;
  readonly #context: ExchangeContext;
  readonly #resolve: Settle['resolve'];
  readonly #reject: (error: unknown) => void;
  readonly #startedAt: number;
  readonly #maxBodyBytes: number;
  readonly #timer: TimeOut | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #decoded: DecodedBody | undefined;
  #socket: Socket | undefined;
  #requestHead = '';
  #connection: ConnectionFacts = { ipAddress: '', protocols: [] };
  #isReused = false;
  #reader: ResponseReader | undefined;
  #repaired: RepairedHead | undefined;
  #head: ResponseHead | undefined;
  #sink: ((chunk: Uint8Array) => void) | undefined;
  #spool: BodySpool | undefined;
  #isSettled = false;

  constructor(
    context: ExchangeContext,
    request: FetchRequest,
    { resolve, reject }: Settle,
    ownHeaders?: Readonly<Record<string, string>>,
  ) {
    this.request = request;
    this.ownHeaders = ownHeaders;
    this.#context = context;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#startedAt = context.now();
    const { maxBodyBytes, mostBodyBytes = Number.POSITIVE_INFINITY } = context;
    this.#maxBodyBytes = Math.min(request.maxBodyBytes ?? maxBodyBytes, mostBodyBytes);
    if (context.totalTimeoutMs > 0)
      this.#timer = new TimeOut(context.totalTimeoutMs, () => this.#onTotalTimeout());
    if (request.signal) watchAbort(request.signal, this);
  }

  begin(): void {
    if (this.request.signal?.aborted) this.onAbort();
    else this.#context.dispatch(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Ended while it waited for a connection: thrown to undici, which drops the request and keeps the
    // connection.
    if (this.#isSettled) throw new Error('The exchange has ended');
    this.#controller = controller;
    this.#context.onStart(this);
  }

  /** The head that undici is about to write, without its final empty line, and the socket it goes to. */
  onSent(head: string, socket: Socket): void {
    this.#requestHead = head;
    this.#socket = socket;
    this.#connection = factsOf(socket);
    this.#isReused = used.has(socket);
    if (!this.#isReused) used.set(socket, NO_BYTES);
    this.#context.budget.markBusy(socket);
    this.#reader = responseReader(socket, this.#context.maxHeaderBytes);
    this.#reader.expect({
      method: this.request.method ?? 'GET',
      onRepaired: (head) => {
        this.#repaired = head;
      },
    });
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    httpStatus: number,
    _headers: unknown,
    statusText = '',
  ): void {
    // 1xx: the response is still to come (RFC 9110, section 15.2).
    if (this.#isSettled || httpStatus < 200) return;
    const refusal = REFUSED_CONNECTIONS.get(httpStatus);
    if (refusal !== undefined && this.#isReused && isRepeatable(this.request)) {
      this.#fail(described('emptyResponse', refusal), true);
      controller.abort(new Error('The connection was of no use for the request'));
      return;
    }
    this.#head = {
      httpStatus,
      statusText: this.#repaired?.reason ?? statusText,
      headers: this.#repaired?.fields ?? readHeaders(controller.rawHeaders),
    };
    this.#spool = createBodySpool(this.#context.bodies);
    const sink = quietly(() => this.request.onHead?.(this.#head as ResponseHead));
    const bounds = { bodies: this.#context.bodies, maxBytes: this.#maxBodyBytes };
    this.#decoded = undoTransferCodings(this.#head.headers, bounds, sink);
    this.#sink = this.#decoded?.write ?? sink;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const spool = this.#spool;
    if (this.#isSettled || spool === undefined) return;
    const room = this.#maxBodyBytes - spool.size;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    if (kept.length > 0) {
      this.#feed(kept);
      try {
        spool.append(kept);
      } catch (error) {
        this.#giveUp(error);
        controller.abort(new Error('The body could not be kept'));
        return;
      }
    }
    if (chunk.length > room) {
      this.#finish({ truncated: 'length' });
      controller.abort(new Error('The body is longer than wanted'));
    }
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    const socket = this.#socket as Socket;
    // A body that ends with the connection: undici takes a reset for that end.
    const isBroken = socket.errored !== null && errorCode(socket.errored) === 'ECONNRESET';
    if (this.#reader?.isLastOfConnection) socket.destroy();
    else this.#context.budget.markIdle(socket);
    this.#finish(isBroken ? this.#breakOf(socket.errored as Error) : undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isSettled) return;
    if (this.#head !== undefined) {
      this.#finish(this.#reader?.hasLastChunk ? undefined : this.#breakOf(error));
      return;
    }
    if (isOutOfFiles(error)) {
      this.#giveUp(error);
      return;
    }
    const cause = firstErrorOf(this.#socket) ?? error;
    if (isDisconnect(error) && this.#reader?.hasBegun) {
      this.#fail(described('connectionReset', "the connection ended within the response's header"));
      return;
    }
    const failure = this.#withHint(describeFailure(cause, this.#context));
    // Bytes that are not HTTP may belong to the response before.
    this.#fail(failure, this.#isReused && (isDisconnect(error) || failure.code === 'notHttp'));
  }

  /** Says why a body is not whole. */
  #breakOf(error: Error): BodyBreak {
    if (errorCode(error) === 'UND_ERR_BODY_TIMEOUT')
      return { truncated: 'time', bodyFailure: noBody(this.#context.idleTimeoutMs, '') };
    const cause = firstErrorOf(this.#socket) ?? error;
    const bodyFailure =
      cause instanceof KnownFailure
        ? described(cause.code, cause.message)
        : described('connectionReset', 'the connection ended within the body');
    return { truncated: 'disconnect', bodyFailure };
  }

  /** Many TLS servers close the connection when a plain request comes. */
  #withHint(failure: DescribedFailure): DescribedFailure {
    if (failure.code !== 'emptyResponse' || this.#isReused || !this.request.url.startsWith('http:'))
      return failure;
    return { ...failure, message: `${failure.message}; perhaps this port expects https://` };
  }

  /** Gives the piece to the caller's sink, until that throws. */
  #feed(piece: Uint8Array): void {
    if (this.#sink === undefined) return;
    try {
      this.#sink(piece);
    } catch {
      this.#sink = undefined;
    }
  }

  #onTotalTimeout(): void {
    const { totalTimeoutMs } = this.#context;
    if (this.#head === undefined) {
      this.#fail(described('noResponse', `no response within ${durationText(totalTimeoutMs)} in all`));
    } else {
      this.#finish({ truncated: 'time', bodyFailure: noBody(totalTimeoutMs, ' in all') });
    }
    this.#controller?.abort(new Error('The total time-out'));
  }

  onAbort(): void {
    if (this.#isSettled) return;
    this.#fail(described('aborted', 'ended by our own signal'));
    this.#controller?.abort(new Error('Ended by a signal'));
  }

  /** `broken`: the body is not whole. */
  #finish(broken?: BodyBreak): void {
    const head = this.#head as ResponseHead;
    let body: Body;
    try {
      body = (this.#spool as BodySpool).finish();
    } catch (error) {
      this.#giveUp(error);
      return;
    }
    this.#settle();
    this.#end({
      status: 'response',
      url: this.request.url,
      startedAt: this.#startedAt,
      endedAt: this.#context.now(),
      ...this.#wireBytes(),
      httpStatus: head.httpStatus,
      statusText: head.statusText,
      headers: head.headers,
      body,
      requestHead: this.#sentBytes(),
      ...this.#connection,
      ...broken,
    });
  }

  /** The request as it was sent, its secrets hidden. */
  #sentBytes(): Buffer {
    const head = Buffer.from(`${this.#shownHead()}\r\n`, 'latin1');
    const { body } = this.request;
    return body === undefined
      ? head
      : Buffer.concat([head, typeof body === 'string' ? Buffer.from(body, 'utf8') : body]);
  }

  #shownHead(): string {
    const { ownHeaders, request } = this;
    const isPlain = ownHeaders === undefined && request.headers === undefined;
    if (isPlain && !this.#requestHead.includes('Proxy-Authorization')) return this.#requestHead;
    return withoutSecrets(this.#requestHead, ownHeaders, request.headers);
  }

  /** Our own failure: not the web's doing, so no outcome. */
  #giveUp(error: unknown): void {
    this.#settle();
    this.#spool?.discard();
    this.#decoded?.discard();
    this.#reject(error);
  }

  #end(outcome: FetchOutcome): void {
    this.#resolve(this.#decoded === undefined ? outcome : this.#decoded.contentOf(outcome));
  }

  #fail(failure: DescribedFailure, isStaleConnection = false): void {
    this.#settle();
    this.#spool?.discard();
    this.#end({
      status: 'failed',
      url: this.request.url,
      startedAt: this.#startedAt,
      endedAt: this.#context.now(),
      ...this.#wireBytes(),
      ...failure,
      ...(isStaleConnection && { isStaleConnection }),
    });
  }

  /** The bytes since the exchange before on this connection. */
  #wireBytes(): Pick<FetchedResponse, 'sentBytes' | 'receivedBytes'> {
    const socket = this.#socket;
    if (socket === undefined) return {};
    const inAll = wireBytesOf(socket);
    const before = used.get(socket) ?? NO_BYTES;
    used.set(socket, inAll);
    return { sentBytes: inAll.sent - before.sent, receivedBytes: inAll.received - before.received };
  }

  #settle(): void {
    this.#isSettled = true;
    this.#timer?.end();
    if (this.request.signal) unwatchAbort(this.request.signal, this);
  }
}

const noBody = (ms: number, inAll: string): DescribedFailure =>
  described('noResponse', `the body did not come within ${durationText(ms)}${inAll}`);

function readHeaders(raw: Dispatcher.DispatchController['rawHeaders']): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  if (!Array.isArray(raw)) return pairs;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    pairs.push([raw[i]!.toString('latin1'), raw[i + 1]!.toString('latin1')]);
  }
  return pairs;
}

function quietly<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
