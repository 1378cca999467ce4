/**
 * The bytes that answer a request for a resource. Pure: the same resource, attempt and time give the same
 * bytes.
 */
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { encode } from './charset.ts';
import { FILLER_MARK, html } from './html.ts';
import type { Coding, Fault, Resource } from './resource.ts';

export interface Asked {
  readonly method: string;
  /** 1 for the first request for this URL. */
  readonly attempt: number;
  /** The request's `Accept-Encoding`: a coding that it does not name is not used. */
  readonly acceptEncoding: string;
  readonly now: number;
}

export interface Answer {
  /** 0 where no status line is sent. */
  readonly status: number;
  readonly pieces: Iterable<Uint8Array>;
  /** The state of the connection afterwards. */
  readonly after: 'keep' | 'close' | 'reset' | 'hang';
  /** Time before which the URL must not be requested again. */
  readonly retryAt?: number;
}

/** The answer to a request for a URL without a resource. */
export const NOT_FOUND: Resource = { status: 404, identity: 'not found', references: [] };

const HEADER_FLOOD_BYTES = 4 * 2 ** 20;
const FILLER = Buffer.from(`<p>${'filler '.repeat(9_000)}</p>\n`);
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  403: 'Forbidden',
  404: 'Not Found',
  410: 'Gone',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export function render(resource: Resource, asked: Asked): Answer {
  const { flaky, fault } = resource;
  if (flaky !== undefined && asked.attempt <= flaky.times) {
    if (flaky.status === 0) return failing('closed');
    const seconds = flaky.retryAfter === 'seconds';
    // A date has whole seconds: one between one and two seconds ahead.
    const date = Math.ceil(asked.now / 1000) * 1000 + 1000;
    const retryAt = flaky.retryAfter === undefined ? undefined : seconds ? asked.now + 1000 : date;
    const value = seconds ? '1' : new Date(date).toUTCString();
    const more = retryAt === undefined ? [] : [`Retry-After: ${value}`];
    return { ...whole({ ...NOT_FOUND, status: flaky.status }, asked, more), retryAt };
  }
  return fault === undefined ? whole(resource, asked, []) : failing(fault);
}

function whole(resource: Resource, asked: Asked, more: readonly string[]): Answer {
  const { status, location, fillerBytes, framing = 'length' } = resource;
  const type = resource.contentType ?? 'text/html; charset=utf-8';
  const fields = [...more];
  if (type !== '') fields.push(`Content-Type: ${type}`);
  if (location !== undefined) fields.push(`Location: ${location}`);

  let body = bodyOf(resource);
  if (resource.coding !== undefined && accepts(asked.acceptEncoding, resource.coding)) {
    body = compress(body, resource.coding);
    fields.push(`Content-Encoding: ${resource.coding === 'deflate-raw' ? 'deflate' : resource.coding}`);
  }
  const hasBody = asked.method !== 'HEAD' && status !== 204;
  const filled = fillerBytes === undefined ? undefined : split(body);
  if (status === 204) fields.push('Server: test web');
  else if (framing === 'chunked') fields.push('Transfer-Encoding: chunked');
  else if (framing === 'close') fields.push('Connection: close');
  else
    fields.push(`Content-Length: ${filled ? body.length - FILLER_MARK.length + fillerBytes! : body.length}`);

  const head = Buffer.from(
    `HTTP/1.1 ${status} ${REASONS[status] ?? 'Other'}\r\n${fields.join('\r\n')}\r\n\r\n`,
    'latin1',
  );
  const after = framing === 'close' ? 'close' : 'keep';
  if (!hasBody) return { status, pieces: [head], after };
  if (framing === 'chunked') return { status, pieces: [Buffer.concat([head, chunked(body)])], after };
  if (filled === undefined) return { status, pieces: [Buffer.concat([head, body])], after };
  return { status, pieces: withFiller(head, filled, fillerBytes!), after };
}

function bodyOf(resource: Resource): Buffer {
  if (resource.body === undefined) return encode(html(resource), resource.charset);
  return Buffer.from(resource.body, resource.contentType?.startsWith('image/') ? 'latin1' : 'utf8');
}

/** Whether the request names the coding; a weight of 0 is not looked for, since no crawler sends one. */
function accepts(acceptEncoding: string, coding: Coding): boolean {
  const name = coding === 'deflate-raw' ? 'deflate' : coding;
  return acceptEncoding.split(',').some((part) => part.split(';')[0]!.trim().toLowerCase() === name);
}

function compress(body: Buffer, coding: Coding): Buffer {
  switch (coding) {
    case 'gzip':
      return gzipSync(body);
    case 'br':
      return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
    case 'zstd':
      return zstdCompressSync(body);
    case 'deflate':
      return deflateSync(body);
    case 'deflate-raw':
      return deflateRawSync(body);
  }
}

/**
 * In pieces of 1,000 bytes, so that most bodies have some; one with an extension (RFC 9112 section 7.1.1).
 */
function chunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += 1000) {
    const part = body.subarray(at, at + 1000);
    parts.push(
      Buffer.from(`${part.length.toString(16)}${at === 0 ? ';first' : ''}\r\n`),
      part,
      Buffer.from('\r\n'),
    );
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

function split(body: Buffer): readonly [Buffer, Buffer] {
  const at = body.indexOf(FILLER_MARK);
  return [body.subarray(0, at), body.subarray(at + FILLER_MARK.length)];
}

function* withFiller(
  head: Buffer,
  [start, end]: readonly [Buffer, Buffer],
  bytes: number,
): Iterable<Uint8Array> {
  yield Buffer.concat([head, start]);
  for (let left = bytes; left > 0; left -= FILLER.length)
    yield left < FILLER.length ? FILLER.subarray(0, left) : FILLER;
  yield end;
}

function failing(fault: Fault): Answer {
  switch (fault) {
    case 'closed':
      return { status: 0, pieces: [], after: 'close' };
    case 'reset':
      return { status: 0, pieces: [], after: 'reset' };
    case 'never':
      return { status: 0, pieces: [], after: 'hang' };
    case 'garbage':
      return { status: 0, pieces: [Buffer.from('SSH-2.0-OpenSSH_9.6\r\n\x00\x01\x02')], after: 'close' };
    case 'truncated': {
      const text =
        'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<p>The connection breaks off';
      return { status: 200, pieces: [Buffer.from(text)], after: 'close' };
    }
    case 'headerFlood':
      return { status: 200, pieces: flood(), after: 'close' };
  }
}

/** A head that continues for 4 MiB, far beyond what any client takes. */
function* flood(): Iterable<Uint8Array> {
  yield Buffer.from('HTTP/1.1 200 OK\r\n');
  for (let sent = 0, n = 0; sent < HEADER_FLOOD_BYTES; n++) {
    const piece = Buffer.from(`X-Flood-${n}: ${'flood '.repeat(2000)}\r\n`);
    sent += piece.length;
    yield piece;
  }
}
