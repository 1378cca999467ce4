import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createContentDecoder } from '../../../shared/core/parser/content-decoder.ts';
import { decodePart } from '../../../shared/core/parser/decode-body.ts';

const MAX = 4 * 1024 * 1024;

/** Decodes a body as the crawl does for its parser, and as exports and hooks do. */
async function both(body: Uint8Array, contentEncoding: string, step = body.length) {
  const pieces: Uint8Array[] = [];
  const decoder = createContentDecoder({
    contentEncoding,
    maxDecodedBytes: MAX,
    onData: (chunk) => pieces.push(Buffer.from(chunk)),
  });
  for (let at = 0; at < body.length; at += Math.max(1, step)) decoder.write(body.subarray(at, at + step));
  const { isWhole, isUndecoded, error } = await decoder.end();
  let sync: { text?: Buffer; fault?: string };
  try {
    const { bytes, ...said } = decodePart(body, contentEncoding, MAX);
    sync = { text: Buffer.from(bytes), ...said };
  } catch (thrown) {
    sync = { fault: (thrown as Error).message };
  }
  return { content: Buffer.concat(pieces), isWhole, isUndecoded, error, sync };
}

const lines = (count: number) =>
  Buffer.from(Array.from({ length: count }, (_, i) => `Disallow: /${(i * 7919) % 10007}/x\n`).join(''));
const TEXT = lines(400);
const LARGE = lines(200_000);
const JUNK = Buffer.from('<!-- from the cache -->');

const changed = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at < 0 ? copy.length + at : at]! ^= 0x55;
  return copy;
};
const FLUSH = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
const gzip = (content: Buffer) => zlib.gzipSync(content);
const zstdSum = (content: Buffer) =>
  zlib.zstdCompressSync(content, { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } });

/** Bodies whose content is all there, by what is wrong with them. */
const WHOLE: readonly (readonly [what: string, coding: string, make: (content: Buffer) => Buffer])[] = [
  ['a gzip whose sum is wrong', 'gzip', (c) => changed(gzip(c), -8)],
  ['a gzip whose length is wrong', 'x-gzip', (c) => changed(gzip(c), -1)],
  ['a gzip without its sum', 'gzip', (c) => gzip(c).subarray(0, -8)],
  ['a gzip with half of its sum', 'gzip', (c) => gzip(c).subarray(0, -3)],
  ['a gzip and zeros', 'gzip', (c) => Buffer.concat([gzip(c), Buffer.alloc(512)])],
  ['a gzip and junk', 'gzip', (c) => Buffer.concat([gzip(c), JUNK])],
  [
    'two gzip members and junk',
    'gzip',
    (c) => Buffer.concat([gzip(c.subarray(0, 99)), gzip(c.subarray(99)), JUNK]),
  ],
  [
    'two gzip members, both with a wrong sum',
    'gzip',
    (c) => Buffer.concat([changed(gzip(c.subarray(0, 99)), -8), changed(gzip(c.subarray(99)), -8)]),
  ],
  ['a gzip that was flushed and not closed', 'gzip', (c) => zlib.gzipSync(c, FLUSH)],
  ['deflate that was flushed and not closed', 'deflate', (c) => zlib.deflateRawSync(c, FLUSH)],
  ['zlib whose sum is wrong', 'deflate', (c) => changed(zlib.deflateSync(c), -1)],
  ['zlib without its sum', 'deflate', (c) => zlib.deflateSync(c).subarray(0, -4)],
  ['zlib and junk', 'deflate', (c) => Buffer.concat([zlib.deflateSync(c), JUNK])],
  ['deflate and junk', 'deflate', (c) => Buffer.concat([zlib.deflateRawSync(c), JUNK])],
  ['brotli and junk', 'br', (c) => Buffer.concat([zlib.brotliCompressSync(c), JUNK])],
  ['zstd and junk', 'zstd', (c) => Buffer.concat([zlib.zstdCompressSync(c), JUNK])],
  [
    'two frames of zstd',
    'zstd',
    (c) => Buffer.concat([zlib.zstdCompressSync(c.subarray(0, 99)), zstdSum(c.subarray(99))]),
  ],
  ['gzip, and a name that is no coding', 'utf-8, gzip', gzip],
  ['gzip, and the framing of a store', 'gzip, aws-chunked', gzip],
  ['a text that is in no coding', 'gzip', (c) => c],
  ['a text that is in no coding', 'deflate', (c) => c],
  ['a text that is in no coding', 'zstd, br', (c) => c],
  ['a text in UTF-16', 'br', (c) => Buffer.concat([Buffer.from([0xff, 0xfe]), c])],
  ['a text with letters beyond ASCII', 'br', (c) => Buffer.concat([Buffer.from('Übung\n'), c])],
];

describe('a body whose content is all there is whole, as for browsers', () => {
  const sizes = [
    ['small', TEXT],
    ['large', LARGE],
  ] as const;
  test.each(
    WHOLE.flatMap(([what, coding, make]) =>
      sizes.map(([size, content]) => [what, coding, size, make, content] as const),
    ),
  )('%s (%s), %s', async (_what, coding, _size, make, content) => {
    const body = make(content);
    const { sync, ...found } = await both(body, coding, 4096);
    const isAsItIs = body.length >= content.length && body.includes(content.subarray(0, 50));
    const wanted = isAsItIs ? body : content;
    expect({ ...found, content: found.content.equals(wanted) }).toMatchObject({
      content: true,
      isWhole: true,
      isUndecoded: false,
    });
    expect([sync.fault, sync.text?.equals(wanted)]).toEqual([undefined, true]);
  });
});

