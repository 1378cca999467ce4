/** The files of the archive of which an export is made: listed once, and read in all slices. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { windowedRead } from '../../../shared/core/archive/windowed-read.ts';
import { indexName } from '../../../shared/engines/aws/archive/compact-layout.ts';
import { createLineSorter } from '../../../shared/engines/local/archive/sorted-lines.ts';
import { type ArchiveFiles, scanFile } from '../../stack/stack-archive.ts';
import {
  type ExportContext,
  type ExportFacts,
  ExportImpossible,
  NOTHING_WRITTEN,
  type StageSlice,
} from './export-context.ts';
import { mergedLines, type SortedLines } from './sorted-runs.ts';

const PLAN = 'plan.json.gz';

/** Lists the files of the archive. What comes later is not exported. */
export async function planArchive({ archive, crawl, objects }: ExportContext): Promise<StageSlice> {
  const { sizes, warcs } = await archive.list();
  if (warcs.length === 0) throw new ExportImpossible(`Nothing is archived yet in the crawl ${crawl}`);
  const planBytes = await objects.putJson(PLAN, [...sizes]);
  return { facts: { planBytes, indexes: [] }, written: NOTHING_WRITTEN, share: 1 };
}

/** The files of the list. */
export async function plannedFiles(
  { archive, objects }: ExportContext,
  { planBytes }: ExportFacts,
): Promise<ArchiveFiles> {
  return archive.listed(new Map(await objects.readJson<[string, number][]>(PLAN, planBytes!)));
}

/** WARC files without an index whose lines are sorted together, in bytes. */
const SCAN_BYTES = 256 * 1024 * 1024;

interface ScanAt {
  /** Files that are scanned. */
  readonly next: number;
}

/** Makes an index of the files that have none, some files at a time. */
export async function scanUnindexed(
  context: ExportContext,
  at: ScanAt = { next: 0 },
  facts: ExportFacts,
): Promise<StageSlice> {
  const files = await plannedFiles(context, facts);
  const unindexed = files.warcs.filter(({ name }) => !files.sizes.has(indexName(name)));
  const folder = await mkdtemp(join(tmpdir(), 'strand-export-'));
  const sorter = createLineSorter((n) => join(folder, `run-${n}`));
  let skipped = 0;
  const warn = (message: string) => {
    skipped++;
    context.warn(message);
  };
  let { next } = at;
  try {
    for (let bytes = 0; next < unindexed.length; next++) {
      if (bytes >= SCAN_BYTES || (bytes > 0 && context.isLate())) break;
      const file = unindexed[next]!;
      await scanFile(file.name, windowedRead(files.reader(file.name)), { add: sorter.add, warn });
      bytes += file.bytes;
    }
    const lines: string[] = [];
    for await (const line of sorter.sorted()) lines.push(line);
    const body = Buffer.from(lines.join(''), 'latin1');
    const name = `index-${at.next}`;
    if (body.length > 0) await context.objects.putWork(name, body);
    const made = body.length > 0 ? [[name, body.length] as const] : [];
    return {
      ...(next < unindexed.length && { at: { next } satisfies ScanAt }),
      facts: { ...facts, indexes: [...(facts.indexes ?? []), ...made] },
      written: { ...NOTHING_WRITTEN, skipped },
      share: unindexed.length === 0 ? 1 : next / unindexed.length,
    };
  } finally {
    await sorter.dispose();
    await rm(folder, { recursive: true, force: true });
  }
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
  { objects }: ExportContext,
  files: ArchiveFiles,
  { indexes = [] }: ExportFacts,
  from: IndexPlace = { line: '', length: 0 },
): AsyncGenerator<IndexLine> {
  const sources: SortedLines[] = indexes.map(([name, bytes]) => [objects.workReader(name, bytes), bytes]);
  for (const { name } of files.warcs) {
    const index = indexName(name);
    const bytes = files.sizes.get(index);
    if (bytes !== undefined) sources.push([files.reader(index), bytes]);
  }
  const total = sources.reduce((sum, [, bytes]) => sum + bytes, 0);
  let { length } = from;
  for await (const line of mergedLines(sources, from.line)) {
    length += line.length;
    yield { line, after: { line, length }, share: Math.min(1, length / total) };
  }
}
