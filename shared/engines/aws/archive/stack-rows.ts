/** The known URLs of a stack's crawls, by their ledgers. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { ExportRows } from '../../../services/exports/export-source.ts';
import type { StackSettings } from '../settings.ts';
import type { OpenedStack } from '../stack.ts';
import { type JoinedResolver, joinedResolver } from './joined-warcs.ts';

export function stackRows(
  { engine, clients }: Pick<OpenedStack, 'engine' | 'clients'>,
  { crawlState: table }: Pick<StackSettings, 'crawlState'>,
): ExportRows {
  const { clock, ledgers } = engine;
  const resolvers = new Map<CrawlId, JoinedResolver>();
  return {
    ledgers,
    locateAll(crawl, locations) {
      const resolver =
        resolvers.get(crawl) ?? joinedResolver({ dynamo: clients.dynamo, clock, table }, crawl);
      resolvers.set(crawl, resolver);
      return resolver.resolveAll(locations);
    },
  };
}
