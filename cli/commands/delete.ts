import { createInterface } from 'node:readline/promises';
import { deleteCrawl } from '../../api/delete-crawl.ts';
import { openCrawl } from '../../api/open-crawl.ts';
import { printable } from '../../shared/text/printable.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { PROGRAM } from '../program.ts';
import { UsageError } from '../usage-error.ts';

/** `strand delete DIR`: asks first, unless `--yes` was given. */
export async function deleteFolder(command: LocalCommandOf<'delete'>): Promise<number> {
  const { dir, keepArchive, yes, json } = command;
  if (!yes && !(await isConfirmed(command))) {
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

/** Throws {@link UsageError} if nobody can be asked. */
async function isConfirmed({ dir, keepArchive }: LocalCommandOf<'delete'>): Promise<boolean> {
  await using crawl = await openCrawl(dir);
  const { pages, warcFiles } = await crawl.summary();
  const archive = formatCounted(warcFiles.length, 'WARC file');
  const what = `${crawl.name} in ${printable(dir)}, ${formatCounted(pages, 'page')}, ${keepArchive ? `but not its ${archive}` : archive}`;
  if (!process.stdin.isTTY)
    throw new UsageError(
      `This deletes ${what}. Without a terminal, confirm it with: ${PROGRAM} delete ${dir} --yes`,
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Delete ${what}? Type "yes" to confirm: `);
  terminal.close();
  return answer.trim() === 'yes';
}
