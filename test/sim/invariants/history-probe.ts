/** Keeps what the state table was told while a world runs: each status of a crawl, and each head of a host. */

import type { CrawlOptions } from '../../../shared/crawl/config.ts';
import { decodeCrawl } from '../../../shared/engines/aws/crawl-record.ts';
import { parseMessageText } from '../../../shared/engines/aws/message-text.ts';
import { CRAWL, HEAD } from '../../../shared/engines/aws/tables.ts';
import type { SimCloud } from '../../../shared/engines/sim/cloud.ts';
import type { Head } from '../../../shared/frontier/head.ts';
import type { CrawlStatus } from '../../../shared/ports/crawl-registry.ts';

/** A status as it was stored. Times are the world's. */
export interface StatusChange {
  readonly at: number;
  readonly status: CrawlStatus;
  /** Messages that carried links, wake-ups or tokens of the crawl to its hosts at that moment. */
  readonly messages: number;
  /** As they were configured then. */
  readonly limits: Limits;
}

/** A head as it was stored. */
export interface HeadChange {
  readonly at: number;
  readonly head: Head;
}

export type Limits = Pick<CrawlOptions, 'maxPages' | 'maxBytes' | 'maxTimeMs' | 'maxCost'>;

export interface History {
  /** By crawl, in order. */
  readonly statuses: ReadonlyMap<string, readonly StatusChange[]>;
  /** By crawl and host, in order: `hostPartition` makes the key. */
  readonly heads: ReadonlyMap<string, readonly HeadChange[]>;
}

/** Listens to the table from now on. */
export function createHistoryProbe({ dynamo, sqs, settings, time }: SimCloud): History {
  const statuses = new Map<string, StatusChange[]>();
  const heads = new Map<string, HeadChange[]>();

  function messagesOf(crawl: string): number {
    let count = 0;
    for (const queue of settings.turnQueueUrls)
      for (const { body } of sqs.messages(queue)) if (parseMessageText(body).message.crawl === crawl) count++;
    return count;
  }

  dynamo.onWrite = (table, item) => {
    if (table !== settings.crawlState || !item) return;
    const partition = item.pk?.S ?? '';
    if (item.sk?.S === HEAD) {
      const list = heads.get(partition) ?? [];
      heads.set(partition, list);
      list.push({ at: time.now(), head: JSON.parse(item.head?.S as string) as Head });
    } else if (item.sk?.S === CRAWL && item.record) {
      const { status, config } = decodeCrawl(item).record;
      const list = statuses.get(partition) ?? [];
      statuses.set(partition, list);
      if (list.at(-1)?.status !== status)
        list.push({ at: time.now(), status, messages: messagesOf(partition), limits: limitsOf(config) });
    }
  };
  return { statuses, heads };
}

const limitsOf = ({ maxPages, maxBytes, maxTimeMs, maxCost }: CrawlOptions): Limits => ({
  ...(maxPages !== undefined && { maxPages }),
  ...(maxBytes !== undefined && { maxBytes }),
  ...(maxTimeMs !== undefined && { maxTimeMs }),
  ...(maxCost !== undefined && { maxCost }),
});
