import { openDatabase } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/engine.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCount } from '../format.ts';
import { isRowFormat, type RowFormat } from '../option-spec.ts';
import { openCrawl } from './open-crawl.ts';
import { withOutput } from './output-file.ts';
import { writeRows, writerTo } from './write-rows.ts';
import { writeSkipped } from './write-skipped.ts';

/**
 * `strand export DIR --format ...`: every known URL, or every link left out; the archive's index, or a WACZ of it. Ends with 1
 * where a WARC file is damaged: what could be read is exported.
 */
export async function exportUrls({ dir, format, skipped, out }: LocalCommandOf<'export'>): Promise<number> {
  if (isRowFormat(format)) await (skipped ? exportSkipped : exportRows)(dir, format, out);
  else return exportArchive(dir, format, out);
  return exitCodes.finished;
}

async function exportArchive(dir: string, format: 'cdxj' | 'wacz', out: string | undefined): Promise<number> {
  let damaged = 0;
  const warn = (message: string) => {
    damaged++;
    process.stderr.write(`strand: ${message}\n`);
  };
  if (format === 'cdxj') await exportIndex(dir, out, warn);
  else {
    const { exportWacz } = await import('./export-wacz.ts');
    await exportWacz(dir, out!, warn);
  }
  return damaged > 0 ? exitCodes.unexpected : exitCodes.finished;
}

async function exportRows(dir: string, format: RowFormat, out: string | undefined): Promise<void> {
  const { reader, crawl } = await openCrawl(dir);
  try {
    await withOutput(out, (stream) => writeRows(reader, crawl, format, stream));
  } finally {
    reader.close();
  }
}

async function exportSkipped(dir: string, format: RowFormat, out: string | undefined): Promise<void> {
  const { reader, crawl } = await openCrawl(dir);
  const database = openDatabase(foldersOf(dir).database, 'read');
  try {
    let beyond = 0;
    await withOutput(out, async (stream) => {
      beyond = await writeSkipped({ ledgers: reader.ledgers, database }, crawl, format, stream);
    });
    if (beyond > 0)
      process.stderr.write(
        `strand: the log of links left out was full; ${formatCount(beyond)} more are only counted, some more than once\n`,
      );
  } finally {
    database.close();
    reader.close();
  }
}

async function exportIndex(
  dir: string,
  out: string | undefined,
  warn: (message: string) => void,
): Promise<void> {
  (await openCrawl(dir)).reader.close();
  const { mergedCdxj } = await import('../../shared/engines/local/cdxj-files.ts');
  await withOutput(out, async (stream) => {
    const write = writerTo(stream);
    for await (const line of mergedCdxj(dir, warn)) await write(line);
  });
}
