import type { ExportSource } from '../../shared/services/exports/export-source.ts';
import type { StoredCrawl } from '../stored-crawl.ts';

export type CrawlExports = Pick<
  StoredCrawl,
  | 'brokenLinks'
  | 'inlinks'
  | 'exportMarkdown'
  | 'exportLlms'
  | 'exportMirror'
  | 'exportParquet'
  | 'exportDerived'
  | 'exportGraph'
>;

/** The exports of a crawl, in a folder or on a stack. Each loads its code when it is called. */
export function exportsOf(source: ExportSource): CrawlExports & Pick<StoredCrawl, 'wacz'> {
  const made = () => import('./make-exports.ts');
  return {
    async brokenLinks(skip) {
      return (await import('./find-broken-links.ts')).findBrokenLinks(source, skip);
    },
    async inlinks(url, skip) {
      return (await import('./find-inlinks.ts')).findInlinks(source, url, skip);
    },
    exportMarkdown: async (out, options) => (await made()).exportDocuments(source, 'markdown', out, options),
    exportLlms: async (out, options) => (await made()).exportDocuments(source, 'llms', out, options),
    exportMirror: async (out, options) => (await made()).exportMirror(source, out, options),
    exportParquet: async (out, options) => (await made()).exportParquet(source, out, options),
    exportGraph: async (out, options) => (await made()).exportGraph(source, out, options),
    exportDerived: async (format, out, options) => (await made()).exportDerived(source, format, out, options),
    async *wacz(warn) {
      yield* (await made()).waczOf(source, warn);
    },
  };
}
