import { SIZES, type Sizes } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { LinksByHost } from '../../../crawler/routing/links-by-host.ts';
import { splitLinks } from './link-split.ts';
import { parcelTexts } from './message-text.ts';
import { gatheredSends, type SqsQueue } from './sqs-queue.ts';

/**
 * Queues in which the links of very many hosts are gathered once more before they are delivered: each has the
 * links to its share of the hosts, and is read over minutes. An event of Lambda's poller holds 6 MB at most,
 * which is seconds of a broad crawl's links, a link or two to each host; of one shard it is minutes.
 */
export interface LinkShards {
  /** How many there are; 0: links are delivered as they come. */
  readonly count: number;
  /**
   * Sends each host's links to its shard. Durable when it resolves; if it fails, some may have come there.
   */
  send(crawl: CrawlId, byHost: LinksByHost): Promise<void>;
}

export interface LinkShardsOptions extends Omit<SqsQueue, 'queueUrl'> {
  readonly queueUrls: readonly string[];
  readonly sizes?: Sizes;
}

export function createLinkShards({ queueUrls, sizes = SIZES, ...queue }: LinkShardsOptions): LinkShards {
  const { maxMessageBytes, maxShardParcelLinks } = sizes;
  const limits = { gatherMs: 0, maxBytes: maxMessageBytes };
  const sends = queueUrls.map((queueUrl) => gatheredSends({ ...queue, queueUrl }, limits));
  return {
    count: sends.length,
    async send(crawl, byHost) {
      const byShard = Map.groupBy(
        splitLinks(byHost, sends.length, maxShardParcelLinks),
        ({ shard }) => shard,
      );
      await Promise.all(
        [...byShard].map(([shard, parcels]) => {
          const texts = parcels.flatMap(({ links }) => parcelTexts({ crawl, links }, maxMessageBytes));
          return sends[shard]?.(texts.map((MessageBody) => ({ MessageBody })));
        }),
      );
    },
  };
}
