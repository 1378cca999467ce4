/** Documents for people and language models: a folder of Markdown files, and the files of llmstxt.org. */

import type { DocumentRow } from '../outputs/document-row.ts';
import { llmsEntry, llmsHeader, llmsPage } from '../outputs/llms.ts';
import { markdownFile, markdownPaths } from '../outputs/markdown-files.ts';
import { hasDocument } from '../outputs/read-documents.ts';
import { documentsBehind } from './documents-behind.ts';
import type { ExportContext, ExportFacts, Pieces, StageSlice } from './export-context.ts';
import type { FolderFile } from './export-parts.ts';
import { storeFile } from './export-store.ts';
import { KeptText } from './kept-text.ts';
import { listedRows, listRows } from './list-stage.ts';
import { piecesOf, type SlicedAt, writeSlicedFile } from './sliced-file.ts';
import type { LedgerPlace } from './walk-ledgers.ts';
import { type FolderAt, writeFolder } from './zip-folder.ts';

/** Lists the pages that have a document: links between their files need the names of all. */
export const listDocuments = (context: ExportContext, at: never, facts: ExportFacts): Promise<StageSlice> =>
  listRows(context, at, facts, (record) => (hasDocument(record, context.modules) ? record.url : undefined));

export async function writeMarkdownFolder(
  context: ExportContext,
  at: FolderAt<LedgerPlace>,
  facts: ExportFacts,
): Promise<StageSlice> {
  const { rewrite, pathOf } = markdownPaths(await listedRows<string>(context, facts));
  // A page that came to the crawl since has no name.
  const isWanted = ({ url }: { url: string }) => pathOf(url) !== undefined;
  return writeFolder(context, at, `${context.crawl}-markdown.zip`, async function* (after) {
    for await (const { value, ...place } of documentsBehind(context, after, { rewrite, isWanted })) {
      const file: FolderFile | undefined = value && {
        path: pathOf(value.url)!,
        body: Buffer.from(markdownFile(value)),
      };
      yield { ...place, value: file };
    }
  });
}

interface LlmsState {
  /** The page before. */
  readonly before?: string | undefined;
  /** The lines of the index so far. */
  readonly index: Pieces;
}

/** Writes `llms-full.txt`, and `llms.txt` when it is at its end. */
export const writeLlmsFiles = (
  context: ExportContext,
  at: SlicedAt<LedgerPlace, LlmsState> | undefined,
): Promise<StageSlice> =>
  writeSlicedFile<DocumentRow, LedgerPlace, LlmsState>(context, at, {
    name: 'llms-full.txt',
    values: (after) => documentsBehind(context, after),
    open(upload, state = { index: [] }) {
      const index = new KeptText(context, 'llms', state.index);
      let { before } = state;
      return {
        async add(document) {
          await index.add(llmsEntry(document, before));
          before = document.url;
          await upload.add(Buffer.from(llmsPage(document)));
        },
        pause: async () => ({ before, index: await index.end() }),
        async finish() {
          async function* lines() {
            yield Buffer.from(llmsHeader(context.crawl));
            yield* piecesOf(context, await index.end());
          }
          return { files: 1, bytes: await storeFile(context.objects, 'llms.txt', lines()) };
        },
      };
    },
  });
