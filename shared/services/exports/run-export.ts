/** Makes an export as far as the time of this function allows. */

import type { ExportContext, ExportFacts } from './export-context.ts';
import { stagesOf } from './export-stages.ts';
import type { ExportNotes, ExportProgress, HeldExport } from './held-export.ts';

/** Where an export continues. */
interface Cursor {
  readonly stage: number;
  readonly at?: unknown;
  readonly facts: ExportFacts;
}

const cursorName = (version: number): string => `cursor-${version}.json.gz`;

/**
 * Returns whether the export is done. Each slice of a stage first stores its files and the cursor after them, then
 * counts by {@link ExportNotes.advance}. So a slice that dies is repeated, and writes the same files again.
 */
export async function runExport(
  context: ExportContext,
  taken: HeldExport,
  jobs: ExportNotes,
): Promise<boolean> {
  const { objects, crawl, request } = context;
  const stages = stagesOf(request);
  let held = taken;
  let cursor: Cursor = held.version === 0 ? { stage: 0, facts: {} } : await readCursor(context, held);
  while (cursor.stage < stages.length) {
    const { stage, at, facts } = cursor;
    const slice = await stages[stage]!(context, at as never, facts);
    const isOver = slice.at === undefined;
    cursor = {
      stage: isOver ? stage + 1 : stage,
      ...(!isOver && { at: slice.at }),
      facts: slice.facts ?? facts,
    };
    const { files, bytes, records, skipped } = slice.written;
    const before = held.progress;
    const progress: ExportProgress = {
      files: before.files + files,
      bytes: before.bytes + bytes,
      records: before.records + records,
      skipped: before.skipped + skipped,
      share: (stage + (isOver ? 1 : slice.share)) / stages.length,
    };
    await objects.putJson(cursorName(held.version + 1), cursor);
    held = await jobs.advance(held, progress);
    if (held.version > 1) await objects.deleteWork([cursorName(held.version - 1)]);
    if (cursor.stage < stages.length && context.isLate()) return false;
  }
  const { files, bytes, records, skipped } = held.progress;
  const { note } = cursor.facts;
  const whole = { crawl, ...request, files, bytes, records, skipped, note };
  await objects.putResult('export.json', Buffer.from(`${JSON.stringify(whole, undefined, 2)}\n`));
  await jobs.end(held, 'done', cursor.facts.note);
  await objects.deleteAllWork();
  return true;
}

const readCursor = ({ objects }: ExportContext, { version }: HeldExport): Promise<Cursor> =>
  objects.readWholeJson(cursorName(version));
