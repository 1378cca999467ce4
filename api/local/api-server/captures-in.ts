import type { IndexedCapture } from '../../../shared/core/archive/parse-cdxj-line.ts';
import type { CapturesAsked, CapturesFound } from '../../../shared/services/control/captures.ts';

/** In the cursor of a page: all indexes of the folder are one. */
const ALL = 'all';

/** Reads a page of captures from the indexes of a folder. `at` of its place counts the captures that match. */
export async function capturesIn(
  archive: { captures(warn?: (message: string) => void): AsyncIterable<IndexedCapture> },
  { from, below, first = '', last = '~', limit, place }: CapturesAsked,
): Promise<CapturesFound> {
  const damaged: string[] = [];
  const captures: IndexedCapture[] = [];
  const begin = place?.at ?? 0;
  let matching = 0;
  for await (const capture of archive.captures((message) => damaged.push(message))) {
    const { surt, timestamp } = capture;
    if (surt >= below) break;
    if (surt < from || timestamp < first || timestamp > last) continue;
    if (matching++ < begin) continue;
    if (captures.length === limit) return { captures, damaged, next: { file: ALL, at: begin + limit } };
    captures.push(capture);
  }
  return { captures, damaged };
}
