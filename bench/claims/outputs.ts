/**
 * The CPU of a page by what is made of it: each output alone, and all of them of one content, as a hook that uses them all
 * has it.
 *
 *     npm run bench -- outputs [FOLDER of .html files]        without one: pages of the generated web
 */
import { openSearchIndex, type SearchIndex } from '../../api/exports/search-index.ts';
import { extractContent } from '../../shared/core/content/extract.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { createDocumentParser, type DocumentFacts } from '../../shared/core/parser/document.ts';
import { documentText } from '../../shared/core/parser/document-text.ts';
import { NearDuplicates } from '../../shared/crawler/turn/copies/near-duplicates.ts';
import type { TurnCrawl } from '../../shared/crawler/turn/turn-crawl.ts';
import { tuneV8 } from '../../shared/engines/tune-v8.ts';
import { createPageContent, type PageContent } from '../../shared/services/hooks/page-content.ts';
import { chunkMarkdown } from '../../shared/services/outputs/chunk-markdown.ts';
import { type DocumentRow, documentRow } from '../../shared/services/outputs/document-row.ts';
import { llmsPage } from '../../shared/services/outputs/llms.ts';
import { markdownFile } from '../../shared/services/outputs/markdown-files.ts';
import {
  type DocumentMaking,
  documentFrom,
  documentOf,
} from '../../shared/services/outputs/page-document.ts';
import type { BenchOptions } from '../claims.ts';
import { cpuMsOf } from '../harness/cpu-time.ts';
import { type BenchDocument, documentsOf } from '../harness/documents.ts';
import { type Figure, type Measured, median } from '../harness/record.ts';

/** Pages are taken from all parts of a larger folder. */
const MAX_PAGES = 250;
/** A turn remembers its own pages. */
const PAGES_OF_TURN = 50;
const MAX_BYTES = 16 * 1024 * 1024;
const HEADERS = [['Content-Type', 'text/html']] as const;
const DATE = '2026-01-01T00:00:00Z';
const CHUNKS = { maxTokens: 500, overlapTokens: 50 };

interface Page extends BenchDocument {
  readonly place: number;
}

/** The state of one round. */
interface Round {
  readonly index: SearchIndex;
  near: NearDuplicates;
}

type Output = (page: Page, round: Round) => void | Promise<void>;

export async function measure({ words: [folder], rounds }: BenchOptions): Promise<Measured> {
  const pages = sampleOf(documentsOf(folder));
  // As the command line does.
  tuneV8();
  const times = new Map(Object.keys(OUTPUTS).map((name) => [name, [] as number[]]));
  // The first round is for the compiler. Interleaved, as the machine's speed changes.
  for (let count = 0; count <= rounds; count++)
    for (const [name, output] of Object.entries(OUTPUTS)) {
      const round: Round = { index: openSearchIndex(':memory:'), near: newTurn() };
      const ms = await cpuMsOf(async () => {
        for (const page of pages) {
          if (page.place % PAGES_OF_TURN === 0) round.near = newTurn();
          await output(page, round);
        }
      });
      round.index.close();
      if (count > 0) times.get(name)!.push(ms / pages.length);
    }
  const of = (name: keyof typeof OUTPUTS) => median(times.get(name)!);
  const scan = of('scan');
  const value = (ms: number, unit: string): Figure => ({ value: ms, unit });
  const bytes = pages.reduce((sum, page) => sum + page.bytes.length, 0);
  return {
    figures: {
      allMsPerPage: value(of('all') - scan, 'ms of CPU a page for all outputs together'),
      documentsMsPerPage: value(of('documents'), 'ms for a line of documents alone'),
      markdownMsPerPage: value(of('markdown'), 'ms for a file of Markdown'),
      llmsMsPerPage: value(of('llms'), 'ms for a page of llms-full.txt'),
      chunksMsPerPage: value(of('chunks'), 'ms for chunks'),
      searchMsPerPage: value(of('search'), 'ms for the search index'),
      nearDuplicatesMsPerPage: value(of('nearDuplicates') - scan, 'ms to find near-duplicates'),
      hookMarkdownMsPerPage: value(of('hookMarkdown'), "ms for a hook's `markdown`"),
      hookTextMsPerPage: value(of('hookText'), "ms for a hook's `text`"),
      extractionMsPerPage: value(of('extraction'), 'ms for the main content from decoded HTML'),
      scanMsPerPage: value(scan, 'ms for the links alone, in no figure above'),
      kbPerPage: value(bytes / 1000 / pages.length, 'KB a page'),
    },
    detail: `${pages.length} ${folder === undefined ? 'generated pages' : `files of ${folder}`}, ${rounds} rounds`,
  };
}

