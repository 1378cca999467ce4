import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

/** A way of sending a body that is no strict HTTP, or rarely met. The connection is closed behind it unless it says `keeps`. */
export interface Habit {
  readonly name: string;
  /** The whole response, as Latin-1. */
  readonly send: (body: string) => string;
  readonly keeps?: true;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const TYPE = 'Content-Type: text/html; charset=utf-8\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const hex = (text: string) => text.length.toString(16);
const sized = (text: string) => `Content-Length: ${text.length}\r\n`;

const whole =
  (status: string, fields: (body: string) => string = sized, end = '\r\n') =>
  (body: string): string =>
    `${status}${TYPE}${fields(body)}${end}${body}`;
/** Two chunks and the last one. `size` has the end of its line. */
const chunks =
  (size: (hex: string) => string, end = '\r\n', last = `${size('0')}\r\n`, fields = CHUNKED) =>
  (body: string): string => {
    const parts = [body.slice(0, 25), body.slice(25)].map((part) => `${size(hex(part))}${part}${end}`);
    return `${OK}${TYPE}${fields}\r\n${parts.join('')}${last}`;
  };
const plain = (text: string) => `${text}\r\n`;
const coded =
  (
    coding: string,
    code: (body: Buffer) => Uint8Array,
    fields: (body: string, coded: string) => string,
    frame = (bytes: string) => bytes,
  ) =>
  (body: string): string => {
    const bytes = Buffer.from(code(Buffer.from(body, 'latin1'))).toString('latin1');
    return `${OK}${TYPE}Content-Encoding: ${coding}\r\n${fields(body, bytes)}\r\n${frame(bytes)}`;
  };

const transferCoded =
  (codings: string, code: (body: Buffer) => Uint8Array, frame = (bytes: string) => bytes) =>
  (body: string): string => {
    const bytes = Buffer.from(code(Buffer.from(body, 'latin1'))).toString('latin1');
    return `${OK}${TYPE}Transfer-Encoding: ${codings}\r\n\r\n${frame(bytes)}`;
  };
const inChunks = (bytes: string) => `${hex(bytes)}\r\n${bytes}\r\n0\r\n\r\n`;

/** The whole body of all of these is read at once: by Chromium (156), or by curl where that is more tolerant. */
export const HABITS: readonly Habit[] = [
  // ---- chunks
  { name: 'blanks behind sizes', send: chunks((size) => `${size.padEnd(6)}\r\n`) },
  { name: 'blanks behind sizes, kept', send: chunks((size) => `${size.padEnd(6)}\r\n`), keeps: true },
  { name: 'lines of chunks that end with LF', send: chunks((size) => `${size}\n`, '\n', '0\n\n') },
  { name: 'LF behind sizes alone', send: chunks((size) => `${size}\n`, '\r\n', '0\n\r\n') },
  { name: 'LF behind data alone', send: chunks(plain, '\n') },
  { name: 'sizes in capitals', send: chunks((size) => `${size.toUpperCase()}\r\n`), keeps: true },
  { name: 'sizes of eight digits', send: chunks((size) => `${size.padStart(8, '0')}\r\n`), keeps: true },
  { name: 'sizes of forty digits', send: chunks((size) => `${size.padStart(40, '0')}\r\n`), keeps: true },
  { name: 'a last chunk of several zeros', send: chunks(plain, '\r\n', '0000\r\n\r\n'), keeps: true },
  { name: 'an extension', send: chunks((size) => `${size};name=value\r\n`), keeps: true },
  { name: 'blanks before an extension', send: chunks((size) => `${size}  ; name = "a;b"\r\n`), keeps: true },
  { name: 'an extension without a name', send: chunks((size) => `${size};\r\n`) },
  { name: 'an extension with an open quote', send: chunks((size) => `${size};a="b\r\n`), keeps: true },
  { name: 'an extension with control characters', send: chunks((size) => `${size};a=\x01\x00\x7f\r\n`) },
  { name: 'an extension in Latin-1', send: chunks((size) => `${size};\xe9=\xff\r\n`), keeps: true },
  { name: 'extensions of 10 KB', send: chunks((size) => `${size};${'x'.repeat(10_000)}\r\n`) },
  { name: 'trailers', send: chunks(plain, '\r\n', '0\r\nX-A: b\r\nX-B: c\r\n\r\n'), keeps: true },
  { name: 'trailers with LF', send: chunks(plain, '\r\n', '0\nX-A: b\n\n') },
  {
    name: 'trailers that are no fields',
    send: chunks(plain, '\r\n', '0\r\nnonsense\r\n: x\r\n\r\n'),
    keeps: true,
  },
  {
    name: 'trailers that frame another body',
    send: chunks(plain, '\r\n', `0\r\nContent-Length: 3\r\n${CHUNKED}\r\n`),
    keeps: true,
  },
  {
    name: 'chunks of one byte',
    send: (body) =>
      `${OK}${TYPE}${CHUNKED}\r\n${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`,
    keeps: true,
  },
  { name: 'bytes behind the last chunk', send: chunks(plain, '\r\n', '0\r\n\r\nmore') },
  {
    name: 'chunks by HTTP/1.1 that says close',
    send: chunks(plain, '\r\n', '0\r\n\r\n', `${CHUNKED}Connection: close\r\n`),
  },
  { name: 'chunks, named twice', send: chunks(plain, '\r\n', '0\r\n\r\n', `${CHUNKED}${CHUNKED}`) },
  {
    name: 'chunks, named in capitals',
    send: chunks(plain, '\r\n', '0\r\n\r\n', 'TRANSFER-ENCODING: CHUNKED\r\n'),
    keeps: true,
  },
  {
    name: 'chunks and identity',
    send: chunks(plain, '\r\n', '0\r\n\r\n', 'Transfer-Encoding: identity, chunked\r\n'),
  },
  // ---- a length and a transfer coding
  {
    name: 'a length before chunks',
    send: chunks(plain, '\r\n', '0\r\n\r\n', `Content-Length: 57\r\n${CHUNKED}`),
  },
  {
    name: 'a length behind chunks, kept',
    send: chunks(plain, '\r\n', '0\r\n\r\n', `${CHUNKED}Content-Length: 9999\r\n`),
    keeps: true,
  },
  {
    name: 'two lengths and chunks',
    send: chunks(plain, '\r\n', '0\r\n\r\n', `Content-Length: 5\r\nContent-Length: 7\r\n${CHUNKED}`),
  },
  {
    name: 'a length, chunks and gzip',
    send: coded(
      'gzip',
      gzipSync,
      (body) => `${sized(body)}${CHUNKED}`,
      (bytes) => `${hex(bytes)}\r\n${bytes}\r\n0\r\n\r\n`,
    ),
  },
  {
    name: 'a length and `Transfer-Encoding: utf-8`',
    send: whole(OK, (body) => `Transfer-Encoding: utf-8\r\n${sized(body)}`),
  },
  {
    name: 'a length and `Transfer-Encoding: utf-8`, kept',
    send: whole(OK, (body) => `Transfer-Encoding: utf-8\r\n${sized(body)}`),
    keeps: true,
  },
  {
    name: 'a length and `Transfer-Encoding: identity`',
    send: whole(OK, (body) => `Transfer-Encoding: identity\r\n${sized(body)}`),
    keeps: true,
  },
  {
    name: 'a length and `Transfer-Encoding: binary`',
    send: whole(OK, (body) => `${sized(body)}Transfer-Encoding: binary\r\n`),
  },
  {
    name: 'a length and an empty Transfer-Encoding',
    send: whole(OK, (body) => `Transfer-Encoding:\r\n${sized(body)}`),
  },
  { name: '`Transfer-Encoding: utf-8` alone', send: whole(OK, () => 'Transfer-Encoding: utf-8\r\n') },
  // ---- transfer codings that curl undoes, and Chromium does not
  ...(
    [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ] as const
  ).map(([coding, code]) => ({
    name: `\`${coding}, chunked\` as transfer codings`,
    send: transferCoded(`${coding}, chunked`, code, inChunks),
  })),
  {
    name: '`x-gzip` and `chunked` as transfer codings in two fields',
    send: transferCoded('X-GZIP\r\nTransfer-Encoding: chunked', gzipSync, inChunks),
  },
  { name: '`gzip` as the only transfer coding', send: transferCoded('gzip', gzipSync) },
  {
    name: 'a transfer coding that the body does not have',
    send: transferCoded('gzip, chunked', (body) => body, inChunks),
  },
  // ---- content codings whose length is that of the content
  { name: 'gzip with the length of its content', send: coded('gzip', gzipSync, sized) },
  { name: 'deflate with the length of its content', send: coded('deflate', deflateSync, sized) },
  { name: 'raw deflate with the length of its content', send: coded('deflate', deflateRawSync, sized) },
  { name: 'br with the length of its content', send: coded('br', brotliCompressSync, sized) },
  { name: 'zstd with the length of its content', send: coded('zstd', zstdCompressSync, sized) },
  {
    name: 'gzip that ends before its sum',
    send: coded('gzip', gzipSync, sized, (bytes) => bytes.slice(0, -4)),
  },
  // ---- the status line
  { name: 'no reason', send: whole('HTTP/1.1 200\r\n'), keeps: true },
  { name: 'no reason, and a blank', send: whole('HTTP/1.1 200 \r\n'), keeps: true },
  { name: 'a reason in UTF-8', send: whole('HTTP/1.1 200 D\xc3\xa9j\xc3\xa0\r\n'), keeps: true },
  { name: 'a reason in Latin-1', send: whole('HTTP/1.1 200 D\xe9j\xe0\r\n'), keeps: true },
  { name: 'no blank behind the status', send: whole('HTTP/1.1 200OK\r\n'), keeps: true },
  { name: 'no status', send: whole('HTTP/1.1\r\n') },
  { name: 'a reason without a status', send: whole('HTTP/1.1 OK\r\n') },
  { name: 'several blanks', send: whole('HTTP/1.1   200   OK\r\n'), keeps: true },
  { name: 'small letters', send: whole('http/1.1 200 ok\r\n'), keeps: true },
  { name: 'HTTP/1.0 with a length', send: whole('HTTP/1.0 200 OK\r\n') },
  { name: 'HTTP/1.0 without a length', send: whole('HTTP/1.0 200 OK\r\n', () => '') },
  {
    name: 'HTTP/1.0 that keeps',
    send: whole('HTTP/1.0 200 OK\r\n', (body) => `${sized(body)}Connection: keep-alive\r\n`),
    keeps: true,
  },
  { name: 'HTTP/1.1 without a length', send: whole(OK, () => '') },
  { name: 'HTTP/2 in letters', send: whole('HTTP/2 200\r\n') },
  { name: 'no version', send: whole('HTTP 200 OK\r\n') },
  { name: 'a version with a hyphen', send: whole('HTTP-1.1 200 OK\r\n') },
  { name: 'another name', send: whole('HTTPS/1.1 200 OK\r\n') },
  { name: 'a BOM before the header', send: whole(`\xef\xbb\xbf${OK}`) },
  { name: 'four bytes before the header', send: whole(`junk${OK}`) },
  { name: 'empty lines before the header', send: whole(`\r\n\r\n${OK}`) },
  { name: '100 before the header', send: whole(`HTTP/1.1 100 Continue\r\n\r\n${OK}`), keeps: true },
  {
    name: 'fifty hints before the header',
    send: whole(`${'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'.repeat(50)}${OK}`),
    keeps: true,
  },
  // ---- fields
  { name: 'LF in the header', send: (body) => whole(OK)(body).replace(/\r\n/g, '\n') },
  { name: 'a folded field', send: whole(OK, (body) => `X-A: a\r\n\tb\r\n c\r\n${sized(body)}`), keeps: true },
  { name: 'a field without a name', send: whole(OK, (body) => `: a\r\n${sized(body)}`), keeps: true },
  { name: 'a field without a colon', send: whole(OK, (body) => `nonsense\r\n${sized(body)}`), keeps: true },
  { name: 'a blank before the colon', send: whole(OK, (body) => `X-A : b\r\n${sized(body)}`), keeps: true },
  { name: 'a name with blanks', send: whole(OK, (body) => `X A B: b\r\n${sized(body)}`), keeps: true },
  { name: 'a bare CR in a value', send: whole(OK, (body) => `X-A: a\rb\r\n${sized(body)}`), keeps: true },
  {
    name: 'control characters in a value',
    send: whole(OK, (body) => `X-A: a\x01\x1b\x7fb\r\n${sized(body)}`),
    keeps: true,
  },
  { name: 'two equal lengths', send: whole(OK, (body) => sized(body) + sized(body)), keeps: true },
  { name: 'a length that is no number', send: whole(OK, () => 'Content-Length: many\r\n') },
  { name: 'an empty length', send: whole(OK, () => 'Content-Length:\r\n') },
  { name: 'a length below zero', send: whole(OK, () => 'Content-Length: -1\r\n') },
  { name: 'bytes behind the body', send: (body) => `${whole(OK)(body)}more bytes` },
  {
    name: 'bytes behind the body of a closed connection',
    send: (body) => `${whole(OK, (text) => `Connection: close\r\n${sized(text)}`)(body)}<!-- more -->`,
  },
  { name: 'an empty line behind the body, kept', send: (body) => `${whole(OK)(body)}\r\n`, keeps: true },
  {
    name: 'a header of 100 KB',
    send: whole(OK, (body) => `X-A: ${'a'.repeat(100_000)}\r\n${sized(body)}`),
    keeps: true,
  },
];

/** The body breaks off at the same byte each time: a page all the same. */
export const BROKEN_HABITS: readonly Habit[] = [
  { name: 'a length that is too long', send: whole(OK, (body) => `Content-Length: ${body.length + 10}\r\n`) },
  { name: 'no last chunk', send: chunks(plain, '\r\n', '') },
  { name: 'a last chunk without its line end', send: chunks(plain, '\r\n', '0') },
  { name: 'a chunk that is too short', send: (body) => `${OK}${TYPE}${CHUNKED}\r\nffff\r\n${body}` },
];

/** No byte of the body can be read: no page, neither in browsers. */
export const UNREADABLE_HABITS: readonly Habit[] = [
  { name: 'chunks announced, and none sent', send: whole(OK, () => CHUNKED) },
  { name: 'a length and chunks announced, and none sent', send: whole(OK, (body) => CHUNKED + sized(body)) },
  { name: 'sizes with a prefix', send: chunks((size) => `0x${size}\r\n`) },
  {
    name: 'a size of seventy bits',
    send: (body) => `${OK}${TYPE}${CHUNKED}\r\n${'f'.repeat(18)}\r\n${body}`,
  },
  { name: 'a length, and nothing', send: () => `${OK}${TYPE}Content-Length: 100\r\n\r\n` },
];
