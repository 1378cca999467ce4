/** Makes an export as far as the time of this function allows. */
import type { ExportRequest } from '../control/crawl-export.ts';
import type { ExportContext } from './export-context.ts';
import { stagesOf } from './export-stages.ts';
import { putJson, readJson, storeFile } from './export-store.ts';
import type { ExportNotes, HeldExport } from './held-export.ts';
import { type ExportCursor, FIRST, slicesOf, summed } from './run-stages.ts';

const cursorName = (version: number): string => `cursor-${version}.json.gz`;

/** An export that functions make one after the other. */
export interface ExportJob extends ExportContext {
  readonly request: ExportRequest;
}

/**
 * Returns whether the export is done. Each slice of a stage first stores its files and the cursor after them, then
 * counts by {@link ExportNotes.advance}. So a slice that dies is repeated, and writes the same files again.
 */
export async function runExport(job: ExportJob, taken: HeldExport, notes: ExportNotes): Promise<boolean> {
  const { objects, crawl, request } = job;
  const stages = await stagesOf(request);
  let held = taken;
  let last: ExportCursor =
    held.version === 0 ? FIRST : await readJson<ExportCursor>(objects, cursorName(held.version));
  for await (const { cursor, written, share } of slicesOf(job, stages, last)) {
    last = cursor;
    await putJson(objects, cursorName(held.version + 1), cursor);
    held = await notes.advance(held, { ...summed(held.progress, written), share });
    if (held.version > 1) await objects.deleteWork([cursorName(held.version - 1)]);
    if (cursor.stage < stages.length && job.isLate()) return false;
  }
  const { files, bytes, records, skipped } = held.progress;
  const { note } = last.facts;
  const whole = { crawl, ...request, files, bytes, records, skipped, note };
  await storeFile(objects, 'export.json', [Buffer.from(`${JSON.stringify(whole, undefined, 2)}\n`)]);
  await notes.end(held, 'done', note);
  await objects.deleteAllWork();
  return true;
}
