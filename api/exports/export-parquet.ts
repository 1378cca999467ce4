/** A crawl as Parquet tables in a folder. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { IndexedCapture } from '../../shared/core/archive/parse-cdxj-line.ts';
import { readHeads } from '../../shared/core/archive/read-heads.ts';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { mapInOrder } from '../../shared/core/base/map-in-order.ts';
import type { ExportSource } from '../../shared/services/exports/export-source.ts';
import { createParquetFile, type ParquetFile } from '../../shared/services/exports/parquet-file.ts';
import {
  CAPTURE_COLUMNS,
  captureRow,
  type Subset,
} from '../../shared/services/outputs/parquet/capture-table.ts';
import { DOCUMENT_COLUMNS, documentTableRow } from '../../shared/services/outputs/parquet/document-table.ts';
import { createItemColumns, itemRows } from '../../shared/services/outputs/parquet/item-table.ts';
import type { Column, Row } from '../../shared/services/outputs/parquet/table.ts';
import { URL_COLUMNS, urlTableRow } from '../../shared/services/outputs/parquet/url-table.ts';
import { FolderNotEmpty } from '../folder-not-empty.ts';
import type { ExportedTables, ParquetOptions, StoredCrawl, TableName } from '../stored-crawl.ts';

type Source = Pick<StoredCrawl, 'urls' | 'documents'> &
  Pick<ExportSource, 'crawl' | 'archive' | 'openWarcs' | 'openItems'>;

const DEFAULT_TABLES: readonly TableName[] = ['index', 'urls', 'items'];
/** A larger file is cut: others read files side by side. */
const MAX_FILE_ROWS = 1_000_000;

/**
 * Writes `index/crawl=NAME/subset=SUBSET/`, `urls/`, `items/` and `documents/` into `out`, as far as they have rows.
 * Throws {@link FolderNotEmpty}.
 */
export async function exportParquet(
  crawl: Source,
  out: string,
  { tables = DEFAULT_TABLES, warn = () => {}, skip }: ParquetOptions = {},
): Promise<ExportedTables> {
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0) throw new FolderNotEmpty(out);
  const counts: Record<string, number> = {};
  if (tables.includes('index')) counts.index = await writeIndex(crawl, join(out, 'index'), warn);
  if (tables.includes('urls'))
    counts.urls = await writeTable(join(out, 'urls'), URL_COLUMNS, mapped(crawl.urls(), urlTableRow));
  if (tables.includes('items')) counts.items = await writeItems(crawl, join(out, 'items'));
  if (tables.includes('documents')) {
    const rows = mapped(crawl.documents({ ...(skip && { skip }) }), documentTableRow);
    counts.documents = await writeTable(join(out, 'documents'), DOCUMENT_COLUMNS, rows);
  }
  return counts;
}

async function writeIndex(
  { crawl, archive, openWarcs }: Source,
  out: string,
  warn: (message: string) => void,
): Promise<number> {
  const warcs = await openWarcs();
  const parts = new Map<Subset, TableFolder>();
  let rows = 0;
  try {
    const rowOf = async (place: IndexedCapture) => {
      try {
        return captureRow(place, await readHeads(warcs.reader(place.file), place));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
        warn(`${place.file} at ${place.offset} is not in the index: ${messageOf(error)}`);
        return undefined;
      }
    };
    for await (const found of mapInOrder(warcs.captures(warn), { count: archive.readsAtOnce ?? 1 }, rowOf)) {
      if (!found) continue;
      const { subset, row } = found;
      let part = parts.get(subset);
      if (!part) {
        part = createTableFolder(join(out, `crawl=${crawl}`, `subset=${subset}`), CAPTURE_COLUMNS);
        parts.set(subset, part);
      }
      await part.add(row);
      rows++;
    }
    for (const part of parts.values()) await part.finish();
  } finally {
    for (const part of parts.values()) await part.discard();
    await warcs.close();
  }
  return rows;
}

/** Reads the items twice: for their columns, then for the rows. */
async function writeItems({ openItems }: Source, out: string): Promise<number> {
  const items = openItems();
  const found = createItemColumns();
  for await (const item of items()) found.add(item);
  const columns = found.columns();
  if (columns.length === 0) return 0;
  const rows = mapped(items(), itemRows(columns));
  return writeTable(out, columns, rows);
}

async function writeTable(
  out: string,
  columns: readonly Column[],
  rows: AsyncIterable<Row>,
): Promise<number> {
  const table = createTableFolder(out, columns);
  let count = 0;
  try {
    for await (const row of rows) {
      await table.add(row);
      count++;
    }
    await table.finish();
  } finally {
    await table.discard();
  }
  return count;
}

async function* mapped<From, To>(rows: AsyncIterable<From>, map: (row: From) => To): AsyncGenerator<To> {
  for await (const row of rows) yield map(row);
}

interface TableFolder {
  add(row: Row): Promise<void>;
  finish(): Promise<void>;
  /** Deletes a file that is not finished. */
  discard(): Promise<void>;
}

/** `part-00000.zstd.parquet` and so on. No row, no folder. */
function createTableFolder(folder: string, columns: readonly Column[]): TableFolder {
  let file: ParquetFile | undefined;
  let number = 0;

  async function finish(): Promise<void> {
    await file?.finish();
    file = undefined;
  }

  return {
    async add(row) {
      if (!file) {
        await mkdir(folder, { recursive: true });
        const name = `part-${String(number++).padStart(5, '0')}.zstd.parquet`;
        file = await createParquetFile(join(folder, name), columns);
      }
      await file.add(row);
      if (file.rows >= MAX_FILE_ROWS) await finish();
    },
    finish,
    async discard() {
      await file?.discard();
    },
  };
}
