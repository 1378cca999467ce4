/**
 * The time and memory that it takes to find the clusters of a million pages that are nearly the same, by their sketches.
 * A tenth of them are copies of another page, with four of 64 bins changed.
 *
 *     npm run bench -- duplicates
 */
import { alikeClusters } from '../../shared/alike/alike-clusters.ts';
import { SKETCH_BYTES } from '../../shared/recrawl/text-sketch.ts';
import { cpuMsOf } from '../harness/cpu-time.ts';
import type { Measured } from '../harness/record.ts';

const PAGES = 1_000_000;
const ONE_OF = 10;
const CHANGED_BINS = 4;

export async function measure(): Promise<Measured> {
  const { sketches, copies } = madeSketches();
  const before = process.memoryUsage().rss;
  let clusters: ReturnType<typeof alikeClusters> = [];
  const begun = process.hrtime.bigint();
  const cpuMs = await cpuMsOf(async () => {
    clusters = alikeClusters(sketches);
  });
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  const found = clusters.reduce((sum, { others }) => sum + others.length, 0);
  return {
    figures: {
      cpuSeconds: { value: cpuMs / 1000, unit: 's of CPU for a million pages' },
      seconds: { value: seconds, unit: 's' },
      foundShare: { value: found / copies, unit: 'of the copies found' },
      megabytes: { value: (process.memoryUsage().rss - before) / 1e6, unit: 'MB of memory more' },
    },
    detail: `${copies} copies, ${clusters.length} clusters`,
  };
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
