import {
  type ExportContext,
  type ExportFacts,
  NOTHING_WRITTEN,
  type Stage,
  type StageSlice,
} from './export-context.ts';

/** Where an export continues. */
export interface ExportCursor {
  readonly stage: number;
  readonly at?: unknown;
  readonly facts: ExportFacts;
}

export const FIRST: ExportCursor = { stage: 0, facts: {} };

export interface DoneSlice extends Pick<StageSlice, 'written' | 'share'> {
  /** The cursor after it. */
  readonly cursor: ExportCursor;
}

/** Runs the stages after a cursor, a slice at a time. */
export async function* slicesOf(
  context: ExportContext,
  stages: readonly Stage[],
  from: ExportCursor,
): AsyncGenerator<DoneSlice> {
  let cursor = from;
  while (cursor.stage < stages.length) {
    const { stage, at, facts } = cursor;
    const slice = await stages[stage]!(context, at as never, facts);
    const isOver = slice.at === undefined;
    cursor = {
      stage: isOver ? stage + 1 : stage,
      ...(!isOver && { at: slice.at }),
      facts: slice.facts ?? facts,
    };
    yield { cursor, written: slice.written, share: (stage + (isOver ? 1 : slice.share)) / stages.length };
  }
}

export type Written = StageSlice['written'];

/** The sum of what two slices have written. */
export const summed = (a: Written, b: Written): Written => ({
  files: a.files + b.files,
  bytes: a.bytes + b.bytes,
  records: a.records + b.records,
  skipped: a.skipped + b.skipped,
});

/** Runs all stages. */
export async function runStages(
  context: ExportContext,
  stages: readonly Stage[],
): Promise<{ readonly written: Written; readonly facts: ExportFacts }> {
  let written: Written = NOTHING_WRITTEN;
  let { facts } = FIRST;
  for await (const slice of slicesOf(context, stages, FIRST)) {
    written = summed(written, slice.written);
    ({ facts } = slice.cursor);
  }
  return { written, facts };
}
