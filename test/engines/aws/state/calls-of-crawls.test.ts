/** All calls and results of the modules that keep crawls and their counters: see `calls-of-crawls.txt`. */
import { createMeter } from '../../../../shared/engines/aws/cost/meter.ts';
import {
  type CrawlCounters,
  createCrawlCounters,
} from '../../../../shared/engines/aws/state/crawl-counters.ts';
import { encodeCrawl, type StoredCrawl } from '../../../../shared/engines/aws/state/crawl-record.ts';
import { CrawlStore } from '../../../../shared/engines/aws/state/crawl-store.ts';
import { noteSpend, spentToday } from '../../../../shared/engines/aws/state/daily-spend.ts';
import { changedCounts, totalsOf, usageCountsIn } from '../../../../shared/engines/aws/state/head-counts.ts';
import { CRAWL, headOf, RECORD } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import type { World } from '../struck-calls.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';
import { contextOf, FULL, registryOf } from './state-world.ts';

const countersOf = (world: World, options: Partial<Parameters<typeof createCrawlCounters>[0]> = {}) =>
  createCrawlCounters({ ...contextOf(world), ...options });
const shown = async (counters: CrawlCounters) => {
  const { counts, isExact, shards } = await counters.read(CRAWL);
  return { counts, isExact, shards: shards.length };
};

const STORED: StoredCrawl = { record: RECORD, version: 1, activeMs: 0 };
const LARGE: StoredCrawl = {
  ...STORED,
  record: { ...RECORD, scopeSeeds: Array.from({ length: 300 }, (_, i) => `http://${(i * 7919) ** 3}.test/`) },
};

