/** Real pages whose main content people have marked, and how well a text agrees with it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface MarkedPage {
  readonly url: string;
  readonly kind: string;
  readonly html: Buffer;
  /** The main content as text. */
  readonly marked: string;
}

/**
 * The pages of a folder as the Web Content eXtraction Benchmark has them (Murrough Foley, 2026): `html/ID.html.gz` and `ground-truth/ID.json`.
 * One at a time, as they are hundreds of megabytes.
 */
export function* markedPages(folder: string): Generator<MarkedPage> {
  const truths = join(folder, 'ground-truth');
  for (const file of readdirSync(truths).sort()) {
    if (!file.endsWith('.json')) continue;
    const truth = JSON.parse(readFileSync(join(truths, file), 'utf8'));
    yield {
      url: truth.url ?? 'https://example.org/',
      kind: kindOf(truth._internal?.page_type),
      html: gunzipSync(readFileSync(join(folder, 'html', file.replace(/json$/, 'html.gz')))),
      marked: truth.ground_truth.main_content ?? '',
    };
  }
}

function kindOf(type: string | { readonly primary?: string } | undefined): string {
  const kind = (typeof type === 'string' ? type : type?.primary) ?? 'article';
  return kind === 'category' ? 'collection' : kind;
}

/** F1 of the words of two texts, without their order, as the benchmark's own evaluation counts it. 0 to 1. */
export function wordF1(found: string, marked: string): number {
  const [one, two] = [wordCounts(found), wordCounts(marked)];
  if (one.total === 0 || two.total === 0) return one.total === two.total ? 1 : 0;
  let same = 0;
  for (const [word, count] of one.counts) same += Math.min(count, two.counts.get(word) ?? 0);
  return (2 * same) / (one.total + two.total);
}

function wordCounts(text: string) {
  const counts = new Map<string, number>();
  let total = 0;
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    total++;
  }
  return { counts, total };
}
