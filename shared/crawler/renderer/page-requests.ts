import type { FetchedResponse } from '../../core/outcome/fetch-outcome.ts';
import { fieldValues } from '../../core/outcome/response-head.ts';
import { decodeBody } from '../../core/parser/decode-body.ts';
import { withoutFragment } from '../../core/parser/link-set.ts';
import { answerHeaders, partHeaders } from '../../core/render/answer-headers.ts';
import { emptyPart } from '../../core/render/empty-part.ts';
import { mayLoad } from '../../core/render/may-load.ts';
import { PAGE_LIMITS } from '../../core/render/page-limits.ts';
import type { PartKind } from '../../core/render/part-kind.ts';
import { polledUrl } from '../../core/render/polled-url.ts';
import { isSameSite } from '../../core/url/same-site.ts';
import type { PartRefusal, PartRequest, RenderJob } from '../ports/renderer.ts';
import type { Connection } from './connection.ts';

/** The fields of `Fetch.requestPaused` that are used. */
export interface PausedRequest {
  readonly requestId: string;
  readonly networkId?: string;
  readonly frameId?: string;
  readonly resourceType: string;
  readonly request: {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly hasPostData?: boolean;
    readonly postDataEntries?: readonly { readonly bytes?: string }[];
  };
}

/** The outcome of a request. `held`: its answer is not known in this round, and the page is rendered without it. */
export type PartAnswer =
  | Pick<FetchedResponse, 'status' | 'httpStatus' | 'headers' | 'body'>
  | { readonly status: 'failed' }
  | PartRefusal
  | { readonly status: 'held' };

/** A {@link FetchPart}, or one whose answers may be held. */
export type AnswerPart = (request: PartRequest) => Promise<PartAnswer>;

export interface PageRequestsOptions {
  readonly job: RenderJob;
  readonly fetchPart: AnswerPart;
  readonly connection: Connection;
  /** The session of the page. */
  readonly session: string;
  readonly mainFrame: string;
  /** Called when a request begins or ends. */
  readonly onChange: () => void;
  /** Called when the main frame wants to go elsewhere. `link`: the URL, if it is a link. */
  readonly onStay: (link: string | undefined) => void;
  /** Called when the main frame loads the page again. `loader`: that of the new document. */
  readonly onReload: (loader: string | undefined) => void;
  /** Called for each cookie that an answer has set, with the text of its `Set-Cookie`. */
  readonly onSetCookie: (text: string) => void;
  /** Called with a fault of `fetchPart`, which never rejects. */
  readonly onFault: (error: unknown) => void;
}

/** Answers the requests of one page. The browser makes none of them. */
export class PageRequests {
  readonly #options: PageRequestsOptions;
  readonly #times = new Map<string, number>();
  #emptied = 0;
  #documents = 0;
  #hasEnded = false;
  inFlight = 0;
  /** Requests without an answer in this round. */
  held = 0;
  count = 0;
  bytes = 0;
  hasClicked = false;

  constructor(options: PageRequestsOptions) {
    this.#options = options;
  }

  /** Whether no request is held. */
  get isAnswered(): boolean {
    return this.held === 0;
  }

  /** From now on no request is made, and no answer is given. */
  end(): void {
    this.#hasEnded = true;
  }

  async answer(paused: PausedRequest): Promise<void> {
    const { job, mainFrame, onStay, onReload } = this.#options;
    const { request, resourceType, frameId, requestId } = paused;
    if (this.#hasEnded) return this.#refuse(requestId);
    const headers = new Map(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value] as const),
    );
    const polled = polledUrl(request.url, Date.now());
    const asked = { url: request.url, method: request.method, resourceType, headers };
    const decision = mayLoad(asked, {
      url: job.url,
      documents: this.#documents,
      isOfMainFrame: frameId === mainFrame,
      requests: this.count,
      bytes: this.bytes,
      timesAsked: this.#times.get(polled) ?? 0,
      emptied: this.#emptied,
      hasClicked: this.hasClicked,
      takesPicture: job.screenshot === true,
      limits: job.limits,
    });
    switch (decision.do) {
      case 'local':
        return this.#send('Fetch.continueRequest', { requestId });
      case 'refuse':
        return this.#refuse(requestId);
      case 'stay':
        if (frameId === mainFrame) onStay(decision.link);
        // No content: the page stays as it is, and its loading goes on.
        return this.#send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
      case 'document':
        if (this.#documents++ > 0) onReload(paused.networkId);
        this.#noteCookies(job.document.headers);
        return this.#fulfil(requestId, job.document, job.document.body);
      case 'empty': {
        this.#emptied++;
        const part = emptyPart(decision.kind, headers.get('origin'));
        return this.#fulfil(requestId, part, part.body);
      }
      case 'fetch':
        this.#times.set(polled, (this.#times.get(polled) ?? 0) + 1);
        return this.#fetch(paused, headers, decision.kind);
    }
  }

