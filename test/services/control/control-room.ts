/** A control room over the engine in memory, with a scripted web to crawl. */

import type { Head } from '../../../shared/core/frontier/head.ts';
import type { CrawlTotals } from '../../../shared/crawler/ports/crawl-registry.ts';
import { wakeAllHosts } from '../../../shared/crawler/routing/waker.ts';
import { allowLinearFlag } from '../../../shared/engines/linear-regexps.ts';
import type { Control } from '../../../shared/services/control/control.ts';
import {
  type ControlEngine,
  type ControlPolicy,
  createControl,
} from '../../../shared/services/control/create-control.ts';
import type { Site } from '../../crawler/worker/scripted-fetcher.ts';
import { createWorld, type World } from '../../crawler/worker/world.ts';

export const A = 'https://a.test/';
export const B = 'https://b.test/';
export const CONTACT = 'me@example.org';

export interface Room {
  readonly control: Control;
  readonly engine: ControlEngine;
  readonly world: World;
  /** All URLs sent on their way as seeds, in order. */
  readonly sent: string[];
  /** All calls to the registry and to the queues, in order. */
  readonly done: string[];
  readonly woken: string[];
}

export interface RoomOptions {
  readonly site?: Site;
  readonly policy?: Partial<ControlPolicy>;
  /** Stands in for what the memory engine does not count. */
  readonly totals?: Partial<CrawlTotals>;
  readonly engine?: Partial<ControlEngine>;
  readonly isShared?: boolean;
}

type HostHead = { readonly host: string; readonly head: Head };

/** Crawls have a contact by default, and open no private address. */
export function openRoom({
  site = {},
  policy,
  totals,
  engine: more,
  isShared = false,
}: RoomOptions = {}): Room {
  const world = createWorld(site);
  const { registry, ledgers, exchange, clock } = world.engine;
  const names = new Set<string>();
  const sent: string[] = [];
  const done: string[] = [];
  const woken: string[] = [];
  const engine: ControlEngine = {
    registry: {
      ...registry,
      isShared,
      async create(crawl, record) {
        names.add(crawl);
        await registry.create(crawl, record);
        done.push(`create ${crawl}`);
      },
      async setStatus(crawl, status, ...rest) {
        const isSet = await registry.setStatus(crawl, status, ...rest);
        if (isSet) done.push(`status ${status}`);
        return isSet;
      },
      async resume(crawl) {
        const resume = await registry.resume(crawl);
        done.push(`resume ${resume}`);
        return resume;
      },
      async addScopeSeeds(crawl, urls) {
        await registry.addScopeSeeds(crawl, urls);
        done.push(`scope ${urls.join(' ')}`);
      },
      totals: async (crawl) => ({ ...(await registry.totals(crawl)), ...totals }),
      list: async () => [...names],
    },
    exchange: {
      async send(outLinks) {
        await exchange.send(outLinks);
        sent.push(...outLinks.links.map(({ url }) => url));
        done.push(`send ${outLinks.links.length}`);
      },
    },
    ledgers: {
      ...ledgers,
      async hostPage(crawl, cursor, limit) {
        const all: HostHead[] = [];
        for await (const host of ledgers.hosts(crawl)) all.push(host);
        const from = Number(cursor ?? 0);
        const rest = all.length > from + limit;
        return { hosts: all.slice(from, from + limit), cursor: rest ? String(from + limit) : undefined };
      },
    },
    clock,
    async wakeAll(crawl, resume) {
      woken.push(`${crawl} ${resume}`);
      await wakeAllHosts(world.engine, crawl, resume);
    },
    ...more,
  };
  allowLinearFlag();
  const control = createControl(engine, {
    defaults: { contact: CONTACT, adaptive: false },
    allowPrivateAddresses: [],
    maxTotalTimeoutMs: 60_000,
    ...policy,
  });
  return { control, engine, world, sent, done, woken };
}
