/** Documents, tables, mirrors and a search, made of the archive of a stack's crawl. */
import { parseCdxjLine } from '../../shared/core/archive/parse-cdxj-line.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import type { StackArchive } from '../../shared/engines/aws/archive/stack-archive.ts';
import { payloadsOf } from '../../shared/engines/aws/archive/stack-payloads.ts';
import type { ExportSource } from '../../shared/services/exports/export-source.ts';
import { moduleReading } from '../../shared/services/exports/module-reading.ts';
import type { ModuleReading } from '../../shared/services/outputs/page-document.ts';
import type { MediaModule } from '../../shared/services/project/media-module.ts';
import { flat, urlRows } from '../../shared/services/report/url-rows.ts';
import { crawlDocuments } from '../crawl-documents.ts';
import { exportsOf } from '../exports/exports-of.ts';
import type { SearchedCrawl } from '../exports/search.ts';
import type { StackCrawl } from '../stack-crawl.ts';
import type { DocumentOptions } from '../stored-crawl.ts';
import { cacheFiles } from './cache-folder.ts';
import type { StackConnection } from './connect-stack.ts';
import { explainedAll, explainedOne } from './explained.ts';

function documentExports(
  connection: StackConnection,
  crawl: CrawlId,
  archive: StackArchive,
  modules: ModuleReading | undefined,
): Documents {
  const open = async () => ({ ...payloadsOf(archive, crawl), close: async () => {} });
  const pages = crawlDocuments(connection.rows, crawl, open, modules);
  const documents = (options?: DocumentOptions) => explainedAll(connection, pages.documents(options));
  const shown = { ...pages, documents };
  const writers = () => import('../write-documents.ts');
  return {
    documents,
    exportMarkdown: async (out, options) => (await writers()).writeMarkdown(shown, out, options),
    exportLlms: async (out, options) => (await writers()).writeLlms(shown, out, options),
  };
}

function exportSource(
  connection: StackConnection,
  crawl: CrawlId,
  record: CrawlRecord,
  archive: StackArchive,
): ExportSource {
  return {
    crawl,
    record,
    rows: connection.rows,
    archive: payloadsOf(archive, crawl),
    async openWarcs() {
      const { warcs, reader, cdxj } = await archive.list();
      return {
        files: warcs.map(({ name }) => name),
        reader,
        async *captures(warn) {
          for await (const line of cdxj(warn)) yield parseCdxjLine(line.trimEnd(), crawl);
        },
        close: async () => {},
      };
    },
    openItems: () => () => connection.itemsOf(crawl),
  };
}

type Documents = Pick<StackCrawl, 'documents' | 'exportMarkdown' | 'exportLlms'>;
type Exports = ReturnType<typeof exportsOf>;

/** Returns the functions of a crawl that read its archive. Errors of their calls say what to do. */
export function stackExports(
  connection: StackConnection,
  { crawl, record }: { readonly crawl: CrawlId; readonly record: CrawlRecord },
  archive: StackArchive,
  modules?: readonly MediaModule[],
): Documents & Exports & Pick<StackCrawl, 'search' | 'duplicates'> {
  const reading = moduleReading(modules, record, connection.clock);
  const documents = documentExports(connection, crawl, archive, reading);
  const source = {
    ...exportSource(connection, crawl, record, archive),
    openModules: async () => reading,
  };
  const urls = () => flat(urlRows(connection.rows, crawl));
  const cache = cacheFiles(connection.stack, crawl);
  const searched: SearchedCrawl = {
    index: cache.search,
    documents: documents.documents,
    archiveState: async () =>
      JSON.stringify((await archive.list()).warcs.map(({ name, bytes }) => [name, bytes])),
  };
  return {
    ...documents,
    ...explainedExports(
      connection,
      exportsOf(source, () => ({ urls, documents: documents.documents })),
    ),
    duplicates: (options) =>
      explainedOne(
        connection,
        import('../exports/find-duplicates.ts').then(({ findDuplicates }) =>
          findDuplicates(source, cache.sketches, options),
        ),
      ),
    search: (words, options) =>
      explainedOne(
        connection,
        import('../exports/search.ts').then(({ search }) => search(searched, words, options)),
      ),
  };
}

/** Returns the function of a crawl that sends its documents. The list of sent documents is on this machine. */
export const stackSending = (
  connection: StackConnection,
  name: CrawlId,
  crawl: Pick<StackCrawl, 'documents' | 'url'>,
): Pick<StackCrawl, 'sendDocuments'> => ({
  async sendDocuments(to, options) {
    const { sendDocuments } = await import('../sinks/send-documents.ts');
    const sent = cacheFiles(connection.stack, name).sinks;
    return sendDocuments({ ...crawl, name, sent }, to, options);
  },
});

/** As above, with errors that say what to do. */
const explainedExports = (connection: StackConnection, exports: Exports): Exports => ({
  brokenLinks: (skip) => explainedOne(connection, exports.brokenLinks(skip)),
  inlinks: (url, skip) => explainedOne(connection, exports.inlinks(url, skip)),
  exportGraph: (out, options) => explainedOne(connection, exports.exportGraph(out, options)),
  exportMirror: (out, options) => explainedOne(connection, exports.exportMirror(out, options)),
  exportParquet: (out, options) => explainedOne(connection, exports.exportParquet(out, options)),
  exportDerived: (format, out, options) =>
    explainedOne(connection, exports.exportDerived(format, out, options)),
});