const OUTPUTS = {
  scan: async (page) => void (await factsOf(page, false)),
  nearDuplicates: async (page, { near }) => compare(page, await factsOf(page, true), near),
  documents: async (page) => void JSON.stringify(await archivedRow(page)),
  markdown: async (page) => void markdownFile(await archivedRow(page)),
  llms: async (page) => void llmsPage(await archivedRow(page)),
  chunks: async (page) => void chunkMarkdown((await archivedRow(page)).markdown, CHUNKS),
  search: async (page, { index }) => index.add(await archivedRow(page, { withoutMarkdown: true })),
  hookMarkdown: (page) => void contentOf(page).main.markdown,
  hookText: (page) => void contentOf(page).text,
  extraction: ({ url, bytes }) => {
    const { text, markdown } = extractContent(documentText(bytes, undefined, false).text, url);
    void [text, markdown];
  },
  async all(page, { index, near }) {
    const facts = await factsOf(page, true);
    compare(page, facts, near);
    const content = contentOf(page, facts.charset);
    void [content.text, content.main.markdown];
    const document = rowOf(page, documentFrom(page.url, DATE, content.main));
    void [JSON.stringify(document), markdownFile(document), llmsPage(document)];
    chunkMarkdown(document.markdown, CHUNKS);
    index.add(document);
  },
} satisfies Record<string, Output>;

function sampleOf(documents: readonly BenchDocument[]): Page[] {
  const step = Math.max(1, documents.length / MAX_PAGES);
  const count = Math.floor(documents.length / step);
  return Array.from({ length: count }, (_, place) => ({ ...documents[Math.floor(place * step)]!, place }));
}

const newTurn = () => new NearDuplicates({ config: { nearDuplicates: 'mark' } } as unknown as TurnCrawl);

/** The page as the crawl reads it while it arrives. */
async function factsOf({ url, bytes }: Page, wantsBlocks: boolean): Promise<DocumentFacts> {
  const parser = createDocumentParser({
    url,
    headers: HEADERS,
    maxDecodedBytes: MAX_BYTES,
    maxLinks: 6000,
    wantsBlocks,
  });
  for (let at = 0; at < bytes.length; at += 65_536) parser.write(bytes.subarray(at, at + 65_536));
  return parser.end();
}

function compare({ url }: Page, facts: DocumentFacts, near: NearDuplicates): void {
  const found = { depth: 1, level: 0, seenAt: 0, dueAt: 0, redirects: 0, attempts: 0 };
  const waiting: UrlRecord = { ...found, url, state: 'waiting' };
  near.causeOf(waiting, facts);
  near.remember({ ...waiting, state: 'fetched', result: { httpStatus: 200, fetchedAt: 0 } }, facts);
}

const contentOf = ({ url, bytes }: Page, charset?: string): PageContent =>
  createPageContent(bytes, { headers: HEADERS }, { url, mimeType: 'text/html', charset }, MAX_BYTES);

async function archivedRow(page: Page, making?: DocumentMaking): Promise<DocumentRow> {
  const response = { date: DATE, headers: HEADERS, body: page.bytes };
  return rowOf(page, await documentOf(page.url, response, MAX_BYTES, making));
}

function rowOf({ url }: Page, document: Awaited<ReturnType<typeof documentOf>>): DocumentRow {
  const shown = document ?? { url, fetchedAt: DATE, types: [], text: '', markdown: '' };
  return documentRow(shown, { depth: 1 });
}
