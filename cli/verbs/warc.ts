import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadAt } from '../../shared/core/archive/scan-members.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import type { StackArchive } from '../../shared/engines/aws/archive/stack-archive.ts';
import { readHandle } from '../../shared/engines/local/archive/read-handle.ts';
import { exitCodes } from '../exit-codes.ts';
import { crawlOf, type Given, isSet, readWords, wrongWords } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import type { Place } from '../place.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

/** `files`: paths of files and folders; on a stack names of WARC files, none: all of the archive. */
type Ask =
  | { readonly what: 'check'; readonly files: readonly string[] }
  | { readonly what: 'cat'; readonly file: string; readonly offset: number };

export const command = verb({
  usage: 'warc check FILE... | cat FILE OFFSET',
  stackUsage: 'warc check CRAWL | cat CRAWL FILE OFFSET',
  more: 'The record that begins at an offset.',
  examples: [
    'warc check crawls/example.org/archive',
    'warc cat a.warc.gz 0',
    '--stack Strand warc check news',
  ],
  options: [JSON_OPTION],
  read: (given) => (given.isOnStack ? readOnStack(given) : { crawl: undefined, ask: readHere(given) }),
  async run({ crawl, ask }, place) {
    const { checkFiles, writeRecord } = await import('../check-files.ts');
    if (crawl !== undefined) return onStack(crawl, ask, place);
    const { json, out } = place;
    if (ask.what === 'check') return checkFiles(await warcFilesOf(ask.files), readingFile, { json, out });
    await readingFile(ask.file, (read) => writeRecord(read, ask, out));
    return exitCodes.finished;
  },
});

function readHere(given: Given): Ask {
  const [what, ...words] = given.words;
  if (what === 'check' && words.length > 0 && words.every((path) => path !== ''))
    return { what, files: words };
  if (what !== 'cat') throw wrongWords(given, 'check FILE... | cat FILE OFFSET');
  const [, file, offset] = readWords(given, 'cat', 'FILE', 'OFFSET');
  return { what, file: file!, offset: readOffset(given, offset!) };
}

function readOnStack(given: Given): { readonly crawl: string; readonly ask: Ask } {
  const [what, crawl, ...files] = given.words;
  if (what === 'check' && crawl !== undefined && files.every((file) => file !== ''))
    return { crawl: crawlOf(given, crawl), ask: { what, files } };
  if (what !== 'cat') throw wrongWords(given, 'check CRAWL [FILE...] | cat CRAWL FILE OFFSET');
  const [, , file, offset] = readWords(given, 'cat', 'CRAWL', 'FILE', 'OFFSET');
  const ask = { what, file: file!, offset: readOffset(given, offset!) } as const;
  return { crawl: crawlOf(given, crawl!), ask };
}

function readOffset(given: Given, text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new UsageError(`Expected OFFSET to be a whole number of bytes, got ${quoted(text)}`);
  if (isSet(given, 'json'))
    throw new UsageError('warc takes --json only with check: cat writes a record as it is stored');
  return Number(text);
}

async function onStack(crawl: string, ask: Ask, { stack, open, json, out }: Place): Promise<number> {
  const { checkFiles, writeRecord } = await import('../check-files.ts');
  // So that an unknown name is reported.
  await open(crawl);
  const archive: Pick<StackArchive, 'list' | 'open'> = stack!.archiveOf(crawl);
  if (ask.what === 'cat') {
    const { location, read } = await archive.open({ ...ask, length: 1 }).catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error;
      throw new UsageError(error.message, { cause: error });
    });
    await writeRecord(read, location, out);
    return exitCodes.finished;
  }
  const { warcs, reader } = await archive.list();
  const names = warcs.map(({ name }) => name);
  const unknown = ask.files.find((file) => !names.includes(file));
  if (unknown !== undefined)
    throw new UsageError(`There is no WARC file ${quoted(unknown)} in the crawl ${crawl}`);
  if (names.length === 0) throw new UsageError(`There are no WARC files yet in the crawl ${crawl}`);
  const asked = ask.files.length > 0 ? ask.files : names;
  return checkFiles(asked, (file, work) => work(reader(file)), { json, out });
}

/**
 * The files named, and the WARC files of the folders named, by name. Files that are still written are left out.
 */
async function warcFilesOf(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`${path} cannot be read: ${error.message}`, { cause: error });
    });
    if (!found.isDirectory()) {
      if (/\.wacz$/i.test(path))
        throw new UsageError(`${path} is a WACZ: check the WARC files inside it, once they are unpacked`);
      files.push(path);
      continue;
    }
    const names = await readdir(path, { recursive: true });
    const warcs = names.filter((name) => /\.warc(?:\.gz)?$/.test(name)).sort();
    if (warcs.length === 0) throw new UsageError(`There are no WARC files (*.warc.gz) in ${path}`);
    files.push(...warcs.map((name) => join(path, name)));
  }
  return files;
}

async function readingFile<T>(path: string, work: (read: ReadAt) => Promise<T>): Promise<T> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    return await work(readHandle(handle));
  } finally {
    await handle.close();
  }
}
