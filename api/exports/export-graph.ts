/** The link graph of a crawl, in the text form of Common Crawl's web graphs. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eachLink, redirectsOf } from '../../shared/services/exports/crawl-links.ts';
import type { ExportSource } from '../../shared/services/exports/export-source.ts';
import { createHostLinks } from '../../shared/services/exports/gather-links.ts';
import type { DocumentOptions, ExportedGraph } from '../stored-crawl.ts';
import { makeEmptyFolder } from '../write-documents.ts';
import { createGraphBuilder, type GraphBuilder } from './graph-builder.ts';

/**
 * See `StoredCrawl.exportGraph`. Sorts on disk, in `out`: some 200 bytes for each link, which are removed at the end.
 */
export async function exportGraph(
  source: ExportSource,
  out: string,
  { skip = () => {} }: Pick<DocumentOptions, 'skip'> = {},
): Promise<ExportedGraph> {
  await makeEmptyFolder(out);
  const runs = join(out, '.sorting');
  const graphs: GraphBuilder[] = [];
  let skipped = 0;
  try {
    const builderOf = async (name: string) => {
      await mkdir(join(runs, name), { recursive: true });
      const graph = createGraphBuilder(join(out, name), join(runs, name));
      graphs.push(graph);
      return graph;
    };
    const pages = await builderOf('pages');
    const hosts = await builderOf('hosts');
    const addHosts = createHostLinks(hosts);
    for await (const [from, to] of redirectsOf(source)) {
      await pages.addEdge(from, to);
      await addHosts(from, to);
    }
    await eachLink(
      source,
      async ({ page, target }) => {
        await pages.addEdge(page, target);
        await addHosts(page, target);
      },
      (url, reason) => {
        skipped++;
        skip(url, reason);
      },
      async (page) => {
        await pages.addVertex(page);
        await addHosts(page, page);
      },
    );
    return { hosts: await hosts.finish(), pages: await pages.finish(), skipped };
  } finally {
    for (const graph of graphs) await graph.dispose();
    await rm(runs, { recursive: true, force: true });
  }
}
