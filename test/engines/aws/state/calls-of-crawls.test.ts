/** All calls and results of the modules that keep crawls and their counters: see `calls-of-crawls.txt`. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { createMeter } from '../../../../shared/engines/aws/cost/meter.ts';
import { withRetry } from '../../../../shared/engines/aws/retry.ts';
import { createAttentionNotes } from '../../../../shared/engines/aws/state/attention-notes.ts';
import {
  type CrawlCounters,
  createCrawlCounters,
} from '../../../../shared/engines/aws/state/crawl-counters.ts';
import { CrawlDirectory } from '../../../../shared/engines/aws/state/crawl-directory.ts';
import { encodeCrawl, type StoredCrawl } from '../../../../shared/engines/aws/state/crawl-record.ts';
import { CrawlStore } from '../../../../shared/engines/aws/state/crawl-store.ts';
import { createSpendCounter, spentToday } from '../../../../shared/engines/aws/state/daily-spend.ts';
import { changedCounts, totalsOf, usageCountsIn } from '../../../../shared/engines/aws/state/head-counts.ts';
import {
  createQuietNotes,
  idleFor,
  isDrained,
  isSettled,
} from '../../../../shared/engines/aws/state/quiet.ts';
import { UnannouncedCrawls } from '../../../../shared/engines/aws/state/unannounced.ts';
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
        await registry.create(CRAWL, { ...RECORD, status: 'paused', why });
        await registry.endCopy(CRAWL, {
          status: 'stopped',
          why: { code: 'operator', text: 'x' },
          activeMs: 9,
        });
        const results: unknown[] = [await registry.load(CRAWL), await registry.listUnannounced()];
        await registry.create('other', RECORD);
        const other = (await registry.loadUnannounced('other'))!;
        await registry.delayAnnouncement({ ...other, tries: 2, retryAt: 9 });
        await registry.noteFinish({ ...other, finishTries: 1, isFinishDone: true });
        results.push(await registry.listUnannounced());
        await registry.setStatus('other', 'stopped');
        await registry.noteAnnounced(other);
        await registry.delayAnnouncement({ ...other, tries: 2, retryAt: 9 });
        return [...results, await registry.listUnannounced(), (await registry.totals(CRAWL)).activeMs];
      },
      isConcurrent: true,
    }),
    scenario({
      name: 'notes since when crawls are quiet',
      async run(world) {
        const { clock } = world.engine;
        const notes = createQuietNotes(contextOf(world));
        const results: unknown[] = [await notes.isNoted(CRAWL)];
        await notes.noteRecounted(CRAWL);
        for (const hasMessages of [false, false, true, true, false])
          results.push(await notes.noteIdle(CRAWL, hasMessages));
        results.push(await notes.isNoted(CRAWL));
        await notes.noteRecounted(CRAWL);
        results.push(await notes.noteIdle(CRAWL, false));
        await notes.noteBusy(CRAWL);
        results.push(await notes.isNoted(CRAWL), await notes.noteIdle(CRAWL, true));
        // A process whose clock is ahead by more than a minute has noted it: it begins again.
        for (const aheadMs of [60_000, 70_000]) {
          await notes.noteBusy(CRAWL);
          const ahead = { ...clock, now: () => clock.now() + aheadMs };
          results.push(await createQuietNotes({ ...contextOf(world), clock: ahead }).noteIdle(CRAWL, false));
          results.push(await notes.noteIdle(CRAWL, false));
        }
        return results;
      },
      isTimed: true,
    }),
    scenario({
      name: 'decides by its notes whether a crawl is quiet',
      async run(world) {
        await spentToday(contextOf(world));
        const now = 10_000_000;
        const times = { idleSince: now - 2_000_000, looks: 100, lastAt: 0 };
        const settled = (more: object, options = {}) =>
          isSettled({ ...times, idleSince: now, ...more }, now, options);
        const quiet = (ms: number, more: object = {}) => settled({ quietSince: now - ms, ...more });
        const idle = (ms: number, looks: number, more: object = {}) =>
          settled({ idleSince: now - ms, looks, ...more });
        return [
          [quiet(54_999), quiet(55_000), quiet(55_000, { hostsDue: 1 }), quiet(55_000, { hostsDue: -1 })],
          [quiet(99_000, { lastAt: now - 54_999 }), quiet(99_000, { lastAt: now - 55_000 })],
          [quiet(99_000, { lastAt: now + 60_000 }), quiet(99_000, { lastAt: now + 60_001 })],
          [
            settled({ quietSince: now - 7 }, { settleMs: 7 }),
            settled({ quietSince: now - 6 }, { settleMs: 7 }),
          ],
          [idle(450_000, 6), idle(450_000, 5), idle(449_999, 6), idle(450_000, 6, { lastAt: now - 449_999 })],
          [idle(1_200_000, 16, { hostsDue: 1 }), idle(1_200_000, 15, { hostsDue: 1 })],
          [
            idle(1_199_999, 16, { hostsDue: 1 }),
            idle(1_200_000, 16, { hostsDue: 1, lastAt: now - 1_199_999 }),
          ],
          [settled({ idleSince: now - 75_000, looks: 1 }, { sharedSettleMs: 75_000 })],
          [settled({ idleSince: now - 75_000, looks: 0 }, { sharedSettleMs: 75_000 })],
          [idleFor(now - 5, now), idleFor(now + 60_000, now), idleFor(now + 60_001, now)],
          [1_199_999, 1_200_000].map((ms) =>
            isDrained({ 'requisites.awaited': 1, 'requisites.sent': 0 }, ms, {}),
          ),
          [54_999, 55_000].map((ms) => isDrained({ 'requisites.awaited': 0, 'requisites.sent': 2 }, ms, {})),
          [
            isDrained({}, 0, {}),
            isDrained({ 'requisites.sent': 1 }, 6, { settleMs: 7 }),
            isDrained({ 'requisites.sent': 1 }, 7, { settleMs: 7 }),
          ],
        ];
      },
    }),
    scenario({
      name: 'keeps lists of crawls, and of those whose end is to be announced',
      async run(world) {
        const [all, running] = ['#crawls', '#running'].map(
          (name) => new CrawlDirectory({ ...contextOf(world), name }),
        );
        for (const crawl of ['b', 'a', 'b']) await all!.enter(crawl);
        await running!.enter('a');
        await all!.strike('a');
        await all!.strike('none');
        const crawls = new UnannouncedCrawls(contextOf(world));
        const { dynamo, clock } = contextOf(world);
        const enter = (crawl: string) => {
          const command = new PutItemCommand(crawls.entry(crawl).Put!);
          return withRetry('entering', () => dynamo.send(command), { clock });
        };
        for (const crawl of ['c', 'd', 'e']) await enter(crawl);
        const [c, d, e] = await crawls.list();
        await crawls.delay({ ...c!, tries: 2, retryAt: 77 });
        await crawls.noteFinish({ ...c!, finishTries: 3, isFinishDone: true });
        await crawls.noteFinish({ ...d!, finishTries: 1, isFinishDone: false });
        await crawls.delay({ crawl: 'none', entry: 'e', tries: 2, retryAt: 77 });
        await crawls.strike(e!);
        const listed = await crawls.list();
        await enter('c');
        return [await all!.list(), await running!.list(), listed, await crawls.list()];
      },
    }),
    scenario({
      name: 'keeps what the waker knows of troubles',
      async run(world) {
        const [notes, other] = [
          createAttentionNotes(contextOf(world)),
          createAttentionNotes(contextOf(world)),
        ];
        const shownNotes = async () => {
          const { state, announced } = await notes.load();
          return [state, [...announced]];
        };
        const results: unknown[] = [
          await shownNotes(),
          await notes.claim('t', 10_000),
          await other.claim('t', 10_000),
        ];
        results.push(await other.claim('u', 10_000), await notes.claim('t', 0));
        await notes.store({ at: 1, crawls: { c: [3, 2, 1] }, samples: [{ at: 1, figures: [3, 2, 1] }] });
        await world.engine.clock.sleep(10_000);
        results.push(await shownNotes(), await other.claim('t', 10_000));
        await notes.forget('t');
        await notes.forget('none');
        results.push(await shownNotes(), await notes.claim('t', 10_000));
        return results;
      },
      isTimed: true,
    }),
    scenario({
      name: 'sums up what crawls have cost today',
      // Costs that could not be added are added the next time.
      hides: ['UpdateItemCommand'],
      excuses: ['fails'],
      async run(world) {
        const context = contextOf(world);
        const costs = [0.0019, 0.0002, 2];
        const takeCost = () => costs.shift() ?? 0;
        const note = createSpendCounter({ ...context, maxCostPerDay: 2, takeCost });
        const results = [await spentToday(context)];
        for (let time = 0; time < 4; time++) {
          await note();
          results.push(await spentToday(context));
        }
        await world.engine.clock.sleep(86_400_000);
        results.push(await spentToday(context));
        costs.push(4);
        await note();
        return [...results, await spentToday(context)];
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