test('a body that was flushed and not closed is so by its error: its transfer may have broken off', async () => {
  for (const content of [TEXT, LARGE])
    expect(await both(zlib.gzipSync(content, FLUSH), 'gzip')).toMatchObject({
      isWhole: true,
      error: 'gzip: it was not closed',
    });
});

/** Bodies of whose content nothing can be read. */
const NOTHING: readonly (readonly [coding: string, body: Buffer])[] = [
  ['deflate', gzip(TEXT)],
  ['gzip', zlib.brotliCompressSync(TEXT)],
  ['gzip', zlib.zstdCompressSync(TEXT)],
  ['br', gzip(TEXT)],
  ['zstd', gzip(TEXT)],
  ['compress', Buffer.concat([Buffer.from([0x1f, 0x9d, 0x90]), gzip(TEXT)])],
  ['bzip2', Buffer.concat([Buffer.from('BZh9'), gzip(TEXT)])],
  ['gzip, gzip', gzip(zlib.brotliCompressSync(TEXT))],
  ['gzip, gzip, gzip, gzip', gzip(TEXT)],
  ['gzip', Buffer.concat([Buffer.from([0x1f, 0x8b, 9]), gzip(TEXT).subarray(3)])],
  ['gzip', gzip(TEXT).subarray(0, 10)],
  ['gzip', gzip(TEXT).subarray(0, 5)],
];

test.each(NOTHING)('nothing is read of a body that is not in %s as declared', async (coding, body) => {
  const { sync, ...found } = await both(body, coding);
  expect(found).toMatchObject({ isWhole: false, isUndecoded: true, error: expect.any(String) });
  expect(sync).toEqual({ fault: expect.stringMatching(/^The body cannot be decoded: /) });
});

const CODERS = [
  ['gzip', gzip],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
] as const;

describe('what is there of a broken body is read, and not called whole', () => {
  test.each(CODERS)('%s that was cut', async (coding, encode) => {
    for (const content of [TEXT, LARGE]) {
      const body = encode(content);
      const { sync, ...found } = await both(body.subarray(0, body.length * 0.7), coding, 4096);
      expect(found).toMatchObject({ isWhole: false, isUndecoded: false, error: expect.any(String) });
      expect(found.content.length).toBeGreaterThan(content.length / 40);
      expect(content.indexOf(found.content)).toBe(0);
      expect([sync.fault, sync.text?.equals(found.content)]).toEqual([expect.any(String), true]);
    }
  });

  test('gzip that is damaged in its second member', async () => {
    const noise = Buffer.from(Array.from({ length: 9000 }, (_, i) => (i * i * 31) >> 3));
    const stored = zlib.gzipSync(noise, { level: 0 });
    // The length of the stored block, and its complement.
    stored.fill(0x55, 11, 15);
    const { sync, ...found } = await both(Buffer.concat([gzip(TEXT), stored]), 'gzip');
    expect(found).toMatchObject({ content: TEXT, isWhole: false, isUndecoded: false });
    expect(sync).toEqual({ text: TEXT, fault: found.error });
  });

  // Damaged data may seem to end early.
  test.each([
    ['gzip', changed(gzip(TEXT), -5)],
    ['deflate', changed(zlib.deflateSync(TEXT), -1)],
  ])('%s with a wrong sum and further bytes', async (coding, body) => {
    for (const more of [JUNK, Buffer.from('}')]) {
      const { sync, ...found } = await both(Buffer.concat([body, more]), coding);
      const error = `${coding}: incorrect data check`;
      expect(found).toMatchObject({ content: TEXT, isWhole: false, isUndecoded: false, error });
      expect(sync).toEqual({ text: TEXT, fault: error });
    }
  });

  test('any damage gives both readers the same', async () => {
    const coders = fc.constantFrom(...CODERS, ['zstd', zstdSum] as const);
    await fc.assert(
      fc.asyncProperty(
        coders,
        fc.nat(5000),
        fc.nat(5000),
        fc.nat(255),
        fc.integer({ min: 1, max: 5000 }),
        async ([coding, encode], cut, at, byte, step) => {
          const body = Buffer.from(encode(TEXT));
          body[at % body.length] = byte;
          const given = body.subarray(0, Math.max(1, body.length - (cut % body.length)));
          const { sync, ...found } = await both(given, coding, step);
          expect(sync.text?.toString('latin1') ?? '').toBe(
            found.isUndecoded ? '' : found.content.toString('latin1'),
          );
          expect(sync.fault === undefined).toBe(found.isWhole);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('a body of very many members is read up to a limit', async () => {
    const body = Buffer.concat([...Array.from({ length: 20_000 }, () => gzip(Buffer.from('x'))), JUNK]);
    const { sync, ...found } = await both(body, 'gzip');
    expect(found).toMatchObject({ isWhole: false, error: 'gzip: too many members' });
    expect(sync.fault).toBe('gzip: too many members');
    expect(found.content.length).toBeGreaterThan(1000);
  });
});
