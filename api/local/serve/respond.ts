/** The answers of the server that shows an archive. */
import type { IncomingMessage } from 'node:http';
import { REVISIT } from '../../../shared/core/archive/payload-reader.ts';
import type { RecordLocation } from '../../../shared/core/archive/record-location.ts';
import { keyedUrl, type RequestQuery } from '../../../shared/core/archive/request-query.ts';
import { messageOf } from '../../../shared/core/base/error-message.ts';
import { Semaphore } from '../../../shared/core/base/semaphore.ts';
import { XHTML_TYPE } from '../../../shared/core/parser/type-of-xml.ts';
import { canonicalize, urlAsWritten } from '../../../shared/core/url/canonical.ts';
import { canonicalRoute, knownRoute } from '../../../shared/core/url/hash-route.ts';
import type { CaptureIndex, ListedCapture } from '../../../shared/engines/local/archive/capture-index.ts';
import type { ArchivedPayload } from '../../../shared/services/exports/archived-payloads.ts';
import { answerCdx } from './cdx-server.ts';
import {
  acceptedTime,
  httpDate,
  linksOf,
  pathOf,
  type TimeMapFormat,
  type TimeMapQuery,
  timeMap,
} from './memento.ts';
import { errorPage, indexPage } from './pages.ts';
import { queryOfBody } from './query-of-body.ts';
import { rawResponse } from './raw.ts';
import { replay } from './replay.ts';

