/** Prints what has changed on a page since the last call: `node watch-page.ts URL FILE you@example.org`. */
import { readFile, writeFile } from 'node:fs/promises';
import { type ReadPageOptions, readPage } from 'strand-crawler';

/** Returns the lines that are new and those that are gone since `file` was written, and writes it again. */
export async function watchPage(url: string, file: string, options: ReadPageOptions) {
  const { markdown } = await readPage(url, options);
  const after = linesOf(markdown);
  const before = linesOf(await readFile(file, 'utf8').catch(() => markdown));
  await writeFile(file, markdown);
  return {
    added: after.filter((line) => !before.includes(line)),
    removed: before.filter((line) => !after.includes(line)),
  };
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

if (import.meta.main) {
  const [url, file = 'page.md', contact] = process.argv.slice(2);
  if (url === undefined || contact === undefined)
    throw new Error('Expected: node watch-page.ts URL FILE CONTACT');
  const { added, removed } = await watchPage(url, file, { contact });
  for (const line of removed) process.stdout.write(`- ${line}\n`);
  for (const line of added) process.stdout.write(`+ ${line}\n`);
  // For cron: 1 says that something has changed.
  process.exitCode = added.length + removed.length > 0 ? 1 : 0;
}
