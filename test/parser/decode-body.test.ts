import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeBody } from '../../shared/parser/decode-body.ts';

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

test('gzip whose checksum is wrong is damaged, also if it can be decoded to its end', () => {
  const whole = zlib.gzipSync(HTML);
  const damaged = Buffer.from(whole);
  damaged[whole.length - 8]! ^= 1;
  const withMore = Buffer.concat([damaged, Buffer.from('\nWarning: a script')]);
  for (const body of [damaged, withMore])
    expect(() => decoded(body, 'gzip')).toThrow('The body cannot be decoded: gzip');
});

test('what follows the end of gzip is left out', () => {
  const body = Buffer.concat([zlib.gzipSync(HTML), Buffer.from('\nWarning: a script')]);
  expect(decoded(body, 'gzip')).toBe(HTML);
  expect(() => decoded(body, 'gzip', 5)).toThrow('more than 5 bytes');
  const damaged = zlib.gzipSync(HTML);
  damaged.fill(0xff, 10, 20);
  expect(() => decoded(damaged, 'gzip')).toThrow('The body cannot be decoded: gzip');
});
