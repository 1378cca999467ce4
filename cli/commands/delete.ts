import { basename, resolve } from 'node:path';
import { deleteCrawl } from '../../api/delete-crawl.ts';
import { openCrawl } from '../../api/open-crawl.ts';
import { storageFailure } from '../../shared/core/base/storage-failed.ts';
import { printable } from '../../shared/core/text/printable.ts';
import type { LocalCommandOf } from '../command.ts';
import { isConfirmed } from '../confirm.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { PROGRAM } from '../program.ts';

/** `strand delete DIR`: asks first, unless `--yes` was given. */
export async function deleteFolder(command: LocalCommandOf<'delete'>): Promise<number> {
  const { dir, keepArchive, yes, json } = command;
  if (!yes && !(await mayDelete(command))) {
    process.stderr.write('Nothing was deleted\n');
    return exitCodes.interrupted;
  }
  const deleted = await deleteCrawl(dir, { keepArchive });
  const left = deleted.left.length > 0 ? `; still there: ${deleted.left.map(printable).join(', ')}` : '';
  process.stdout.write(
    `${json ? JSON.stringify(deleted) : `Deleted the crawl in ${printable(dir)}${left}`}\n`,
  );
  return exitCodes.finished;
}

async function mayDelete(command: LocalCommandOf<'delete'>): Promise<boolean> {
  const { dir } = command;
  return isConfirmed({ ...(await crawlIn(command)), command: `${PROGRAM} delete ${dir} --yes` });
}

/** The crawl in words, and the word that confirms that it is meant: if its database cannot be read, the folder's name. */
async function crawlIn({ dir, keepArchive }: LocalCommandOf<'delete'>) {
  try {
    await using crawl = await openCrawl(dir);
    const { pages, warcFiles } = await crawl.summary();
    const archive = formatCounted(warcFiles.length, 'WARC file');
    return {
      what: `${crawl.name} in ${printable(dir)}, ${formatCounted(pages, 'page')}, ${keepArchive ? `but not its ${archive}` : archive}`,
      word: printable(crawl.name),
    };
  } catch (error) {
    const failure = storageFailure(error);
    if (failure === undefined) throw error;
    const archive = keepArchive ? ', but not its WARC files' : '';
    return {
      what: `the crawl in ${printable(dir)}${archive} (${printable(failure.message)})`,
      word: printable(basename(resolve(dir))),
    };
  }
}
