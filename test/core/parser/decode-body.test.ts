import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeBody } from '../../../shared/core/parser/decode-body.ts';

const HTML = '<title>T</title><p>A page.</p>';
const decoded = (body: string | Uint8Array, coding: string, maxBytes = 1000) =>
  Buffer.from(decodeBody(Buffer.from(body as Uint8Array), coding, maxBytes)).toString();

test.each(['utf-8', 'none', 'text/html', 'binary, utf-8', 'gzip, gzip, gzip, gzip'])(
  'a text is itself where the server says Content-Encoding: %s',
  (coding) => {
    expect(decoded(HTML, coding)).toBe(HTML);
    expect(() => decoded(HTML, coding, 5)).toThrow('The body has more than 5 bytes when decoded');
  },
);

test('bytes in a coding that is not known are nothing', () => {
  expect(() => decoded(zlib.gzipSync(HTML), 'compress')).toThrow(
    'The body cannot be decoded: Content-Encoding: compress',
  );
});

test('the last coding is undone first', () => {
  expect(decoded(zlib.gzipSync(zlib.brotliCompressSync(HTML)), 'br, GZIP')).toBe(HTML);
});

test('a content of more than the limit is nothing', () => {
  const body = Buffer.concat([zlib.gzipSync(HTML), Buffer.from('\nWarning: a script')]);
  expect(() => decoded(body, 'gzip', 5)).toThrow('more than 5 bytes');
  expect(() => decoded(zlib.gzipSync(HTML).subarray(0, -9), 'gzip', 5)).toThrow('more than 5 bytes');
});
