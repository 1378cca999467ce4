/** The files of the archive of which an export is made: listed once, and read in all slices. */
import type { WaczWarc } from '../../core/archive/wacz.ts';
import { windowedRead } from '../../core/archive/windowed-read.ts';
import type { ArchiveFiles } from './export-archive.ts';
import { type ExportContext, type ExportFacts, NOTHING_WRITTEN, type StageSlice } from './export-context.ts';
import { putJson, readJson } from './export-store.ts';
import { scanFile } from './scan-file.ts';
import { LineRuns, mergedLines, runsOf } from './sorted-runs.ts';

const PLAN = 'plan.json.gz';

/** Lists the files of the archive. What comes later is not exported. */
export async function planArchive({ archive, objects }: ExportContext): Promise<StageSlice> {
  const { sizes } = await archive.list();
  const planBytes = await putJson(objects, PLAN, [...sizes]);
  return { facts: { planBytes }, written: NOTHING_WRITTEN, share: 1 };
}

/** The files of the list. */
export async function plannedFiles(
  { archive, objects }: ExportContext,
  { planBytes }: ExportFacts,
): Promise<ArchiveFiles> {
  return archive.listed(new Map(await readJson<[string, number][]>(objects, PLAN, planBytes!)));
}

interface ScanAt {
  /** Files that are scanned. */
  readonly next: number;
}

const RUNS = 'index';

/** Makes an index of the files that have none, some files at a time. */
export async function scanUnindexed(
  context: ExportContext,
  { next }: ScanAt = { next: 0 },
  facts: ExportFacts,
): Promise<StageSlice> {
  const files = await plannedFiles(context, facts);
  const unindexed: WaczWarc[] = [];
  for (const warc of files.warcs) if (!(await files.openIndex(warc.name))) unindexed.push(warc);
  const lines = new LineRuns(context, RUNS, facts);
  let skipped = 0;
  const warn = (message: string) => {
    skipped++;
    context.warn(message);
  };
  let at = next;
  while (at < unindexed.length && (at === next || !context.isLate())) {
    const { name } = unindexed[at++]!;
    await scanFile(name, windowedRead(files.reader(name)), { add: (line) => lines.add(line), warn });
  }
  return {
    ...(at < unindexed.length && { at: { next: at } satisfies ScanAt }),
    facts: await lines.end(facts),
    written: { ...NOTHING_WRITTEN, skipped },
    share: unindexed.length === 0 ? 1 : at / unindexed.length,
  };
}

/** Cursor after a line of the index: the line, and the length of all lines up to it. */
export interface IndexPlace {
  readonly line: string;
  readonly length: number;
}

/** A line of the index with its line feed. */
export interface IndexLine {
  readonly line: string;
  readonly after: IndexPlace;
  /** About the share of all lines up to it. */
  readonly share: number;
}

/** Yields the lines of the index after a cursor, sorted. */
export async function* indexLines(
  context: ExportContext,
  files: ArchiveFiles,
  facts: ExportFacts,
  from: IndexPlace = { line: '', length: 0 },
): AsyncGenerator<IndexLine> {
  const sources = runsOf(context, facts, RUNS);
  for (const { name } of files.warcs) {
    const index = await files.openIndex(name);
    if (index) sources.push(index);
  }
  const total = sources.reduce((sum, [, bytes]) => sum + bytes, 0);
  let { length } = from;
  for await (const line of mergedLines(sources, from.line)) {
    length += line.length;
    yield { line, after: { line, length }, share: Math.min(1, length / total) };
  }
}
