/** Documents as files in a folder: Markdown for people and other programs, texts for language models. */
import { mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DocumentRow } from '../shared/services/outputs/document-row.ts';
import { llmsEntry, llmsHeader, llmsPage } from '../shared/services/outputs/llms.ts';
import { markdownFile, markdownPaths } from '../shared/services/outputs/markdown-files.ts';
import { FolderNotEmpty } from './folder-not-empty.ts';
import type { DocumentOptions, ExportedDocuments } from './stored-crawl.ts';

type SkipOptions = Pick<DocumentOptions, 'skip'>;

/** The documents of a crawl, in a folder or on a stack. */
export interface CrawlDocuments {
  /** The crawl's name. */
  readonly name: string;
  documents(options?: DocumentOptions): AsyncIterable<DocumentRow>;
  /** Yields the URLs of the pages that have documents, unless these cannot be read. Reads no page. */
  documentUrls(): AsyncIterable<string>;
}

/**
 * Writes a file for each page, named after its URL, with front matter and with relative links between the
 * pages. Throws {@link FolderNotEmpty}. Holds the URL and the path of each page in memory: some 300 bytes.
 */
export async function writeMarkdown(
  crawl: CrawlDocuments,
  out: string,
  options: SkipOptions = {},
): Promise<ExportedDocuments> {
  await makeEmptyFolder(out);
  const urls: string[] = [];
  for await (const url of crawl.documentUrls()) urls.push(url);
  const { add, rewrite } = markdownPaths(urls);
  const { counts, skip } = counting(options);
  const made = new Set<string>();
  for await (const document of crawl.documents({ skip, rewrite })) {
    const file = join(out, add(document.url));
    const parent = dirname(file);
    if (!made.has(parent)) await mkdir(parent, { recursive: true });
    made.add(parent);
    await writeFile(file, markdownFile(document));
    counts.documents++;
  }
  return counts;
}

/** Writes `llms.txt` and `llms-full.txt` (https://llmstxt.org). Throws {@link FolderNotEmpty}. */
export async function writeLlms(
  crawl: CrawlDocuments,
  out: string,
  options: SkipOptions = {},
): Promise<ExportedDocuments> {
  await makeEmptyFolder(out);
  const { counts, skip } = counting(options);
  await using index = await open(join(out, 'llms.txt'), 'w');
  await using full = await open(join(out, 'llms-full.txt'), 'w');
  await index.write(llmsHeader(crawl.name));
  let before: string | undefined;
  for await (const document of crawl.documents({ skip })) {
    await index.write(llmsEntry(document, before));
    await full.write(llmsPage(document));
    before = document.url;
    counts.documents++;
  }
  return counts;
}

function counting({ skip }: SkipOptions) {
  const counts = { documents: 0, skipped: 0 };
  return {
    counts,
    skip(url: string, reason: string) {
      counts.skipped++;
      skip?.(url, reason);
    },
  };
}

/** Throws {@link FolderNotEmpty}. */
export async function makeEmptyFolder(out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0) throw new FolderNotEmpty(out);
}
