import { randomBytes } from 'node:crypto';
import { deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { reusedDeflateRaw, reusedGzip } from '../../../shared/core/base/reused-deflate.ts';

const words = (count: number) =>
  Buffer.from(Array.from({ length: count }, (_, i) => `word ${i * i} `).join(''));

describe('a deflate engine that is used again', () => {
  const contents = [
    Buffer.alloc(0),
    Buffer.from('x'),
    words(50),
    randomBytes(70_000),
    words(20_000),
    // More than the engine's output takes, compressed or not: Node's function does it.
    randomBytes(299_000),
    randomBytes(400_000),
    words(100_000),
    words(50),
  ];

  it('gives what a new engine gives, whatever was compressed before', () => {
    const [deflate, gzip] = [reusedDeflateRaw(6), reusedGzip(4)];
    for (const content of [...contents, ...contents.toReversed()]) {
      expect(deflate([content])).toEqual(deflateRawSync(content, { level: 6 }));
      expect(gzip([content])).toEqual(gzipSync(content, { level: 4 }));
    }
  });

  it('keeps its results apart', () => {
    const gzip = reusedGzip(4);
    const made = contents.map((content) => gzip([content]));
    for (const [i, content] of contents.entries()) expect(gunzipSync(made[i]!)).toEqual(content);
  });

  it('joins pieces, empty ones too', () => {
    const [deflate, gzip] = [reusedDeflateRaw(1), reusedGzip(4)];
    const nothing = Buffer.alloc(0);
    for (const content of contents)
      for (const pieces of [
        [content, nothing],
        [nothing, content],
        [words(30), nothing, content, words(3)],
      ] as [Buffer, ...Buffer[]][]) {
        const whole = Buffer.concat(pieces);
        expect(inflateRawSync(deflate(pieces))).toEqual(whole);
        expect(gunzipSync(gzip(pieces))).toEqual(whole);
      }
  });
});
