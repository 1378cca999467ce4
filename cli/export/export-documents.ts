import type { ExportedDocuments, StoredCrawl } from '../../api/stored-crawl.ts';
import { chunkMarkdown } from '../../shared/services/outputs/chunk-markdown.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { createSkips } from '../skips.ts';
import type { DocumentFormat } from './export-formats.ts';
import { intoFolder } from './into-folder.ts';
import { withOutput } from './output-file.ts';
import { jsonRow, writerTo } from './row-stream.ts';

interface DocumentExport {
  readonly format: DocumentFormat;
  readonly out?: string | undefined;
  readonly chunkTokens?: number | undefined;
}

type DocumentCrawl = Pick<StoredCrawl, 'documents' | 'exportMarkdown' | 'exportLlms'>;

/**
 * `strand export CRAWL --format documents|markdown|llms`. Ends with 1 if a page's document could not be made.
 */
export async function exportDocuments(
  crawl: DocumentCrawl,
  { format, out, chunkTokens }: DocumentExport,
): Promise<ExitCode> {
  const { skip } = createSkips((url) => `${url} has no document`);
  const counts =
    format === 'documents'
      ? await writeLines(crawl, out, skip, chunkTokens)
      : await intoFolder(() =>
          crawl[format === 'markdown' ? 'exportMarkdown' : 'exportLlms'](out!, { skip }),
        );
  if (out !== undefined) process.stderr.write(`${summary(counts)} in ${out}\n`);
  return counts.skipped > 0 ? exitCodes.unexpected : exitCodes.finished;
}

function summary({ documents, skipped }: ExportedDocuments): string {
  const written = formatCounted(documents, 'document');
  return skipped === 0 ? written : `${written}; ${formatCounted(skipped, 'page')} could not be read;`;
}

async function writeLines(
  crawl: DocumentCrawl,
  out: string | undefined,
  skip: (url: string, reason: string) => void,
  chunkTokens: number | undefined,
): Promise<ExportedDocuments> {
  const counts = { documents: 0, skipped: 0 };
  const onSkip = (url: string, reason: string) => {
    counts.skipped++;
    skip(url, reason);
  };
  await withOutput(out, async (stream) => {
    const write = writerTo(stream);
    for await (const document of crawl.documents({ skip: onSkip })) {
      for (const row of chunkTokens === undefined ? [document] : chunksOf(document, chunkTokens))
        await write(jsonRow(row));
      counts.documents++;
    }
  });
  return counts;
}

/** A row for each piece of the document, numbered from 0, with the facts of the document. */
function chunksOf({ text: _, markdown, ...facts }: DocumentRow, maxTokens: number): object[] {
  const chunks = chunkMarkdown(markdown, { maxTokens, overlapTokens: Math.floor(maxTokens / 8) });
  return chunks.map((chunk, i) => ({ ...facts, chunk: i, chunks: chunks.length, ...chunk }));
}
