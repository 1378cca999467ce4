import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ahead } from '../../../../shared/engines/aws/archive/compact-ahead.ts';
import { inFullBatches } from '../../../../shared/engines/aws/archive/compact-candidates.ts';
import {
  indexName,
  isSourceName,
  partsOf,
  planJoin,
} from '../../../../shared/engines/aws/archive/compact-layout.ts';

const MIB = 1024 * 1024;

const sourceLists = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 9 * MIB }), fc.integer({ min: 1, max: 3 * 1024 * MIB })), {
    minLength: 1,
    maxLength: 40,
  })
  .map((sizes) =>
    sizes.map((bytes, i) => ({ file: `p-20260102030405-abc0123456-${10_000 + i}.warc.gz`, bytes })),
  );

describe('the layout of a joined file', () => {
  test('holds each source once and whole, one after the other', () => {
    fc.assert(
      fc.property(sourceLists, (sources) => {
        const plan = planJoin(sources);
        let end = 0;
        for (const { offset, bytes } of plan.sources) {
          expect(offset).toBe(end);
          end += bytes;
        }
        expect(plan.bytes).toBe(end);
        const placed = plan.sources.map(({ file, bytes }) => ({ file, bytes }));
        expect(placed.toSorted((a, b) => (a.file < b.file ? -1 : 1))).toEqual(sources);
      }),
    );
  });

  test('begins with its sources that S3 takes as parts, which have 5 MiB or more; the others are gathered', () => {
    const sizes = [5 * MIB - 1, 5 * MIB, 5 * MIB + 1, 1];
    const plan = planJoin(sizes.map((bytes, i) => ({ file: `f${i}`, bytes })));
    expect(plan.sources.map(({ file, offset }) => [file, offset])).toEqual([
      ['f1', 0],
      ['f2', 5 * MIB],
      ['f0', 10 * MIB + 1],
      ['f3', 15 * MIB],
    ]);
    const parts = partsOf(plan).map((part) =>
      'copied' in part ? part.copied.file : part.gathered.map(({ file }) => file),
    );
    expect(parts).toEqual(['f1', 'f2', ['f0', 'f3']]);
  });

  test('is made of parts that S3 takes, which are its bytes in order', () => {
    fc.assert(
      fc.property(sourceLists, (sources) => {
        const plan = planJoin(sources);
        const parts = partsOf(plan);
        const pieces = parts.flatMap((part) =>
          'copied' in part
            ? [{ file: part.copied.file, from: part.from, to: part.to }]
            : part.gathered.map(({ file, bytes }) => ({ file, from: 0, to: bytes })),
        );
        for (const { file, bytes } of plan.sources) {
          let at = 0;
          for (let piece = pieces[0]; piece?.file === file; piece = pieces[0]) {
            expect(piece.from).toBe(at);
            at = piece.to;
            pieces.shift();
          }
          expect(at).toBe(bytes);
        }
        expect(pieces).toEqual([]);
        const sizes = parts.map((part) =>
          'copied' in part ? part.to - part.from : part.gathered.reduce((sum, { bytes }) => sum + bytes, 0),
        );
        expect(Math.min(...sizes.slice(0, -1), Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(5 * MIB);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * MIB);
      }),
    );
  });

  test('has no more parts than S3 takes, even of the most and largest sources', () => {
    const sources = Array.from({ length: 5000 }, (_, i) => ({
      file: `f${i}`,
      bytes: (i % 2) * 2 ** 30 + 5 * MIB,
    }));
    expect(partsOf(planJoin(sources)).length).toBeLessThanOrEqual(10_000);
    const [part] = partsOf(planJoin([{ file: 'f', bytes: 5 * 2 ** 40 }]));
    expect('copied' in part! && part.to).toBeLessThanOrEqual(5 * 2 ** 30);
  });

  test('has a name by its sources, whatever their order, and no other sources give it', () => {
    fc.assert(
      fc.property(sourceLists, (sources) => {
        const plan = planJoin(sources);
        expect(plan.file).toMatch(/^joined-20260102030405-[0-9a-f]{20}\.warc\.gz$/);
        expect(planJoin(sources.toReversed())).toEqual(plan);
        expect(
          planJoin([...sources.slice(1), { ...sources[0]!, bytes: sources[0]!.bytes + 1 }]).file,
        ).not.toBe(plan.file);
        expect(isSourceName(plan.file)).toBe(false);
        expect(indexName(plan.file)).toBe(plan.file.replace('.warc.gz', '.cdxj'));
      }),
    );
  });

  test('has the time of its earliest source in its name, though larger ones come first', () => {
    const sourceOf = (time: string, bytes: number) => ({ file: `p-${time}-abc0123456-10000.warc.gz`, bytes });
    const small = sourceOf('20260102030405', 1);
    const large = sourceOf('20260102030406', 6 * MIB);
    const plan = planJoin([small, large]);
    expect(plan.sources.map(({ file }) => file)).toEqual([large.file, small.file]);
    expect(plan.file).toMatch(/^joined-20260102030405-/);
  });
});

test.each([
  ['strand-20260102030405-0abcdefghi-00000.warc.gz', true],
  ['my-crawl.1-20260102030405-0abcdefghi-123456.warc.gz', true],
  ['joined-20260102030405-0123456789abcdef0123.warc.gz', false],
  ['joined-20260102030405-0123456789abcdef0123.cdxj', false],
  ['mine.warc.gz', false],
  ['folder/strand-20260102030405-0abcdefghi-00000.warc.gz', false],
  ['strand-20260102030405-0abcdefghi-00000.warc', false],
])('whether %s is an object of the archive: %s', (file, expected) => {
  expect(isSourceName(file)).toBe(expected);
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function* streamOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

describe('what is joined', () => {
  const lumps = (sizes: number[], finished: boolean) =>
    all(
      inFullBatches(
        streamOf(sizes.map((bytes, i) => ({ file: `${i}`, bytes }))),
        { targetBytes: 10, maxSources: 5000 },
        finished,
      ),
    ).then((found) => found.map(({ bytes }) => bytes));

  test.each([
    ['too little', [3, 3, 3], [], [3, 3, 3]],
    ['enough', [3, 3, 3, 1], [3, 3, 3, 1], [3, 3, 3, 1]],
    ['more than enough', [9, 9, 1], [9, 9], [9, 9, 1]],
    ['a large one between small ones', [3, 10, 4, 2], [10], [10, 3, 4, 2]],
    ['nothing', [], [], []],
  ])('of %s', async (_, sizes, running, finished) => {
    expect(await lumps(sizes, false)).toEqual(running);
    expect(await lumps(sizes, true)).toEqual(finished);
  });

  test('5,000 small ones are enough', async () => {
    expect((await lumps(new Array(5001).fill(0), false)).length).toBe(5000);
  });
});

describe('jobs ahead', () => {
  test('return their results in order, a limited number at once', async () => {
    let running = 0;
    let most = 0;
    const job = async (ms: number) => {
      most = Math.max(most, ++running);
      for (let i = 0; i < ms; i++) await new Promise((resolve) => setImmediate(resolve));
      running--;
      return ms;
    };
    expect(await all(ahead([9, 1, 5, 0, 3, 7], 3, job))).toEqual([9, 1, 5, 0, 3, 7]);
    expect(most).toBe(3);
  });

  test('are waited for when one fails or the caller stops, and no more are begun', async () => {
    const ended: number[] = [];
    const job = async (i: number) => {
      for (let rounds = 0; rounds < i; rounds++) await new Promise((resolve) => setImmediate(resolve));
      if (i === 1) throw new Error('one fails');
      ended.push(i);
      return i;
    };
    await expect(all(ahead([0, 1, 5, 6, 7], 3, job))).rejects.toThrow('one fails');
    expect(ended).toEqual([0, 5, 6]);
    for await (const _ of ahead([2, 3, 4, 5], 2, job)) break;
    expect(ended).toEqual([0, 5, 6, 2, 3]);
  });

  test('may fail before an earlier one has ended: its error is thrown at its turn, and none is unhandled', async () => {
    const unseen: unknown[] = [];
    const note = (error: unknown) => void unseen.push(error);
    process.on('unhandledRejection', note);
    const { promise, resolve } = Promise.withResolvers<string>();
    const jobs = all(
      ahead(['slow', 'fails'], 2, async (name) => {
        if (name === 'fails') throw new Error('one fails');
        return promise;
      }),
    );
    for (let round = 0; round < 3; round++) await new Promise((done) => setImmediate(done));
    resolve('slow');
    await expect(jobs).rejects.toThrow('one fails');
    process.off('unhandledRejection', note);
    expect(unseen).toEqual([]);
  });
});
