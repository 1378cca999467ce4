/**
 * The key of a request that has a body: the body becomes a query, `__wb_method=POST&q=x`, so that an index
 * distinguishes such requests to one URL. As pywb and cdxj-indexer (`-p`) make it of POST and PUT
 * (https://specs.webrecorder.net/request-body-canonicalization/latest/).
 */
import { decodeUtf8, jsonQuery } from './json-query.ts';

export interface RequestQuery {
  /** In upper case. */
  readonly method: string;
  /** The body as a query. */
  readonly query: string;
}

/** The beginning of a longer query counts. */
const MAX_QUERY_CHARS = 4096;
/** Bytes of a body without a Content-Length that count. */
const UNKNOWN_LENGTH = 8192;

/** `block`: the request's head, and its body as far as it is there. Undefined for GET and HEAD, and for no request. */
export function requestQuery(block: Uint8Array): RequestQuery | undefined {
  // Nearly all requests are: no text is made of them.
  if (isGet(block)) return undefined;
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  const method = /^[A-Za-z]{1,20}(?= )/.exec(bytes.toString('latin1', 0, 21))?.[0].toUpperCase();
  if (method === undefined || method === 'GET' || method === 'HEAD') return undefined;
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
  const type = fieldOf(head, 'content-type') ?? '';
  const length = fieldOf(head, 'content-length');
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return { method, query: '' };
  const from = end < 0 ? bytes.length : end + 4;
  const body = bytes.subarray(from, from + Number(length ?? UNKNOWN_LENGTH));
  // cdxj-indexer looks at POST and PUT alone: others have a query only if they have a body.
  const hasQuery = body.length > 0 || method === 'POST' || method === 'PUT';
  return { method, query: hasQuery ? cut(queryOf(type, body)) : '' };
}

const isGet = (block: Uint8Array): boolean =>
  block[0] === 0x47 && block[1] === 0x45 && block[2] === 0x54 && block[3] === 0x20;

/** The URL under which the request is kept. */
export const keyedUrl = (url: string, { method, query }: RequestQuery): string =>
  `${url}${url.includes('?') ? '&' : '?'}__wb_method=${method}${query === '' ? '' : `&${query}`}`;

/** A line is looked for and not a pattern of the name: names are few, and heads may be long. */
function fieldOf(head: string, name: string): string | undefined {
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    if (line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return undefined;
}

const cut = (query: string): string =>
  query.length <= MAX_QUERY_CHARS ? query : [...query].slice(0, MAX_QUERY_CHARS).join('');

function queryOf(type: string, body: Buffer): string {
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const text = decodeUtf8(body);
    return text === undefined ? binary(body) : unquoted(text);
  }
  if (type.startsWith('multipart/')) return formQuery(type, body) ?? binary(body);
  if (type.startsWith('application/json')) return jsonQuery(body) ?? '';
  if (type.startsWith('text/plain')) return jsonQuery(body) ?? binary(body);
  return binary(body);
}

const binary = (body: Buffer): string => `__wb_post_data=${body.toString('base64')}`;

/** `+` is a blank, escapes are UTF-8, and bytes that are neither become U+FFFD. */
const unquoted = (text: string): string =>
  text
    .replaceAll('+', ' ')
    .replace(/(?:%[\da-f]{2})+/gi, (escapes) =>
      Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
    );

/** As forms send it: everything but letters, digits and `_.-~` is encoded. */
const quoted = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('latin1')
    .replace(/[^A-Za-z\d_.~-]/g, (char) =>
      char === ' ' ? '+' : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );

/** The fields of a form (RFC 7578); undefined if it is none. */
function formQuery(type: string, body: Buffer): string | undefined {
  const boundary = /boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/.exec(type)?.slice(1).find(Boolean);
  if (boundary === undefined) return undefined;
  const mark = Buffer.from(`--${boundary}`, 'latin1');
  const pairs: string[] = [];
  let at = body.indexOf(mark);
  while (at >= 0) {
    const start = at + mark.length;
    if (body.toString('latin1', start, start + 2) === '--') return pairs.join('&');
    const next = body.indexOf(Buffer.concat([CRLF, mark]), start);
    if (next < 0) return undefined;
    const part = body.subarray(start + CRLF.length, next);
    const end = part.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const disposition = fieldOf(`\r\n${part.toString('utf8', 0, end)}`, 'content-disposition') ?? '';
    const value = part.subarray(end + 4);
    const name = parameter(disposition, NAME);
    // Without a file name it is a text.
    if (name === undefined || (!parameter(disposition, FILE_NAME) && decodeUtf8(value) === undefined))
      return undefined;
    pairs.push(`${quoted(Buffer.from(name))}=${quoted(value)}`);
    at = next + CRLF.length;
  }
  return undefined;
}

const CRLF = Buffer.from('\r\n');

const NAME = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/i;
const FILE_NAME = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/i;

function parameter(disposition: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(disposition);
  return found?.[1]?.replace(/\\(["\\])/g, '$1') ?? found?.[2];
}
