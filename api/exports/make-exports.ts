/** Exports that are made in this process, of a crawl in a folder or on a stack. See `StoredCrawl` for each. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportWarning } from '../../shared/core/archive/replay-codings.ts';
import { ExportFolder } from '../../shared/engines/local/exports/export-folder.ts';
import { makeFolders } from '../../shared/engines/local/make-folders.ts';
import type { ExportRequest } from '../../shared/services/control/crawl-export.ts';
import type { DerivedFormat } from '../../shared/services/exports/derived-records.ts';
import type { ExportContext } from '../../shared/services/exports/export-context.ts';
import type { ExportSource, OpenedSource } from '../../shared/services/exports/export-source.ts';
import { stagesOf, waczParts } from '../../shared/services/exports/export-stages.ts';
import type { ExportStore } from '../../shared/services/exports/export-store.ts';
import { runStages } from '../../shared/services/exports/run-stages.ts';
import { FolderNotEmpty } from '../folder-not-empty.ts';
import type {
  DerivedOptions,
  DocumentOptions,
  ExportedDocuments,
  ExportedGraph,
  ExportedMirror,
  ExportedRecords,
  ExportedTables,
  ParquetOptions,
} from '../stored-crawl.ts';

type SkipOptions = Pick<DocumentOptions, 'skip'>;

interface ExportCalls extends SkipOptions {
  readonly warn?: ExportWarning | undefined;
}

/** The folder for pieces of work, in that of the export. */
const WORK = '.export-work';

export async function exportDocuments(
  source: ExportSource,
  format: 'markdown' | 'llms',
  out: string,
  options: SkipOptions = {},
): Promise<ExportedDocuments> {
  const { written } = await exportInto(source, { format }, out, options);
  return { documents: written.records, skipped: written.skipped };
}

export async function exportMirror(
  source: ExportSource,
  out: string,
  options: SkipOptions = {},
): Promise<ExportedMirror> {
  const { written, facts } = await exportInto(source, { format: 'mirror' }, out, options);
  return { files: written.files, pages: facts.mirrorPages ?? 0, skipped: written.skipped };
}

export async function exportGraph(
  source: ExportSource,
  out: string,
  options: SkipOptions = {},
): Promise<ExportedGraph> {
  const { written, facts } = await exportInto(source, { format: 'graph' }, out, options);
  const { pages, hosts } = facts.graphs!;
  return { hosts: hosts!, pages: pages!, skipped: written.skipped };
}

export async function exportDerived(
  source: ExportSource,
  format: DerivedFormat,
  out: string,
  options: DerivedOptions = {},
): Promise<ExportedRecords> {
  const { written, facts } = await exportInto(source, { format }, out, options);
  return { files: written.files, records: written.records, revisits: facts.revisits ?? 0 };
}

export async function exportParquet(
  source: ExportSource,
  out: string,
  { tables = ['index', 'urls', 'items'], ...calls }: ParquetOptions = {},
): Promise<ExportedTables> {
  await makeEmptyFolder(out);
  return withContext(source, out, calls, async (context) => {
    const rows: Record<string, number> = {};
    for (const table of tables) {
      const { written } = await runStages(context, await stagesOf({ format: 'parquet', tables: [table] }));
      rows[table] = written.records;
    }
    return rows;
  });
}

/** Yields the bytes of a WACZ file. Keeps its index and the list of its pages in the temporary folder meanwhile. */
export async function* waczOf(source: ExportSource, warn?: ExportWarning): AsyncGenerator<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'strand-wacz-'));
  try {
    const { close, ...opened } = await source.open();
    try {
      const context = contextOf(source, opened, folder, { warn });
      const { waczBytes } = await import('../../shared/services/exports/wacz-stages.ts');
      const { facts } = await runStages(context, await waczParts());
      yield* waczBytes(context, facts);
    } finally {
      await close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function exportInto(source: ExportSource, request: ExportRequest, out: string, calls: ExportCalls) {
  await makeEmptyFolder(out);
  return withContext(source, out, calls, async (context) => runStages(context, await stagesOf(request)));
}

async function withContext<T>(
  source: ExportSource,
  out: string,
  calls: ExportCalls,
  run: (context: ExportContext) => Promise<T>,
): Promise<T> {
  const { close, ...opened } = await source.open();
  const context = contextOf(source, opened, out, calls);
  try {
    return await run(context);
  } finally {
    await close();
    await context.objects.deleteAllWork();
  }
}

const contextOf = (source: ExportSource, opened: OpenedSource, out: string, calls: ExportCalls) =>
  exportContext(source, opened, new ExportFolder(out, join(out, WORK)), calls);

/** For an export that is made in one slice. */
export const exportContext = (
  source: Omit<ExportSource, 'open'>,
  opened: OpenedSource,
  objects: ExportStore,
  { warn = () => {}, skip }: ExportCalls,
): ExportContext => ({
  ...source,
  ...opened,
  hosts: 0,
  objects,
  maxListed: Number.POSITIVE_INFINITY,
  now: Date.now,
  isLate: () => false,
  isOver: () => false,
  warn,
  skip: (url, reason) => skip?.(url, reason),
});

async function makeEmptyFolder(out: string): Promise<void> {
  makeFolders(out);
  if ((await readdir(out)).length > 0) throw new FolderNotEmpty(out);
}
