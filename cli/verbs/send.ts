import type { StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { RowStream } from '../export/row-stream.ts';
import { formatCount, formatCounted } from '../format.ts';
import { readCrawl, textOf } from '../given.ts';
import { CONFIG_OPTION, JSON_OPTION } from '../option-spec.ts';
import { createSkips } from '../skips.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

/** Documents between two lines of progress. */
const DOCUMENTS_A_LINE = 5000;

export const command = verb({
  usage: 'send DIR --to ADDRESS [options]',
  more: 'Those that are new, changed or gone.',
  examples: [
    'send crawls/a --to opensearch+https://example.org:9200/pages',
    'send crawls/a --to webhook+https://example.org/documents',
    'send crawls/a --to s3://my-bucket/pages',
  ],
  options: [
    CONFIG_OPTION,
    {
      name: 'to',
      argument: 'ADDRESS',
      type: 'text',
      group: 'Output',
      help: 'opensearch+https://HOST/INDEX (or elasticsearch+), webhook+https://HOST/PATH, or s3://BUCKET/PREFIX',
    },
    JSON_OPTION,
  ],
  read(given) {
    const crawl = readCrawl(given);
    const to = textOf(given, 'to');
    if (to === undefined) throw new UsageError('Expected --to ADDRESS: where the documents are sent');
    return { crawl, to, config: textOf(given, 'config') };
  },
  run: async ({ crawl, to, config }, place) =>
    printSent(await place.openForDocuments(crawl, config), { to, json: place.json }, place.out),
});

/** Ends with 1 if a document could not be made or was refused. The credentials come from the environment. */
export async function printSent(
  crawl: Pick<StoredCrawl, 'sendDocuments'>,
  { to, json }: { readonly to: string; readonly json: boolean },
  out: RowStream,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ExitCode> {
  const { skip } = createSkips((url) => url);
  let shown = 0;
  const secrets = {
    user: environment.STRAND_SINK_USER,
    apiKey: environment.STRAND_SINK_API_KEY,
    webhookSecret: environment.STRAND_SINK_SECRET,
  };
  const onSent = (count: number) => {
    if (count - shown < DOCUMENTS_A_LINE) return;
    shown = count;
    process.stderr.write(`${formatCount(count)} documents sent\n`);
  };
  try {
    const counts = await crawl.sendDocuments(to, { secrets, skip, onSent });
    const { sent, deleted, refused, skipped } = counts;
    const text = [
      `${formatCounted(sent, 'document')} sent, ${formatCount(deleted)} deleted`,
      ...(refused > 0 ? [`${formatCount(refused)} refused`] : []),
      ...(skipped > 0 ? [`${formatCounted(skipped, 'page')} could not be read`] : []),
    ].join('; ');
    out.write(`${json ? JSON.stringify(counts) : text}\n`);
    return refused + skipped > 0 ? exitCodes.unexpected : exitCodes.finished;
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'InvalidSink') {
      const isSecretMissing = to.startsWith('webhook+') && !environment.STRAND_SINK_SECRET;
      const hint = isSecretMissing ? '; set the environment variable STRAND_SINK_SECRET' : '';
      throw new UsageError(`--to: ${message}${hint}`, { cause: error });
    }
    if (name !== 'SinkFailed') throw error;
    process.stderr.write(`strand: ${printable(message)}\nWhat was not sent is sent by the next run.\n`);
    return exitCodes.unexpected;
  }
}
