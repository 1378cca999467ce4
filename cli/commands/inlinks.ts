import { anchorsOf, type Inlink } from '../../api/inlinks.ts';
import { openCrawl } from '../../api/open-crawl.ts';
import type { StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import type { LocalCommandOf } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import type { RowStream } from './write-rows.ts';

/** Pages that cannot be read and are named on standard error. */
const MAX_NAMED = 10;

/** `strand inlinks DIR URL [--anchors] [--json]`. Ends with 4 if no page links to the URL. */
export async function inlinks({ dir, ...asked }: LocalCommandOf<'inlinks'>): Promise<ExitCode> {
  await using crawl = await openCrawl(dir);
  return await printInlinks(crawl, asked, process.stdout);
}

type Asked = Pick<LocalCommandOf<'inlinks'>, 'url' | 'anchors' | 'json'>;

/** The same for an open crawl. */
export async function printInlinks(
  crawl: Pick<StoredCrawl, 'inlinks'>,
  { url, anchors, json }: Asked,
  out: RowStream,
): Promise<ExitCode> {
  let unread = 0;
  const found = await crawl.inlinks(url, (page, reason) => {
    if (unread++ < MAX_NAMED)
      process.stderr.write(`strand: ${printable(page)} was not searched for links: ${printable(reason)}\n`);
  });
  const answer = anchors ? anchorsOf(found) : found;
  if (json) out.write(`${JSON.stringify(answer)}\n`);
  else if (anchors)
    for (const { text, pages } of anchorsOf(found)) out.write(`${pages}\t${printable(text)}\n`);
  else for (const link of found) out.write(`${inlinkText(link)}\n`);
  if (unread > 0) process.stderr.write(`${formatCounted(unread, 'page')} could not be read\n`);
  if (found.length > 0) return exitCodes.finished;
  if (!json) process.stderr.write(`No page of the crawl links to ${printable(url)}\n`);
  return exitCodes.nothingFetched;
}

function inlinkText({ page, texts, by }: Inlink): string {
  const shown = texts.map((text) => JSON.stringify(printable(text))).join(', ');
  return `${printable(page)}  ${shown}${by === undefined ? '' : `, by ${printable(by)}`}`;
}
