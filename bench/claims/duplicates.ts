/**
 * The time and memory that it takes to find the clusters of a million pages that are nearly the same, by their sketches, and the time
 * to compare two texts word by word. A tenth of the pages are copies of another page, with four of 64 bins changed.
 *
 *     npm run bench -- duplicates
 */
import { alikeClusters } from '../../shared/core/alike/alike-clusters.ts';
import type { OwnText } from '../../shared/core/alike/own-text.ts';
import { sharedText } from '../../shared/core/alike/shared-text.ts';
import { SKETCH_BYTES, similarity } from '../../shared/core/recrawl/text-sketch.ts';
import { cpuMsOf } from '../harness/cpu-time.ts';
import type { Measured } from '../harness/record.ts';

const PAGES = 1_000_000;
const ONE_OF = 10;
const CHANGED_BINS = 4;
const COMPARISONS = 10_000;
const WORDS_OF_BLOCK = 18;

export async function measure(): Promise<Measured> {
  const { sketches, copies } = madeSketches();
  const sketchAt = (at: number) => sketches.subarray(at * SKETCH_BYTES, (at + 1) * SKETCH_BYTES);
  const byTheirSketches = (a: number, b: number) => {
    const value = similarity(sketchAt(a), sketchAt(b));
    return value >= 0.8 ? value : 0;
  };
  const before = process.memoryUsage().rss;
  let clusters: ReturnType<typeof alikeClusters> = [];
  const begun = process.hrtime.bigint();
  const cpuMs = await cpuMsOf(async () => {
    clusters = alikeClusters(sketches, byTheirSketches);
  });
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  const found = clusters.reduce((sum, { others }) => sum + others.length, 0);
  return {
    figures: {
      cpuSeconds: { value: cpuMs / 1000, unit: 's of CPU for a million pages' },
      seconds: { value: seconds, unit: 's' },
      foundShare: { value: found / copies, unit: 'of the copies found' },
      comparison: { value: await comparisonUs(), unit: 'µs of CPU to compare two texts of 700 words' },
      megabytes: { value: (process.memoryUsage().rss - before) / 1e6, unit: 'MB of memory more' },
    },
    detail: `${copies} copies, ${clusters.length} clusters`,
  };
}

/** Texts of 40 blocks, of which a third have another word. */
async function comparisonUs(): Promise<number> {
  const textOf = (name: number): OwnText => {
    const words = Uint16Array.from({ length: 40 * WORDS_OF_BLOCK }, (_, at) =>
      at % (3 * WORDS_OF_BLOCK) === 5 ? name : (at * 40_503) & 0xffff,
    );
    const ends = Uint32Array.from({ length: 40 }, (_, n) => (n + 1) * WORDS_OF_BLOCK);
    return { words, ends, blocks: Int32Array.from(ends, (_, n) => (n % 3 === 0 ? n + 1000 * name : n)) };
  };
  const [a, b] = [textOf(1), textOf(2)];
  let sum = 0;
  const ms = await cpuMsOf(async () => {
    for (let n = 0; n < COMPARISONS; n++) sum += sharedText(a, b);
  });
  if (sum < 0.8 * COMPARISONS) throw new Error(`Expected texts that are alike, got ${sum / COMPARISONS}`);
  return (ms * 1000) / COMPARISONS;
}

/** Numbers that are the same each time (xorshift32). */
function madeSketches(): { sketches: Uint8Array; copies: number } {
  const sketches = new Uint8Array(PAGES * SKETCH_BYTES);
  let state = 123_456_789;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  for (let page = 0; page < PAGES; page++) {
    const at = page * SKETCH_BYTES;
    if (page % ONE_OF !== ONE_OF - 1)
      for (let n = 0; n < SKETCH_BYTES; n++) sketches[at + n] = random() & 0xff;
    else {
      const from = (random() % page) * SKETCH_BYTES;
      sketches.copyWithin(at, from, from + SKETCH_BYTES);
      for (let n = 0; n < CHANGED_BINS; n++) {
        const byte = at + (random() % SKETCH_BYTES);
        sketches[byte] = (sketches[byte] as number) ^ 1;
      }
    }
  }
  return { sketches, copies: PAGES / ONE_OF };
}
