import type { DuplicateCluster, DuplicatePages } from '../../api/duplicates.ts';
import type { StoredCrawl } from '../../api/stored-crawl.ts';
import { MIN_WORDS_READ } from '../../shared/core/alike/own-sketch.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { RowStream } from '../export/row-stream.ts';
import { formatCount, formatCounted } from '../format.ts';
import { numberOf, readCrawl, textOf } from '../given.ts';
import { INDEX_OPTION, JSON_OPTION } from '../option-spec.ts';
import { createSkips } from '../skips.ts';
import { verb } from '../verb.ts';

const DEFAULT_LIMIT = 20;
/** Copies that are named for each cluster in the text. */
const MAX_COPIES = 5;
/** Pages between two lines of progress. */
const PAGES_A_LINE = 10_000;

export const command = verb({
  usage: 'duplicates DIR [options]',
  more: 'They are shown in clusters.',
  examples: ['duplicates crawls/example.org', 'duplicates crawls/a --limit 100 --json'],
  options: [
    JSON_OPTION,
    {
      name: 'limit',
      argument: 'N',
      type: 'count',
      group: 'Output',
      help: 'at most N clusters (20 by default)',
    },
    INDEX_OPTION,
  ],
  read: (given) => ({
    crawl: readCrawl(given),
    limit: numberOf(given, 'limit'),
    index: textOf(given, 'index'),
  }),
  run: async ({ crawl, ...asked }, { open, json, out }) =>
    printDuplicates(await open(crawl), { ...asked, json }, out),
});

interface Asked {
  readonly limit?: number | undefined;
  /** The file of the sketches. */
  readonly index?: string | undefined;
  readonly json: boolean;
}

/** Prints a cluster a line as JSON, or text with a sum. */
export async function printDuplicates(
  crawl: Pick<StoredCrawl, 'duplicates'>,
  { limit, index, json }: Asked,
  out: RowStream,
): Promise<ExitCode> {
  const skips = createSkips((url) => `${url} was not compared`);
  const onRead = (pages: number) => {
    if (pages % PAGES_A_LINE === 0) process.stderr.write(`${formatCount(pages)} pages read\n`);
  };
  const found = await crawl.duplicates({ skip: skips.skip, onRead, ...(index && { index }) });
  if (json) {
    const shown = found.clusters.slice(0, limit);
    for (const cluster of shown) out.write(`${JSON.stringify(cluster)}\n`);
  } else out.write(clustersText(found, limit ?? DEFAULT_LIMIT));
  if (skips.count > 0) process.stderr.write(`${formatCounted(skips.count, 'page')} could not be read\n`);
  return exitCodes.finished;
}

function clustersText({ pages, copies, clusters }: DuplicatePages, limit: number): string {
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