export interface ResponderOptions {
  readonly crawl: string;
  readonly index: CaptureIndex;
  readonly payloadOf: (location: RecordLocation) => Promise<ArchivedPayload>;
  /** Returns the rendered form of the page whose response is there, if the archive has it. */
  readonly renderedOf: (place: RecordLocation & { readonly url: string }) => Promise<Uint8Array | undefined>;
  /** The URL by which the crawl knows a canonical URL. */
  readonly nameOf: (url: string) => string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const ROWS = 200;
const MAX_WORDS = 10;
const MAX_QUERY = 500;
/** Responses that are read at once: each may have 64 MiB. */
const MAX_READS = 4;
const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
/** Types of captures that may have been rendered. */
const PAGES: ReadonlySet<string> = new Set(['text/html', XHTML_TYPE, REVISIT]);
/** After all captures. */
const NEWEST = '99991231235959';

/** Never rejects: an error becomes a response. */
export function createResponder(options: ResponderOptions): (request: IncomingMessage) => Promise<Answer> {
  const reads = new Semaphore(MAX_READS);
  return async (request) => {
    const refusal = refuse(request);
    if (refusal) return refusal;
    const origin = `http://${request.headers.host}`;
    const path = request.url ?? '/';
    try {
      return await answer(options, reads, { request, origin, path });
    } catch (error) {
      return failure(500, 'The record cannot be read', messageOf(error));
    }
  };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly origin: string;
  /** With the query, as sent. */
  readonly path: string;
}

async function answer(options: ResponderOptions, reads: Semaphore, asked: Asked): Promise<Answer> {
  const { origin, path, request } = asked;
  if (/^\/(?:\?|$)/.test(path)) return listing(options, new URL(path, origin).searchParams);
  if (/^\/cdx(?:\?|$)/.test(path)) return cdx(options, new URL(path, origin));
  const [, format, page, mapped] = /^\/timemap\/(link|json)\/(?:(\d{1,9})\/)?(.*)$/.exec(path) ?? [];
  if (format !== undefined && mapped !== undefined)
    return timeMapOf(options, {
      origin,
      url: mapped,
      format: format as TimeMapFormat,
      page: Number(page ?? 1),
    });
  const [, gated] = /^\/(?:timegate\/)?(https?:\/\/.*)$/i.exec(path) ?? [];
  if (gated !== undefined) return gate(options, asked, gated);
  const [, timestamp, raw, reference] = /^\/(\d{4,17})(id_)?\/(.*)$/.exec(path) ?? [];
  if (timestamp === undefined || reference === undefined)
    return failure(404, 'Not found', `This server has no ${path}`);
  const release = await reads.acquire();
  try {
    const query = await queryOfBody(request);
    if (query === 'tooLarge') return failure(413, 'Too large', 'The body of the request is too large');
    const place = { origin, timestamp, reference, isDocument: isDocument(request), query };
    return raw === undefined ? await shown(options, place) : await unchanged(options, place);
  } finally {
    release?.();
  }
}

/**
 * Other websites that the user visits may send requests here, also under a name of theirs that leads to 127.0.0.1 (DNS
 * rebinding): only pages of this server, and the user, get an answer.
 */
function refuse({ method, headers, socket, url = '' }: IncomingMessage): Answer | undefined {
  const port = socket.localPort;
  if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`)
    return failure(421, 'Misdirected request', `Expected the address http://127.0.0.1:${port}/`);
  const isCapture = /^\/\d{4,17}(?:id_)?\//.test(url);
  if (method !== 'GET' && method !== 'HEAD' && !isCapture)
    return failure(405, 'Method not allowed', 'Only archived URLs answer other methods than GET');
  const site = headers['sec-fetch-site'];
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
  // A link that the user follows does no harm.
  if (isForeign && headers['sec-fetch-dest'] !== 'document')
    return failure(403, 'Forbidden', 'Another website requested this');
  return undefined;
}

/** A client that does not say what the response is for gets the safe answer. */
const isDocument = ({ headers }: IncomingMessage): boolean =>
  !['image', 'font', 'style', 'audio', 'video', 'track'].includes(String(headers['sec-fetch-dest']));

interface ShownAt {
  readonly origin: string;
  readonly timestamp: string;
  readonly reference: string;
  readonly isDocument: boolean;
  /** Key of a request with a body: only a response to an equal request answers it. */
  readonly query?: RequestQuery | undefined;
}

/** Returns the capture of the URL that is nearest to the time, and the requested URL. */
function captureAt(
  { index, nameOf }: ResponderOptions,
  reference: string,
  timestamp: string,
  query?: RequestQuery,
) {
  const asked = /^https?:\/\//i.test(reference) ? canonicalize(reference) : undefined;
  const route = routeIn(reference);
  const names =
    asked === undefined
      ? []
      : [urlAsWritten(reference) ?? asked, asked, nameOf(asked), ...(route === undefined ? [] : [route])];
  const capture = names.reduce(
    (found, name) => found ?? index.find(query ? keyedUrl(name, query) : name, timestamp),
    undefined as ReturnType<typeof index.find>,
  );
  return { capture, missing: () => notArchived(asked ?? reference) };
}

/** The route behind `#` that an encoded `#` begins. */
const routeIn = (reference: string): string | undefined =>
  canonicalRoute(reference.replace(/%23(?=(?:!|%21)?\/)/, '#'));

const notArchived = (url: string): Answer =>
  failure(404, 'Not in this archive', `The crawl has no response of ${url}`);

async function shown(
  options: ResponderOptions,
  { origin, timestamp, reference, isDocument, query }: ShownAt,
): Promise<Answer> {
  const { capture, missing } = captureAt(options, reference, timestamp, query);
  if (!capture) return missing();
  const { url } = capture;
  const rewrite = (target: string) => pathOf({ url: target, timestamp });
  const routeOf = (reference: string, base: string) =>
    knownRoute(reference, base, (route) => options.index.countOf(route) > 0);
  const shownAt = origin + pathOf({ url, timestamp });
  const [payload, isRendered] = await bestForm(options, capture);
  const { status, type, body, location } = replay(payload, {
    ...{ url, shownAt, rewrite, routeOf, isDocument, isRendered },
  });
  const moved: Record<string, string> = location === undefined ? {} : { location: rewrite(location) };
  const headers = { ...policyOf(origin), ...mementoHeaders(origin, capture), 'content-type': type, ...moved };
  return { status, headers, body };
}

/** Scripts do not run here: a page that they fill is shown as it was rendered, if the archive has that. */
async function bestForm(
  { renderedOf, payloadOf }: ResponderOptions,
  { url, mime, method, status = 200, file, offset, length }: ListedCapture,
): Promise<[payload: ArchivedPayload, isRendered: boolean]> {
  const mayBe = method === undefined && PAGES.has(mime ?? '');
  const body = mayBe ? await renderedOf({ url, file, offset, length }) : undefined;
  if (body === undefined) return [await payloadOf({ file, offset, length }), false];
  return [{ status, headers: [['content-type', HTML]], body }, true];
}

async function unchanged(
  options: ResponderOptions,
  { origin, timestamp, reference, query }: ShownAt,
): Promise<Answer> {
  const { capture, missing } = captureAt(options, reference, timestamp, query);
  if (!capture) return missing();
  const { url, file, offset, length } = capture;
  const leadTo = (target: string) => `${origin}/${timestamp}id_/${target}`;
  const { status, headers, body } = rawResponse(
    await options.payloadOf({ file, offset, length }),
    url,
    leadTo,
  );
  // A browser that shows it runs none of it. pywb passes on the fields of its browser, so these do not identify the
  // client.
  const own = { ...COMMON, 'content-security-policy': "sandbox; default-src 'none'" };
  return { status, headers: { ...headers, ...own, ...mementoHeaders(origin, capture) }, body };
}

const mementoHeaders = (origin: string, capture: ListedCapture) => ({
  'memento-datetime': httpDate(capture.timestamp),
  link: linksOf(origin, capture),
});

/** A TimeGate that redirects (RFC 7089 section 4.1.1). */
function gate(options: ResponderOptions, { request, origin }: Asked, reference: string): Answer {
  const given = request.headers['accept-datetime'];
  const timestamp = given === undefined ? NEWEST : acceptedTime(String(given));
  if (timestamp === undefined)
    return failure(400, 'Bad request', `Expected Accept-Datetime to be a date such as ${httpDate('2026')}`);
  const { capture, missing } = captureAt(options, reference, timestamp);
  if (!capture) return missing();
  const location = pathOf(capture);
  const headers = { location, link: linksOf(origin, capture), vary: 'accept-datetime' };
  return { status: 302, headers: { ...DATA, ...headers, 'content-type': TEXT }, body: Buffer.from(location) };
}

function timeMapOf({ index, nameOf }: ResponderOptions, { url: reference, ...asked }: TimeMapQuery): Answer {
  const given = /^https?:\/\//i.test(reference) ? canonicalize(reference) : undefined;
  if (given === undefined) return notArchived(reference);
  const route = routeIn(reference);
  const url = [given, ...(route ? [route] : [])].find((one) => index.countOf(one) > 0) ?? nameOf(given);
  const found = timeMap(index, { ...asked, url });
  if (!found) return notArchived(asked.page > 1 ? `${url} on page ${asked.page}` : url);
  return { status: 200, headers: { ...DATA, 'content-type': found.type }, body: Buffer.from(found.text) };
}

function cdx({ index }: ResponderOptions, asked: URL): Answer {
  const { status, type, text, resumeKey } = answerCdx(index, asked.searchParams);
  const headers: Record<string, string> = { ...DATA, 'content-type': type };
  if (resumeKey !== undefined) {
    asked.searchParams.set('resumeKey', resumeKey);
    headers['link'] = `<${asked.href}>; rel="next"`;
  }
  return { status, headers, body: Buffer.from(text) };
}

function listing({ crawl, index }: ResponderOptions, asked: URLSearchParams): Answer {
  const query = (asked.get('q') ?? '').slice(0, MAX_QUERY);
  const words = query.split(/\s+/).filter((word) => word !== '');
  const onlyPages = asked.get('all') !== '1';
  const number = /^\d{1,9}$/.test(asked.get('page') ?? '') ? Number(asked.get('page')) : 0;
  const rows = index.list({
    words: words.slice(0, MAX_WORDS),
    onlyPages,
    offset: number * ROWS,
    limit: ROWS + 1,
  });
  const html = indexPage({
    ...{ crawl, query, onlyPages, number, pathOf },
    total: index.size,
    rows: rows.slice(0, ROWS),
    hasMore: rows.length > ROWS,
  });
  return ownPage(200, html);
}

const failure = (status: number, title: string, text: string): Answer =>
  ownPage(status, errorPage(title, text));

function ownPage(status: number, html: string): Answer {
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";
  return {
    status,
    headers: { ...COMMON, 'content-type': HTML, 'content-security-policy': policy },
    body: Buffer.from(html),
  };
}

const COMMON = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
};

/** For responses that are not pages. */
const DATA = { ...COMMON, 'content-security-policy': "sandbox; default-src 'none'" };

/**
 * An archived page runs no script, sends no form, and loads only what this server has. `allow-same-origin` lets it load
 * its fonts; without scripts it gives nothing else.
 */
const policyOf = (origin: string) => ({
  ...COMMON,
  'content-security-policy': [
    'sandbox allow-same-origin allow-popups',
    "default-src 'none'",
    ...['img-src', 'font-src', 'media-src'].map((name) => `${name} ${origin} data:`),
    `style-src ${origin} 'unsafe-inline' data:`,
    `frame-src ${origin}`,
    "script-src 'none'",
    "object-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
});