  async #fetch(paused: PausedRequest, headers: ReadonlyMap<string, string>, kind: PartKind): Promise<void> {
    const { job, fetchPart, onChange, onFault } = this.#options;
    const { requestId, request } = paused;
    this.count++;
    this.inFlight++;
    onChange();
    try {
      const [cookie, body] = await Promise.all([this.#cookiesFor(request.url), this.#bodyOf(paused)]);
      const outcome = await fetchPart({
        url: withoutFragment(request.url),
        method: request.method,
        headers: { ...partHeaders(headers), ...(cookie !== '' && { cookie }) },
        ...(body !== undefined && { body }),
        kind,
        documentUrl: job.url,
      });
      if (outcome.status === 'held') this.held++;
      else await this.#pass(requestId, outcome);
    } catch (error) {
      onFault(error);
      await this.#refuse(requestId);
    } finally {
      this.inFlight--;
      onChange();
    }
  }

  async #pass(requestId: string, outcome: Exclude<PartAnswer, { readonly status: 'held' }>): Promise<void> {
    if (outcome.status === 'refused' || this.#hasEnded) return this.#refuse(requestId);
    if (outcome.status === 'failed') return this.#refuse(requestId, 'Failed');
    this.bytes += outcome.body.size;
    const body = await decoded(outcome);
    if (body === undefined) return this.#refuse(requestId, 'Failed');
    this.#noteCookies(outcome.headers);
    await this.#fulfil(requestId, outcome, body);
  }

  #fulfil(
    requestId: string,
    head: Pick<RenderJob['document'], 'httpStatus' | 'headers'>,
    body: Uint8Array,
  ): Promise<void> {
    return this.#send('Fetch.fulfillRequest', {
      requestId,
      responseCode: head.httpStatus,
      binaryResponseHeaders: answerHeaders(head.headers).toString('base64'),
      body: Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64'),
    });
  }

  #refuse(requestId: string, errorReason = 'BlockedByClient'): Promise<void> {
    return this.#send('Fetch.failRequest', { requestId, errorReason });
  }

  /** The request may have ended meanwhile, with its frame or its page. */
  #send(method: string, params: object): Promise<void> {
    return this.#options.connection.send(method, params).then(
      () => {},
      () => {},
    );
  }

  #noteCookies(headers: RenderJob['document']['headers']): void {
    for (const text of fieldValues(headers, 'set-cookie')) this.#options.onSetCookie(text);
  }

  /** The `Cookie` that the browser would send. Other sites get none. */
  async #cookiesFor(url: string): Promise<string> {
    const { job, connection, session } = this.#options;
    if (!isSameSite(url, job.url)) return '';
    const { cookies } = await connection
      .send<Cookies>('Network.getCookies', { urls: [url] }, { session })
      .catch((): Cookies => ({ cookies: [] }));
    return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  /** The browser leaves out the bytes of files, and of what is large. */
  async #bodyOf({ request, networkId }: PausedRequest): Promise<Uint8Array | undefined> {
    const { postDataEntries: entries, hasPostData } = request;
    if (entries?.every(({ bytes }) => bytes !== undefined))
      return Buffer.concat(entries.map(({ bytes = '' }) => Buffer.from(bytes, 'base64')));
    if (hasPostData !== true) return undefined;
    const { connection, session } = this.#options;
    const { postData, base64Encoded } = await connection.send<{ postData: string; base64Encoded?: boolean }>(
      'Network.getRequestPostData',
      { requestId: networkId },
      { session },
    );
    return Buffer.from(postData, base64Encoded ? 'base64' : 'utf8');
  }
}

interface Cookies {
  readonly cookies: readonly { readonly name: string; readonly value: string }[];
}

/** The body as scripts read it. Undefined if it cannot be decoded, or is too large. */
async function decoded({
  body,
  headers,
}: Pick<FetchedResponse, 'body' | 'headers'>): Promise<Uint8Array | undefined> {
  if (body.size > PAGE_LIMITS.partBytes) return undefined;
  try {
    const codings = fieldValues(headers, 'content-encoding').join(', ');
    return decodeBody(await body.bytes(), codings, PAGE_LIMITS.partBytes);
  } catch {
    return undefined;
  }
}
