import type { DuplicateCluster, DuplicatePages } from '../../api/duplicates.ts';
import { openCrawl } from '../../api/open-crawl.ts';
import type { StoredCrawl } from '../../api/stored-crawl.ts';
import { MIN_WORDS_READ } from '../../shared/core/alike/own-sketch.ts';
import { printable } from '../../shared/core/text/printable.ts';
import type { LocalCommandOf } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCount, formatCounted } from '../format.ts';
import type { RowStream } from './write-rows.ts';

const DEFAULT_LIMIT = 20;
/** Copies that are named for each cluster in the text. */
const MAX_COPIES = 5;
/** Pages that cannot be read and are named on standard error. */
const MAX_NAMED = 10;
/** Pages between two lines of progress. */
const PAGES_A_LINE = 10_000;

/** `strand duplicates DIR`. */
export async function duplicates({ dir, ...asked }: LocalCommandOf<'duplicates'>): Promise<ExitCode> {
  await using crawl = await openCrawl(dir);
  return await printDuplicates(crawl, asked, process.stdout);
}

type Asked = Omit<LocalCommandOf<'duplicates'>, 'dir' | 'verb'>;

/** The same for an open crawl: a cluster a line as JSON, or as text with a sum. */
export async function printDuplicates(
  crawl: Pick<StoredCrawl, 'duplicates'>,
  { limit, index, json }: Asked,
  out: RowStream,
): Promise<ExitCode> {
  let unread = 0;
  const skip = (url: string, reason: string) => {
    if (unread++ < MAX_NAMED)
      process.stderr.write(`strand: ${printable(url)} was not compared: ${printable(reason)}\n`);
  };
  const onRead = (pages: number) => {
    if (pages % PAGES_A_LINE === 0) process.stderr.write(`${formatCount(pages)} pages read\n`);
  };
  const found = await crawl.duplicates({ skip, onRead, ...(index && { index }) });
  if (json) {
    const shown = found.clusters.slice(0, limit);
    for (const cluster of shown) out.write(`${JSON.stringify(cluster)}\n`);
  } else out.write(textOf(found, limit ?? DEFAULT_LIMIT));
  if (unread > 0) process.stderr.write(`${formatCounted(unread, 'page')} could not be read\n`);
  return exitCodes.finished;
}

function textOf({ pages, copies, clusters }: DuplicatePages, limit: number): string {
  const shown = clusters.slice(0, limit).map(clusterText);
  const rest = clusters.length - shown.length;
  const more =
    rest > 0
      ? [`and ${formatCounted(rest, 'further cluster')} (--limit ${clusters.length} shows all)\n`]
      : [];
  const sum =
    pages === 0
      ? `No page has ${MIN_WORDS_READ} words of its own: shorter ones are not compared\n`
      : `${formatCount(copies)} of ${formatCounted(pages, 'page')} (those with ${MIN_WORDS_READ} words of their own or more) nearly the same as another one, in ${formatCounted(clusters.length, 'cluster')}\n`;
  return [...shown, ...more, sum].join('');
}

function clusterText({ original, copies }: DuplicateCluster): string {
  const lines = copies
    .slice(0, MAX_COPIES)
    .map(({ url, similarity }) => `  ${similarity.toFixed(2)}  ${printable(url)}`);
  const rest = copies.length - lines.length;
  if (rest > 0) lines.push(`        and ${formatCount(rest)} more`);
  return `${printable(original)}\n${lines.join('\n')}\n\n`;
}
