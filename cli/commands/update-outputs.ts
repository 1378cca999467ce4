import type { OutputOptions, StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';

/** Pages without a document that are named on standard error. */
const MAX_NAMED = 10;

/** `strand crawl --documents --search`, when the crawl is over. Ends with 1 if a page could not be read. */
export async function updateOutputs(
  crawl: Pick<StoredCrawl, 'updateOutputs'>,
  wanted: OutputOptions,
): Promise<ExitCode> {
  let unread = 0;
  const skip = (url: string, reason: string) => {
    if (unread++ < MAX_NAMED)
      process.stderr.write(`strand: ${printable(url)} has no document: ${printable(reason)}\n`);
  };
  const { documents, search } = await crawl.updateOutputs({ ...wanted, skip });
  if (documents) {
    const made = `${documents.added === documents.documents ? '' : `, ${documents.added} of them new`}`;
    process.stderr.write(`${formatCounted(documents.documents, 'document')} in documents.jsonl${made}\n`);
  }
  if (search !== undefined) process.stderr.write(`${formatCounted(search, 'page')} in the index of search\n`);
  return unread > 0 ? exitCodes.unexpected : exitCodes.finished;
}
