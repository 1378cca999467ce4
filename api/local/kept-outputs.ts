/** Files in a crawl's folder that are made of its archive when a process of the crawl ends: documents, the index of words. */
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { orStorageFailed, StorageFailed } from '../../shared/core/base/storage-failed.ts';
import type { CrawlConfig } from '../../shared/core/crawl/config.ts';
import { foldersOf, makerOf, unfinishedOutputs } from '../../shared/engines/local/folders.ts';
import { DOCUMENT_COLUMNS, documentTableRow } from '../../shared/services/outputs/parquet/document-table.ts';
import type { KeptDocuments } from '../exports/keep-documents.ts';
import type { DocumentOptions, StoredCrawl } from '../stored-crawl.ts';

export interface KeptOutputs {
  /** `documents.jsonl` and `documents.parquet`. Noted by versions in which this was not a setting of the crawl. */
  readonly documents?: boolean;
  /** `search.sqlite`. */
  readonly search?: boolean;
}

/**
 * Notes in the folder which files are kept there, besides those that are already. Also for later processes of the crawl.
 * Throws {@link StorageFailed} if the note cannot be read or written.
 */
export async function noteKept(folder: string, wanted: KeptOutputs): Promise<void> {
  const before = await notedIn(folder);
  const after: KeptOutputs = { ...before, ...wanted };
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  const paths = foldersOf(folder);
  const { outputs } = paths;
  await orStorageFailed(outputs, async () => {
    await writeFile(unfinishedOutputs(paths), `${JSON.stringify(after)}\n`, { flush: true });
    await rename(unfinishedOutputs(paths), outputs);
  });
}

/** The files that are kept in the folder, by its note and by the crawl's own setting, which comes first. Throws {@link StorageFailed}. */
export async function keptIn(
  folder: string,
  { documents }: Pick<CrawlConfig, 'documents'>,
): Promise<KeptOutputs> {
  return { ...(await notedIn(folder)), ...(documents !== undefined && { documents }) };
}

async function notedIn(folder: string): Promise<KeptOutputs> {
  const { outputs } = foldersOf(folder);
  const text = await orStorageFailed(outputs, () => readFile(outputs, 'utf8').catch(orNone));
  if (text === undefined) return {};
  const kept = parsed(text);
  if (kept instanceof Error)
    throw new StorageFailed(
      `${outputs} is damaged: ${kept.message}. Delete it; if the crawl has an index of words, resume it with --search`,
    );
  return kept;
}

function orNone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Characters of a note that is none. */
const MAX_SHOWN = 40;

function parsed(text: string): KeptOutputs | Error {
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept === 'object' && kept !== null && !Array.isArray(kept)) return kept;
    return new Error(`expected an object, got ${text.trim().slice(0, MAX_SHOWN)}`);
  } catch (error) {
    return new Error(messageOf(error));
  }
}

/** Brings `documents.jsonl` and `documents.parquet` in the folder up to date. Each is replaced when it is whole. */
export async function updateDocuments(
  crawl: Pick<StoredCrawl, 'documents'>,
  folder: string,
  { skip }: Pick<DocumentOptions, 'skip'> = {},
): Promise<KeptDocuments> {
  const { keepDocuments, keptDocuments } = await import('../exports/keep-documents.ts');
  const { createParquetFile } = await import('../../shared/services/exports/parquet-file.ts');
  const { createFile } = await import('../../shared/engines/local/exports/export-folder.ts');
  await removeUnfinished(folder);
  const { documents, documentTable } = foldersOf(folder);
  const counts = await keepDocuments(crawl, documents, unfinished(documents), skip);
  const file = createFile(unfinished(documentTable));
  const table = createParquetFile(file, DOCUMENT_COLUMNS);
  try {
    for await (const row of keptDocuments(documents)) await table.add(documentTableRow(row));
    await table.finish();
  } catch (error) {
    await file.abort();
    throw error;
  }
  await rename(unfinished(documentTable), documentTable);
  return counts;
}

/** Two processes may do so at once. */
const unfinished = (path: string) => `${path}.${process.pid}`;

/** Deletes files left by killed processes. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = makerOf(name);
    if (pid !== undefined && !isOther(pid)) await rm(join(folder, name), { force: true });
  }
}

/** Whether another process of this number runs. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
