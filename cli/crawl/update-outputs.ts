import type { OutputOptions, StoredCrawl } from '../../api/stored-crawl.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { createSkips } from '../skips.ts';

/** `strand crawl --documents --search`, when the crawl is over. Ends with 1 if a page could not be read. */
export async function updateOutputs(
  crawl: Pick<StoredCrawl, 'updateOutputs'>,
  wanted: OutputOptions,
): Promise<ExitCode> {
  const skips = createSkips((url) => `${url} has no document`);
  const { documents, search } = await crawl.updateOutputs({ ...wanted, skip: skips.skip });
  if (documents) {
    const made = `${documents.added === documents.documents ? '' : `, ${documents.added} of them new`}`;
    process.stderr.write(`${formatCounted(documents.documents, 'document')} in documents.jsonl${made}\n`);
  }
  if (search !== undefined) process.stderr.write(`${formatCounted(search, 'page')} in the index of search\n`);
  return skips.count > 0 ? exitCodes.unexpected : exitCodes.finished;
}
