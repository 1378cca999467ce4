import type { StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import type { LocalCommandOf } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCount, formatCounted } from '../format.ts';
import { UsageError } from '../usage-error.ts';
import { openForDocuments } from './project-modules.ts';
import type { RowStream } from './write-rows.ts';

/** Pages that are named on standard error. */
const MAX_NAMED = 10;
/** Documents between two lines of progress. */
const DOCUMENTS_A_LINE = 5000;

/** `strand send DIR --to ADDRESS`. Ends with 1 if a document could not be made or was refused. */
export async function send({ dir, to, config, json }: LocalCommandOf<'send'>): Promise<ExitCode> {
  await using crawl = await openForDocuments(dir, config);
  return await printSent(crawl, { to, json }, process.stdout);
}

/** The same for an open crawl. The credentials come from the environment. */
export async function printSent(
  crawl: Pick<StoredCrawl, 'sendDocuments'>,
  { to, json }: { readonly to: string; readonly json: boolean },
  out: RowStream,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ExitCode> {
  let named = 0;
  let shown = 0;
  const secrets = {
    user: environment.STRAND_SINK_USER,
    apiKey: environment.STRAND_SINK_API_KEY,
    webhookSecret: environment.STRAND_SINK_SECRET,
  };
  const skip = (url: string, reason: string) => {
    if (named++ < MAX_NAMED) process.stderr.write(`strand: ${printable(url)}: ${printable(reason)}\n`);
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
