/**
 * Records what is written to the state table while a world runs: each status of a crawl, and each head of a host.
 */

import { isDeepStrictEqual } from 'node:util';
import { reasonIn, type StatusCode } from '../../shared/core/causes/status-reason.ts';
import { type CrawlOptions, parseConfig } from '../../shared/core/crawl/config.ts';
import type { Head } from '../../shared/core/frontier/head.ts';
import type { CrawlStatus } from '../../shared/crawler/ports/crawl-registry.ts';
import { costOf } from '../../shared/engines/aws/cost/prices.ts';
import { stackPrices } from '../../shared/engines/aws/cost/stack-prices.ts';
import { parseMessageText } from '../../shared/engines/aws/queues/message-text.ts';
import { countsIn } from '../../shared/engines/aws/state/crawl-counters.ts';
import { sumOfCounts, totalsOf } from '../../shared/engines/aws/state/head-counts.ts';
import { CRAWL, HEAD, TOTALS_PREFIX } from '../../shared/engines/aws/state/tables.ts';
import type { Item } from '../../shared/engines/aws/table/item.ts';
import { hostQueues, type SimCloud } from '../models/cloud.ts';
import { crawlIn, headIn } from '../worlds/stored-items.ts';

/** A status as it was stored. Times are the world's. */
export interface StatusChange {
  readonly at: number;
  readonly status: CrawlStatus;
  /** Why, where the program gave a code with it. */
  readonly code?: StatusCode | undefined;
  /** Messages that carried links, wake-ups or tokens of the crawl to its hosts at that moment. */
  readonly messages: number;
  /** As they were configured then. */
  readonly limits: Limits;
  /** Other limits that were configured while the status stayed, in order. */
  readonly later?: readonly LimitChange[];
}

export interface LimitChange {
  readonly at: number;
  readonly limits: Limits;
}

/** A time in which a crawl had one status, and one set of limits. */
export interface Phase extends LimitChange {
  readonly until: number;
}

/** A head as it was stored. */
export interface HeadChange {
  readonly at: number;
  readonly head: Head;
}

export type Limits = Pick<CrawlOptions, 'maxPages' | 'maxBytes' | 'maxTimeMs' | 'maxCost'>;

/** A setting of a running crawl that an operator may change and that is visible to the web. */
export interface ConfigChange {
  readonly at: number;
  readonly turnMaxPages: number;
}

/** The cost of a crawl by its counters, US dollars. */
export interface CostChange {
  readonly at: number;
  readonly cost: number;
}

export interface History {
  /** By crawl, in order: each configuration that was stored after the first one. */
  readonly changes: ReadonlyMap<string, readonly ConfigChange[]>;
  /** By crawl, in order, where the crawl has a limit of money. */
  readonly costs: ReadonlyMap<string, readonly CostChange[]>;
  /** By crawl, in order. */
  readonly statuses: ReadonlyMap<string, readonly StatusChange[]>;
  /** By crawl, in order: each time that its record was stored. */
  readonly storedAt: ReadonlyMap<string, readonly number[]>;
  /** By crawl and host, in order: `hostPartition` makes the key. */
  readonly heads: ReadonlyMap<string, readonly HeadChange[]>;
}

/** Listens to the table from now on. */
export function createHistoryProbe({ dynamo, sqs, settings, time }: SimCloud): History {
  const changes = new Map<string, ConfigChange[]>();
  const costs = new Map<string, CostChange[]>();
  /** By crawl: the rows of its counters. */
  const counters = new Map<string, Map<string, Readonly<Item>>>();
  const prices = stackPrices(settings);
  const statuses = new Map<string, StatusChange[]>();
  const storedAt = new Map<string, number[]>();
  const heads = new Map<string, HeadChange[]>();

  function messagesOf(crawl: string): number {
    let count = 0;
    for (const queue of hostQueues(settings))
      for (const { body } of sqs.messages(queue)) if (parseMessageText(body).message.crawl === crawl) count++;
    return count;
  }

  function noteCost(crawl: string, sortKey: string, item: Readonly<Item> | undefined): void {
    const rows = counters.get(crawl) ?? new Map<string, Readonly<Item>>();
    counters.set(crawl, rows);
    if (item) rows.set(sortKey, item);
    else rows.delete(sortKey);
    if (statuses.get(crawl)?.at(-1)?.limits.maxCost === undefined) return;
    const { usage = {} } = totalsOf([...rows.values()].map(countsIn).reduce(sumOfCounts, {}));
    const list = costs.get(crawl) ?? [];
    costs.set(crawl, list);
    const at = time.now();
    // The writes of a transaction count together.
    if (list.at(-1)?.at === at) list.pop();
    list.push({ at, cost: costOf(usage, prices).total });
  }

  dynamo.onWrite = (table, item, before) => {
    if (table !== settings.crawlState) return;
    const { pk, sk } = item ?? before ?? {};
    const partition = pk?.S ?? '';
    if (sk?.S?.startsWith(TOTALS_PREFIX)) noteCost(partition, sk.S, item);
    if (!item) return;
    if (item.sk?.S === HEAD) {
      const list = heads.get(partition) ?? [];
      heads.set(partition, list);
      list.push({ at: time.now(), head: headIn(item) });
    } else if (item.sk?.S === CRAWL && item.record) {
      const { record } = crawlIn(item);
      const { status, config } = record;
      const list = statuses.get(partition) ?? [];
      statuses.set(partition, list);
      const { turnMaxPages } = parseConfig(config);
      const known = changes.get(partition);
      if (known && known.at(-1)?.turnMaxPages !== turnMaxPages) known.push({ at: time.now(), turnMaxPages });
      else if (!known) changes.set(partition, [{ at: time.now(), turnMaxPages }]);
      const limits = limitsOf(config);
      const last = list.at(-1);
      const at = time.now();
      storedAt.set(partition, [...(storedAt.get(partition) ?? []), at]);
      if (last?.status !== status)
        list.push({ at, status, code: reasonIn(record)?.code, messages: messagesOf(partition), limits });
      else if (!isDeepStrictEqual((last.later?.at(-1) ?? last).limits, limits))
        list[list.length - 1] = { ...last, later: [...(last.later ?? []), { at, limits }] };
    }
  };
  return { statuses, storedAt, heads, changes, costs };
}

/** The phases of a status that stayed until then. */
export const phasesOf = ({ at, limits, later = [] }: StatusChange, until: number): readonly Phase[] =>
  [{ at, limits }, ...later].map((one, i) => ({ ...one, until: later[i]?.at ?? until }));

const limitsOf = ({ maxPages, maxBytes, maxTimeMs, maxCost }: CrawlOptions): Limits => ({
  ...(maxPages !== undefined && { maxPages }),
  ...(maxBytes !== undefined && { maxBytes }),
  ...(maxTimeMs !== undefined && { maxTimeMs }),
  ...(maxCost !== undefined && { maxCost }),
});
