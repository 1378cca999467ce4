/** The answers of the server that shows an archive. */
import type { IncomingMessage } from 'node:http';
import type { RecordLocation } from '../../../shared/archive/record-location.ts';
import type { CaptureIndex, ListedCapture } from '../../../shared/engines/local/archive/capture-index.ts';
import { messageOf } from '../../../shared/error-message.ts';
import { Semaphore } from '../../../shared/semaphore.ts';
import { canonicalize } from '../../../shared/url/canonical.ts';
import type { ArchivedPayload } from '../../exports/archived-payloads.ts';
import { errorPage, indexPage } from './pages.ts';
import { replay } from './replay.ts';

export interface ResponderOptions {
  readonly crawl: string;
  readonly index: CaptureIndex;
  readonly payloadOf: (location: RecordLocation) => Promise<ArchivedPayload>;
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

export const pathOf = ({ url, timestamp }: Pick<ListedCapture, 'url' | 'timestamp'>): string =>
  `/${timestamp}/${url}`;

/** Never rejects: what fails is an answer. */
export function createResponder(options: ResponderOptions): (request: IncomingMessage) => Promise<Answer> {
  const reads = new Semaphore(MAX_READS);
  return async (request) => {
    const refusal = refuse(request);
    if (refusal) return refusal;
    const origin = `http://${request.headers.host}`;
    const path = request.url ?? '/';
    try {
      if (/^\/(?:\?|$)/.test(path)) return listing(options, new URL(path, origin).searchParams);
      const [, timestamp, reference] = /^\/(\d{4,17})\/(.*)$/.exec(path) ?? [];
      if (timestamp === undefined || reference === undefined)
        return failure(404, 'Not found', `This server has no ${path}`);
      const release = await reads.acquire();
      try {
        return await shown(options, { origin, timestamp, reference, isDocument: isDocument(request) });
      } finally {
        release?.();
      }
    } catch (error) {
      return failure(500, 'The record cannot be read', messageOf(error));
    }
  };
}

/**
 * Other websites that the user visits may send requests here, also under a name of theirs that leads to 127.0.0.1 (DNS
 * rebinding): only pages of this server, and the user, get an answer.
 */
function refuse({ method, headers, socket }: IncomingMessage): Answer | undefined {
  const port = socket.localPort;
  if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`)
    return failure(421, 'Misdirected request', `Expected the address http://127.0.0.1:${port}/`);
  if (method !== 'GET' && method !== 'HEAD')
    return failure(405, 'Method not allowed', 'An archive only answers GET');
  const site = headers['sec-fetch-site'];
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
  // A link that the user follows is no harm.
  if (isForeign && headers['sec-fetch-dest'] !== 'document')
    return failure(403, 'Forbidden', 'Another website asked for this');
  return undefined;
}

/** A client that does not say what the response is for gets the safe answer. */
const isDocument = ({ headers }: IncomingMessage): boolean =>
  !['image', 'font', 'style', 'audio', 'video', 'track'].includes(String(headers['sec-fetch-dest']));

interface Asked {
  readonly origin: string;
  readonly timestamp: string;
  readonly reference: string;
  readonly isDocument: boolean;
}

async function shown(
  { index, payloadOf, nameOf }: ResponderOptions,
  { origin, timestamp, reference, isDocument }: Asked,
): Promise<Answer> {
  const asked = /^https?:\/\//i.test(reference) ? canonicalize(reference) : undefined;
  const capture = asked && (index.find(asked, timestamp) ?? index.find(nameOf(asked), timestamp));
  if (!capture)
    return failure(404, 'Not in this archive', `The crawl has no response of ${asked ?? reference}`);
  const { url, file, offset, length } = capture;
  const rewrite = (target: string) => pathOf({ url: target, timestamp });
  const shownAt = origin + pathOf({ url, timestamp });
  const payload = await payloadOf({ file, offset, length });
  const { status, type, body, location } = replay(payload, { url, shownAt, rewrite, isDocument });
  const moved: Record<string, string> = location === undefined ? {} : { location: rewrite(location) };
  return { status, headers: { ...policyOf(origin), 'content-type': type, ...moved }, body };
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
