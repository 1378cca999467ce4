/** The files of the archive of which an export is made: listed once, and read in all slices. */
import { windowedRead } from '../../core/archive/windowed-read.ts';
import type { ArchiveFiles } from './export-archive.ts';
import {
  type ExportContext,
  type ExportFacts,
  ExportImpossible,
  NOTHING_WRITTEN,
  type StageSlice,
} from './export-context.ts';
import { scanFile } from './scan-file.ts';
import { LineRuns, mergedLines, runsOf } from './sorted-runs.ts';

const PLAN = 'plan.json.gz';

/** Lists the files of the archive. What comes later is not exported. */
export async function planArchive({ archive, crawl, objects }: ExportContext): Promise<StageSlice> {
  const { sizes, warcs } = await archive.list();
  if (warcs.length === 0) throw new ExportImpossible(`Nothing is archived yet in the crawl ${crawl}`);
  const planBytes = await objects.putJson(PLAN, [...sizes]);
  return { facts: { planBytes }, written: NOTHING_WRITTEN, share: 1 };
}

/** The files of the list. */
export async function plannedFiles(
  { archive, objects }: ExportContext,
  { planBytes }: ExportFacts,
): Promise<ArchiveFiles> {
  return archive.listed(new Map(await objects.readJson<[string, number][]>(PLAN, planBytes!)));
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
  const unindexed = files.warcs.filter(({ name }) => !files.indexOf(name));
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
  const sources = [
    ...runsOf(context, facts, RUNS),
    ...files.warcs.map(({ name }) => files.indexOf(name)).filter((index) => index !== undefined),
  ];
  const total = sources.reduce((sum, [, bytes]) => sum + bytes, 0);
  let { length } = from;
  for await (const line of mergedLines(sources, from.line)) {
    length += line.length;
    yield { line, after: { line, length }, share: Math.min(1, length / total) };
  }
}
