/** Makes replies: whole HTTP messages as bytes. */

import { asked, type Check, kept } from './checks.ts';
import type { Bytes, HostileCase, HostileRequest, Reply } from './hostile-case.ts';

export type Text = string | Buffer;
type Fields = readonly (readonly [name: string, value: string])[];

interface Message {
  readonly status?: string;
  readonly type?: string;
  /** Instead of those that the body needs: Content-Length and Content-Type. */
  readonly headers?: Fields;
  readonly body?: Text;
}

/** Text is Latin-1 in a head, so that any octet can be written, and UTF-8 in a body. */
export const bytesOf = (text: Text): Buffer => (typeof text === 'string' ? Buffer.from(text) : text);

/** A response with `Connection: close` and the right Content-Length. */
export function response({
  status = '200 OK',
  type = 'text/html; charset=utf-8',
  headers = [],
  body = '',
}: Message): Reply {
  const bytes = bytesOf(body);
  const fields: Fields = [
    ['Content-Type', type],
    ['Content-Length', String(bytes.length)],
    ['Connection', 'close'],
    ...headers,
  ];
  return { bytes: Buffer.concat([head(`HTTP/1.1 ${status}`, fields), bytes]) };
}

export function head(statusLine: string, fields: Fields): Buffer {
  const lines = [statusLine, ...fields.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.from(lines.join('\r\n'), 'latin1');
}

/** The octets as they are written: `raw('HTTP/1.1 200 OK\r\n...')`, Latin-1. */
export const raw = (text: Text, then: Reply['then'] = 'close'): Reply => ({
  bytes: typeof text === 'string' ? Buffer.from(text, 'latin1') : text,
  then,
});

/** Bytes that are made while they are sent. */
export const stream = (bytes: Bytes, then: Reply['then'] = 'close'): Reply => ({ bytes, then });

export const redirect = (location: string, status = '302 Found'): Reply =>
  response({ status, headers: [['Location', location]], body: 'moved' });

/** A page of HTML that links to `/first` before the hostile part and to `/last` after it. */
export function pageWith(hostile: Text, name = ''): Buffer {
  return Buffer.concat([
    Buffer.from(`<!doctype html><html><head><title>${name}</title></head><body><a href="/first">first</a>\n`),
    bytesOf(hostile),
    Buffer.from('\n<a href="/last">last</a></body></html>'),
  ]);
}

/** A small page with links. */
export const page = (text: string, links: readonly string[] = []): Reply =>
  response({
    body: `<!doctype html><title>${text}</title><p>${text}</p>${links.map((link) => `<a href="${link}">${link}</a>`).join('\n')}`,
  });

/**
 * A case whose `/` is a page with a hostile part. By default it must be kept, and the link before the part
 * followed.
 */
export function pageCase(
  name: string,
  hostile: (request: HostileRequest) => Text,
  checks: readonly Check[] = [kept(), asked('/first')],
  more: Partial<HostileCase> = {},
): HostileCase {
  return {
    name,
    checks,
    ...more,
    answer: (request) =>
      request.target === '/' ? response({ body: pageWith(hostile(request), name) }) : more.answer?.(request),
  };
}

/** A case whose `/` is answered by this, and any other path by default. */
export const replyCase = (
  name: string,
  checks: readonly Check[],
  reply: (request: HostileRequest) => Reply,
  more: Partial<HostileCase> = {},
): HostileCase => ({
  name,
  checks,
  ...more,
  answer: (request) => (request.target === '/' ? reply(request) : more.answer?.(request)),
});

/** `piece` repeated to about `bytes` bytes. */
export function repeated(piece: string, bytes: number): string {
  return piece.repeat(Math.ceil(bytes / piece.length));
}

/** The text of each index from 0 on, joined. */
export const listed = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('');

export const KB = 1024;
export const MB = 1024 * KB;
