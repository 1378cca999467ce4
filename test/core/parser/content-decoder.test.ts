import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createContentDecoder } from '../../../shared/core/parser/content-decoder.ts';

const MIB = 1024 * 1024;

async function decode(
  contentEncoding: string | undefined,
  body: Uint8Array,
  options: { max?: number; step?: number } = {},
) {
  const { max = 32 * MIB, step = 16_384 } = options;
  const pieces: Uint8Array[] = [];
  let length = 0;
  const decoder = createContentDecoder({
    contentEncoding,
    maxDecodedBytes: max,
    onData(chunk) {
      length += chunk.length;
      if (length <= MIB) pieces.push(Buffer.from(chunk));
    },
  });
  for (let at = 0; at < body.length; at += step) decoder.write(body.subarray(at, at + step));
  const outcome = await decoder.end();
  expect(length).toBe(outcome.decodedBytes);
  return { ...outcome, content: Buffer.concat(pieces) };
}

const encoders = [
  ['gzip', zlib.gzipSync],
  ['X-GZIP', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
  ['zstd', zlib.zstdCompressSync],
] as const;

/** Text that does not compress well, so that large bodies stay large. */
function text(bytes: number): Buffer {
  let state = 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return 0x20 + (state % 90);
  };
  return Buffer.from(Array.from({ length: bytes }, next));
}
const small = text(20_000);
const large = text(900_000);

describe('createContentDecoder', () => {
  test.each(encoders)('decodes %s, small or large', async (coding, encode) => {
    for (const content of [Buffer.from('x'), small, large]) {
      const decoded = await decode(coding, encode(content));
      expect(decoded).toMatchObject({ decodedBytes: content.length, isWhole: true, error: undefined });
      expect(decoded.content.equals(content)).toBe(true);
    }
  });

  test.each(encoders)('gives what a cut %s body holds', async (coding, encode) => {
    // zstd has nothing to give before its first block, of up to 128 KiB, is whole.
    for (const content of coding === 'zstd' ? [large] : [small, large]) {
      const body = encode(content);
      const { content: prefix, isWhole } = await decode(coding, body.subarray(0, body.length * 0.7));
      expect(isWhole).toBe(false);
      expect(prefix.length).toBeGreaterThan(content.length / 3);
      expect(content.subarray(0, prefix.length).equals(prefix)).toBe(true);
    }
  });

  test.each(encoders)('passes on a text that is not in %s as declared', async (coding) => {
    for (const content of [small, large]) {
      const decoded = await decode(coding, content);
      expect(decoded).toMatchObject({ isWhole: true, error: expect.stringContaining('declared') });
      expect(decoded.content.equals(content)).toBe(true);
    }
  });

  test.each(encoders)('stops a bomb in %s at the limit', async (coding, encode) => {
    const bomb = encode(Buffer.alloc(64 * MIB));
    const decoded = await decode(coding, bomb, { max: MIB });
    expect(decoded).toMatchObject({
      decodedBytes: MIB,
      isWhole: false,
      error: expect.stringContaining('more than'),
    });
  });

  test('a gigabyte of zeros in several codings stops at the limit', async () => {
    const member = zlib.gzipSync(Buffer.alloc(32 * MIB));
    const bomb = zlib.gzipSync(Buffer.concat(Array.from({ length: 32 }, () => member)));
    expect(await decode('gzip, gzip', bomb, { max: MIB })).toMatchObject({
      decodedBytes: MIB,
      isWhole: false,
    });
  });

  test('codings are undone from the last to the first', async () => {
    const body = zlib.brotliCompressSync(zlib.gzipSync(small));
    expect(await decode('gzip, br', body)).toMatchObject({ content: small, isWhole: true });
  });

  test('a coding declared twice and applied once is undone once', async () => {
    expect(await decode('gzip, gzip', zlib.gzipSync(small))).toMatchObject({ content: small, isWhole: true });
  });

  test('a body takes nothing from the one before it in the same buffer', async () => {
    const first = zlib.gzipSync(text(90_000));
    await decode('gzip', first);
    const broken = Buffer.from(first);
    // The first block has a type that there is not (RFC 1951, section 3.2.3).
    broken[10] = 0xff;
    expect((await decode('gzip', broken)).isWhole).toBe(false);
    expect(await decode('gzip', zlib.gzipSync(small))).toMatchObject({ content: small, isWhole: true });
    const empty = await decode('gzip', zlib.gzipSync(''));
    expect(empty).toMatchObject({ decodedBytes: 0, isWhole: true, error: undefined });
  });

  test.each([1, 1024 * 1024 - 1, 1024 * 1024, 1024 * 1024 + 1])(
    'decodes %i bytes of content',
    async (size) => {
      const zeros = zlib.gzipSync(Buffer.alloc(size));
      expect(await decode('gzip', zeros, { max: size })).toMatchObject({ decodedBytes: size, isWhole: true });
      if (size === 1) return;
      expect(await decode('gzip', zeros, { max: size - 1 })).toMatchObject({
        decodedBytes: size - 1,
        isTooLarge: true,
      });
    },
  );

  test('a false size at the end of gzip changes nothing but what the checks say', async () => {
    const body = zlib.gzipSync(small);
    for (const size of [0, 19_999, 20_001, 0xffffffff]) {
      const wrong = Buffer.from(body);
      wrong.writeUInt32LE(size, body.length - 4);
      const { content } = await decode('gzip', wrong);
      expect(content.equals(small)).toBe(true);
    }
  });

  test.each(['utf-8', 'compress', 'gzip, gzip, gzip, gzip'])(
    'a text that declares %s is that text',
    async (coding) => {
      const { content, ...said } = await decode(coding, small);
      expect(content.equals(small)).toBe(true);
      expect(said).toMatchObject({
        isWhole: true,
        isUndecoded: false,
        error: `Content-Encoding: ${coding}`,
      });
    },
  );

  test.each([undefined, '', 'identity'])(
    'without a coding (%s) passes each piece on at once',
    async (coding) => {
      const seen: Uint8Array[] = [];
      const decoder = createContentDecoder({
        contentEncoding: coding,
        maxDecodedBytes: 25,
        onData: (c) => seen.push(c),
      });
      const piece = small.subarray(0, 10);
      for (let n = 1; n <= 2; n++) {
        decoder.write(piece);
        expect(seen).toEqual(Array.from({ length: n }, () => piece));
      }
      decoder.write(piece);
      expect(await decoder.end()).toMatchObject({ decodedBytes: 25, isWhole: false });
    },
  );

  test('an empty body is whole in any coding', async () => {
    expect(await decode('gzip, br', Buffer.alloc(0))).toMatchObject({ decodedBytes: 0, isWhole: true });
  });

  test('several gzip members are one content', async () => {
    const body = Buffer.concat([zlib.gzipSync(small), zlib.gzipSync('end')]);
    expect((await decode('gzip', body)).content.toString()).toBe(`${small}end`);
  });

  test('no bytes make it throw, reject or exceed its limit', async () => {
    const names = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'gzip, br', 'deflate, deflate');
    await fc.assert(
      fc.asyncProperty(
        names,
        fc.nat(5),
        fc.uint8Array({ maxLength: 300 }),
        fc.integer({ min: 1, max: 50 }),
        async (coding, kind, noise, step) => {
          const body = Buffer.concat([encoders[kind]![1](small).subarray(0, 200), noise]);
          const { decodedBytes } = await decode(coding, body, { step, max: 500 });
          expect(decodedBytes).toBeLessThanOrEqual(500);
        },
      ),
      { numRuns: 50 },
    );
  });
});
