/** The known URLs of a stack's crawls, by their ledgers. */
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { type JoinedResolver, joinedResolver } from '../../shared/engines/aws/archive/joined-warcs.ts';
import type { StackSettings } from '../../shared/engines/aws/settings.ts';
import type { OpenedStack } from '../../shared/engines/aws/stack.ts';
import type { RowSource } from '../url-rows.ts';

export function stackRows(
  { engine, clients }: Pick<OpenedStack, 'engine' | 'clients'>,
  names: Pick<StackSettings, 'crawlState'>,
): RowSource {
  const { clock, ledgers } = engine;
  const resolvers = new Map<CrawlId, JoinedResolver>();
  return {
    ledgers,
    locateAll(crawl, locations) {
      const resolver =
        resolvers.get(crawl) ?? joinedResolver({ dynamo: clients.dynamo, clock, names }, crawl);
      resolvers.set(crawl, resolver);
      return resolver.resolveAll(locations);
    },
  };
}
