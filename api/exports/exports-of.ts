import type { ExportSource } from '../../shared/services/exports/export-source.ts';
import type { StoredCrawl } from '../stored-crawl.ts';

/** The exports of a crawl that read its archive, in a folder or on a stack. Each loads its code when it is called. */
export const exportsOf = (
  source: ExportSource,
  crawl: () => Pick<StoredCrawl, 'urls' | 'documents'>,
): Pick<
  StoredCrawl,
  'brokenLinks' | 'inlinks' | 'exportMirror' | 'exportParquet' | 'exportDerived' | 'exportGraph'
> => ({
  async brokenLinks(skip) {
    return (await import('./find-broken-links.ts')).findBrokenLinks(source, skip);
  },
  async inlinks(url, skip) {
    return (await import('./find-inlinks.ts')).findInlinks(source, url, skip);
  },
  async exportMirror(out, { skip } = {}) {
    return (await import('./write-mirror.ts')).writeMirror(source, out, skip);
  },
  async exportParquet(out, options) {
    const { exportParquet } = await import('./export-parquet.ts');
    const { urls, documents } = crawl();
    return exportParquet({ ...source, urls, documents }, out, options);
  },
  async exportGraph(out, options) {
    return (await import('./export-graph.ts')).exportGraph(source, out, options);
  },
  async exportDerived(format, out, options) {
    return (await import('./derived-warc.ts')).exportDerived(source, format, out, options);
  },
});
