import { anchorsOf, type Inlink } from '../../api/inlinks.ts';
import type { StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { RowStream } from '../export/row-stream.ts';
import { formatCounted } from '../format.ts';
import { isSet, readWords } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { seedUrl } from '../seeds.ts';
import { createSkips } from '../skips.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'inlinks DIR URL [options]',
  more: 'With the texts of their links.',
  examples: [
    'inlinks crawls/example.org https://example.org/about',
    'inlinks crawls/a https://example.org/about --anchors --json',
  ],
  options: [
    {
      name: 'anchors',
      type: 'flag',
      group: 'Output',
      help: 'show the texts of the links instead, each with the number of pages that have it',
    },
    JSON_OPTION,
  ],
  read(given) {
    const [crawl, url] = readWords(given, 'CRAWL', 'URL');
    return { crawl: crawl!, url: seedUrl(url!), anchors: isSet(given, 'anchors') };
  },
  run: async ({ crawl, ...asked }, { open, json, out }) =>
    printInlinks(await open(crawl), { ...asked, json }, out),
});

interface Asked {
  readonly url: string;
  /** The texts of the links instead of the pages. */
  readonly anchors: boolean;
  readonly json: boolean;
}

/** Ends with 4 if no page links to the URL. */
export async function printInlinks(
  crawl: Pick<StoredCrawl, 'inlinks'>,
  { url, anchors, json }: Asked,
  out: RowStream,
): Promise<ExitCode> {
  const skips = createSkips((page) => `${page} was not searched for links`);
  const found = await crawl.inlinks(url, skips.skip);
  const answer = anchors ? anchorsOf(found) : found;
  if (json) out.write(`${JSON.stringify(answer)}\n`);
  else if (anchors)
    for (const { text, pages } of anchorsOf(found)) out.write(`${pages}\t${printable(text)}\n`);
  else for (const link of found) out.write(`${inlinkText(link)}\n`);
  if (skips.count > 0) process.stderr.write(`${formatCounted(skips.count, 'page')} could not be read\n`);
  if (found.length > 0) return exitCodes.finished;
  if (!json) process.stderr.write(`No page of the crawl links to ${printable(url)}\n`);
  return exitCodes.nothingFetched;
}

function inlinkText({ page, texts, by }: Inlink): string {
  const shown = texts.map((text) => JSON.stringify(printable(text))).join(', ');
  return `${printable(page)}  ${shown}${by === undefined ? '' : `, by ${printable(by)}`}`;
}