describeScenarios(
  [
    scenario({
      name: 'adds to counters, in parts, and what a meter has gathered',
      async run(world) {
        const meter = createMeter({ clock: world.engine.clock });
        const counters = countersOf(world, { meter, exists: async (crawl) => crawl === CRAWL });
        await counters.add(CRAWL, { a: 1, b: -2, c: 3, d: 4, e: 5, f: 0 });
        await Promise.all([
          counters.add(CRAWL, { a: 10 }),
          counters.add(CRAWL, { a: 20, b: 2 }),
          counters.add('other', { a: 1 }),
        ]);
        await counters.add(CRAWL, {});
        meter.add('s3Puts', 4, CRAWL);
        meter.add('s3Puts', 5, 'gone');
        await counters.flush();
        await counters.flush();
        return shown(counters);
      },
      hides: ['UpdateItemCommand'],
    }),
    scenario({
      name: 'replaces counters that nobody has changed',
      async prepare(world) {
        for (const process of [world, world.other(), world.other()])
          await process.wait(countersOf(process).add(CRAWL, { pages: 2, bytes: 10 }));
      },
      async run(world) {
        const counters = countersOf(world);
        const read = await counters.read(CRAWL);
        const results = [await counters.replace(CRAWL, read, { pages: 5, hosts: 2 }), await shown(counters)];
        results.push(await counters.replace(CRAWL, read, { pages: 9 }), await shown(counters));
        const again = await counters.read(CRAWL);
        results.push(await counters.replace(CRAWL, again, {}), await shown(counters));
        await countersOf(world).add(CRAWL, { pages: 1 });
        results.push(await shown(counters));
        return [...results, await counters.replace('none', await counters.read('none'), { pages: 1 })];
      },
      hides: ['UpdateItemCommand'],
    }),
    scenario({
      name: 'keeps crawls, small ones and large ones',
      async run(world) {
        const changed: string[] = [];
        const sizes = { ...world.cloud.sizes, maxUnstampedBytes: 1000 };
        const open = () =>
          new CrawlStore({ ...contextOf(world), sizes, onChange: async (crawl) => void changed.push(crawl) });
        const [store, other] = [open(), open()];
        const seeds = async (one: CrawlStore, crawl: string) => {
          const stored = await one.load(crawl);
          return (
            stored && [stored.version, stored.activeMs, stored.runningSince, stored.record.scopeSeeds.length]
          );
        };
        const results: unknown[] = [await seeds(store, 'small')];
        results.push(await store.put('small', STORED), await other.put('small', { ...STORED, activeMs: 5 }));
        results.push(await store.put('large', { ...LARGE, runningSince: 7 }), await seeds(store, 'large'));
        results.push(await seeds(other, 'large'), await seeds(other, 'large'), await seeds(store, 'small'));
        await other.changeRecord('large', (record) => ({
          ...record,
          scopeSeeds: record.scopeSeeds.slice(1),
        }));
        results.push(await seeds(store, 'large'), await seeds(other, 'large'));
        // Small from now on.
        await other.change('large', (stored) => ({ ...stored, activeMs: 3, record: RECORD }));
        results.push(await seeds(store, 'large'), await seeds(other, 'large'));
        await store.changeRecord('large', (record) => record);
        await store.change('small', (stored) => ({ ...stored, record: LARGE.record }));
        results.push(await seeds(other, 'small'), await seeds(store, 'small'));
        await world.engine.clock.sleep(59_000);
        results.push(await seeds(store, 'small'));
        await world.engine.clock.sleep(1000);
        results.push(await seeds(store, 'small'));
        results.push(await refusalOf(store.change('none', (stored) => stored)));
        results.push(await store.put('small', { ...STORED, version: 9 }));
        return [...results, changed];
      },
      isCompressed: true,
      isTimed: true,
    }),
    scenario({
      name: 'ends a copy that arrives, and announces ends',
      async run(world) {
        const registry = registryOf(world);
        const why = { code: 'arriving', text: 'it is being copied here' } as const;
        await registry.create(CRAWL, { ...RECORD, status: 'paused', reason: why.text, why });
        await registry.endCopy(CRAWL, {
          status: 'stopped',
          why: { code: 'operator', text: 'x' },
          activeMs: 9,
        });
        const results: unknown[] = [await registry.load(CRAWL), await registry.listUnannounced()];
        await registry.create('other', RECORD);
        await registry.noteAnnounced('other');
        results.push(await registry.listUnannounced());
        await registry.delayAnnouncement({ crawl: 'other', tries: 2, retryAt: 9 });
        await registry.noteFinish({ crawl: 'other', finishTries: 1, isFinishDone: true });
        results.push(await registry.listUnannounced());
        await registry.setStatus('other', 'stopped');
        await registry.noteAnnounced('other');
        await registry.delayAnnouncement({ crawl: 'other', tries: 2, retryAt: 9 });
        return [...results, await registry.listUnannounced(), (await registry.totals(CRAWL)).activeMs];
      },
      isConcurrent: true,
    }),
    scenario({
      name: 'sums up what crawls have cost today',
      async run(world) {
        const context = contextOf(world);
        const results = [await spentToday(context), await noteSpend(context, new Map())];
        results.push(
          await noteSpend(
            context,
            new Map([
              ['a', 1],
              ['b', 2],
            ]),
          ),
        );
        results.push(
          await noteSpend(
            context,
            new Map([
              ['a', 1.5],
              ['c', 7],
            ]),
          ),
        );
        results.push(
          await noteSpend(
            context,
            new Map([
              ['a', 1.25],
              ['b', 1],
              ['c', 9],
            ]),
          ),
        );
        results.push(await spentToday(context));
        await world.engine.clock.sleep(86_400_000);
        results.push(await spentToday(context), await noteSpend(context, new Map([['a', 4]])));
        return [...results, await noteSpend(context, new Map([['a', 5]]))];
      },
    }),
    scenario({
      name: 'knows what heads and records count',
      async run(world) {
        // Something must be called.
        await spentToday(contextOf(world));
        const counts = changedCounts(undefined, FULL);
        const before = headOf(2, {
          urls: { waiting: 9, gone: 3 },
          totals: { pages: 9, httpStatus: { 500: 1 } },
        });
        const { record: _, ...item } = encodeCrawl({ ...STORED, runningSince: 7 });
        return [
          counts,
          changedCounts(before, FULL),
          changedCounts(FULL, before),
          changedCounts(FULL, FULL),
          changedCounts(undefined, headOf(1, { setAside: { at: 1 } as never, urls: { waiting: 1 } })),
          changedCounts(undefined, headOf(1, { domain: {} as never })),
          totalsOf(counts),
          totalsOf({ ...counts, 'usage.s3Puts': 3, 'usage.x': 0, hosts: 0, 'errors.none': 0 }),
          totalsOf({}),
          usageCountsIn({ a: 1, 'usage.b': 2, usage: 3 }),
          [item, encodeCrawl(STORED).runningSince],
        ];
      },
    }),
  ],
  openGolden('calls-of-crawls.txt', import.meta.url),
);
