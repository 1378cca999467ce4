/** All calls and results of the modules that keep heads, parts, crawls and counters: see `calls-of-state.txt`. */

import { createMeter } from '../../../../shared/engines/aws/cost/meter.ts';
import {
  type CrawlCounters,
  createCrawlCounters,
} from '../../../../shared/engines/aws/state/crawl-counters.ts';
import { encodeCrawl, type StoredCrawl } from '../../../../shared/engines/aws/state/crawl-record.ts';
import { CrawlStore } from '../../../../shared/engines/aws/state/crawl-store.ts';
import { noteSpend, spentToday } from '../../../../shared/engines/aws/state/daily-spend.ts';
import { getItems, writeItems } from '../../../../shared/engines/aws/state/dynamo-batch.ts';
import { queryItems, scanItems } from '../../../../shared/engines/aws/state/dynamo-pages.ts';
import { changedCounts, totalsOf, usageCountsIn } from '../../../../shared/engines/aws/state/head-counts.ts';
import { HookState } from '../../../../shared/engines/aws/state/hook-state.ts';
import { HostDirectory } from '../../../../shared/engines/aws/state/host-directory.ts';
import { HostList } from '../../../../shared/engines/aws/state/host-list.ts';
import { headScan, hostPage } from '../../../../shared/engines/aws/state/host-page.ts';
import { createLedgerStore } from '../../../../shared/engines/aws/state/ledger-store.ts';
import { createPartStore } from '../../../../shared/engines/aws/state/part-store.ts';
import { createRegistry, type RegistryOptions } from '../../../../shared/engines/aws/state/registry.ts';
import { itemKey, N, S } from '../../../../shared/engines/aws/state/tables.ts';
import type { Head } from '../../../../shared/frontier/head.ts';
import { CRAWL, headOf, RECORD } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import type { World } from '../struck-calls.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';

const HOSTS = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'];
const bytesOf = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251);
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const contextOf = ({ clients: { dynamo, s3 }, engine: { clock }, cloud: { settings, sizes } }: World) => ({
  ...{ dynamo, s3, clock, sizes, table: settings.crawlState, names: settings },
});

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A head with something in each of its counts. */
const FULL: Head = headOf(3, {
  dueAt: 9000,
  urls: { waiting: 1, fetched: 2, gone: 3, failed: 4 },
  totals: {
    pages: 5,
    bytes: 600,
    requests: 7,
    httpStatus: { 200: 5, 404: 1 },
    skipped: { trap: 2 },
    errors: { timeout: 1 },
    sent: { requests: 2, bytes: 9 },
    requisites: { awaited: 1, sent: 0 },
  },
});

const countersOf = (world: World, options: Partial<Parameters<typeof createCrawlCounters>[0]> = {}) =>
  createCrawlCounters({ ...contextOf(world), ...options });
const shown = async (counters: CrawlCounters) => {
  const { counts, isExact, shards } = await counters.read(CRAWL);
  return { counts, isExact, shards: shards.length };
};

/** A store of heads that notes what it says of each. */
function ledgersOf(world: World, options: { hasState?: boolean } = {}) {
  const committed: unknown[] = [];
  const context = contextOf(world);
  const ledgers = createLedgerStore({
    ...context,
    ...(options.hasState !== false && { state: new HookState(context) }),
    onCommit: async (...[crawl, before, after]) =>
      void committed.push([crawl, before && [before.version, before.token], after.version]),
  });
  return { ledgers, committed };
}

const registryOf = (world: World, options: Partial<RegistryOptions> = {}) =>
  createRegistry({ ...contextOf(world), settleMs: 1000, hasMessages: async () => false, ...options });

const commitAll = async (world: World, isRunning = true) => {
  const { ledgers } = ledgersOf(world);
  for (const [i, host] of HOSTS.entries()) {
    const dueAt = isRunning ? world.engine.clock.now() + (i - 2) * 400_000 : undefined;
    await world.wait(
      ledgers.commit(CRAWL, host, headOf(1, { token: host, urls: { waiting: i }, ...(dueAt && { dueAt }) })),
    );
  }
};

/** Heads as an earlier version stored them, which had no directory of hosts. */
const putOld = async (
  { clients: { dynamo }, cloud: { settings }, wait }: World,
  hosts: readonly string[],
) => {
  for (const host of hosts)
    await wait(
      writeItems({ dynamo, clock: { sleep: async () => {}, random: () => 0 } }, settings.crawlState, [
        {
          PutRequest: {
            Item: {
              ...itemKey(`${CRAWL} ${host}`, 'head'),
              version: N(1),
              head: S(JSON.stringify(headOf(1, { token: `old ${host}` }))),
            },
          },
        },
      ]),
    );
};

const put = (key: string, value: string) => ({ key, apply: () => value });
const append = (key: string, text: string) => ({ key, apply: (before?: string) => `${before ?? ''}${text}` });
const remove = (key: string) => ({ key, apply: () => undefined });

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
      name: 'commits heads, and loads them',
      async run(world) {
        const { ledgers, committed } = ledgersOf(world);
        const results: unknown[] = [await ledgers.loadHead(CRAWL, 'a.test')];
        await ledgers.commit(CRAWL, 'a.test', headOf(1, { token: 'one', dueAt: world.engine.clock.now() }));
        await ledgers.commit(CRAWL, 'a.test', headOf(2, { token: 'two', dueAt: 5 }));
        results.push((await ledgers.loadHead(CRAWL, 'a.test'))?.token);
        await ledgers.commit(CRAWL, 'a.test', headOf(3, { token: 'three' }));
        // Carried out before, and the answer was lost.
        await ledgers.commit(CRAWL, 'a.test', headOf(3, { token: 'three' }));
        await ledgers.commit(CRAWL, 'b.test', headOf(1));
        await ledgers.commit(CRAWL, 'b.test', headOf(1));
        results.push(await refusalOf(ledgers.commit(CRAWL, 'a.test', headOf(3, { token: 'other' }))));
        results.push(await refusalOf(ledgers.commit(CRAWL, 'c.test', headOf(2))));
        await ledgers.importHead(CRAWL, 'a.test', headOf(4, { token: 'copy' }));
        await ledgers.importHead(CRAWL, 'd.test', headOf(9, { token: 'copy' }));
        results.push(await refusalOf(ledgers.importHead(CRAWL, 'd.test', headOf(8))));
        return [...results, committed];
      },
    }),
    scenario({
      name: 'commits heads with changes of state',
      async prepare(world) {
        await putOld(world, ['old.test']);
      },
      async run(world) {
        const { ledgers, committed } = ledgersOf(world);
        await ledgers.commit(CRAWL, 'a.test', headOf(1, { token: 'one' }), [put('k', '"v"')]);
        // It is loaded, so that the difference is known.
        await ledgers.commit(CRAWL, 'a.test', headOf(2, { token: 'two' }), [append('k', '1')]);
        await ledgers.loadHead(CRAWL, 'a.test');
        await ledgers.commit(CRAWL, 'a.test', headOf(3, { token: 'three' }), [remove('k'), put('l', '2')]);
        await ledgers.loadHead(CRAWL, 'old.test');
        await ledgers.commit(CRAWL, 'old.test', headOf(2, { token: 'new' }), [put('l', '2')]);
        const refused = await refusalOf(ledgers.commit(CRAWL, 'a.test', headOf(3), [put('m', '1')]));
        const plain = ledgersOf(world, { hasState: false }).ledgers;
        const stateless = await refusalOf(plain.commit(CRAWL, 'z.test', headOf(1), [put('m', '1')]));
        const values = await new HookState(contextOf(world)).readNow(CRAWL);
        return [refused, stateless, committed, [...values.entries()]];
      },
    }),
    scenario({
      name: 'replaces heads that are in no directory of hosts',
      async prepare(world) {
        await putOld(world, ['x.test', 'y.test', 'z.test']);
      },
      async run(world) {
        const { ledgers, committed } = ledgersOf(world);
        await ledgers.commit(CRAWL, 'x.test', headOf(2));
        await ledgers.commit(CRAWL, 'x.test', headOf(3));
        await ledgers.loadHead(CRAWL, 'y.test');
        await ledgers.commit(CRAWL, 'y.test', headOf(2));
        return committed;
      },
    }),
    scenario({
      name: 'lists hosts that are due, those that are due far ahead too',
      async prepare(world) {
        await commitAll(world);
        await world.cloud.time.advance(5000);
      },
      async run({ engine: { ledgers, clock } }) {
        const now = clock.now();
        return [
          await ledgers.dueHosts(CRAWL, now, 10),
          await ledgers.dueHosts(CRAWL, now, 2),
          await ledgers.dueHosts(CRAWL, now, 10, now + 500_000),
          await ledgers.dueHosts(CRAWL, now + 900_000, 10, now + 1_000_000),
          await ledgers.dueHosts(CRAWL, now - 900_000, 10),
          await ledgers.dueHosts('none', now, 10),
        ];
      },
      readsIndex: true,
      isConcurrent: true,
    }),
    scenario({
      name: 'stores parts, and reads ranges of them',
      async run(world) {
        const parts = createPartStore({ ...contextOf(world), maxRowBytes: 20 });
        const of = [CRAWL, 'a.test'] as const;
        for (const size of [0, 19, 20, 21, 50]) await parts.putPart(...of, `part-${size}`, bytesOf(size));
        // Again, as a turn does that continues one that died.
        for (const size of [20, 21]) await parts.putPart(...of, `part-${size}`, bytesOf(size));
        const refused = [
          await refusalOf(parts.putPart(...of, 'part-20', bytesOf(19))),
          await refusalOf(parts.putPart(...of, 'part-20', bytesOf(21))),
          await refusalOf(parts.putPart(...of, 'part-21', bytesOf(20))),
          await refusalOf(parts.putPart(...of, 'part-21', bytesOf(22))),
          await refusalOf(parts.putPart(...of, 'part-21', bytesOf(21).reverse())),
          await refusalOf(parts.readPart(...of, 'none')),
        ];
        const read: string[] = [];
        for (const name of ['part-19', 'part-50'])
          for (const range of [[], [0, 50], [3], [3, 4], [3, 99], [0, 0], [19, 1], [50, 1], [60]] as const)
            read.push(hexOf(await parts.readPart(...of, name, ...(range as [number, number]))));
        const listed = await parts.listParts(...of);
        await parts.deleteParts(...of, ['part-20', 'part-50', 'part-20', 'none']);
        await parts.deleteParts(...of, []);
        return [refused, read, listed, await parts.listParts(...of)];
      },
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
      name: 'creates a crawl, pauses and resumes it, and changes it',
      async run(world) {
        const registry = registryOf(world);
        const now = async () => [await registry.load(CRAWL), (await registry.totals(CRAWL)).activeMs];
        const sleep = (ms: number) => world.engine.clock.sleep(ms);
        const results: unknown[] = [await now()];
        await registry.create(CRAWL, RECORD);
        await registry.create('quiet', { ...RECORD, status: 'paused' });
        results.push(await refusalOf(registry.create(CRAWL, RECORD)));
        await sleep(1000);
        const why = { code: 'maxPages', text: 'enough' } as const;
        results.push(await registry.setStatus(CRAWL, 'limited', why, { from: ['paused'] }), await now());
        results.push(await registry.setStatus(CRAWL, 'limited', why, { from: ['running'], limits: {} }));
        const limits = { maxPages: 10 };
        results.push(
          await registry.setStatus(CRAWL, 'limited', why, { from: ['running'], limits }),
          await now(),
        );
        await sleep(1000);
        results.push(await registry.resume(CRAWL), await now(), await registry.resume(CRAWL));
        await sleep(1000);
        await registry.setStatus(CRAWL, 'paused');
        results.push(await now(), await registry.listRunning(), await registry.listUnannounced());
        await registry.setStatus(CRAWL, 'running');
        await registry.configure(CRAWL, { maxPages: 20, maxDepth: 2 });
        await registry.addScopeSeeds(CRAWL, ['http://a.test/', 'http://b.test/', 'http://b.test/']);
        await registry.addScopeSeeds(CRAWL, ['http://b.test/']);
        await registry.noteFirstPass(CRAWL, { at: 5 });
        await registry.setUrlRulesVersion(CRAWL, 1);
        await registry.setUrlRulesVersion(CRAWL, 2);
        await registry.noteSent?.(CRAWL);
        results.push(await now(), await registry.listRunning(), await registry.list());
        for (const crawl of [CRAWL, 'quiet'])
          await registry.endCopy(crawl, { status: 'finished', why, activeMs: 77 });
        return [...results, await now(), await registry.load('quiet')];
      },
      isTimed: true,
      isConcurrent: true,
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
      name: 'sums up a crawl, and counts it again',
      async run(world) {
        const meter = createMeter({ clock: world.engine.clock });
        const registry = registryOf(world, { meter, region: 'eu-central-1' });
        await registry.create(CRAWL, RECORD);
        const { ledgers } = ledgersOf(world);
        await ledgers.commit(CRAWL, 'a.test', { ...FULL, version: 1 });
        await ledgers.commit(CRAWL, 'b.test', headOf(1, { urls: { waiting: 2 } }));
        await registry.onCommit(CRAWL, undefined, FULL);
        await registry.onCommit(CRAWL, headOf(1, { urls: { waiting: 5 } }), headOf(2, { urls: { gone: 5 } }));
        meter.add('s3Puts', 1000, CRAWL);
        await registry.flushUsage();
        const results: unknown[] = [await registry.totals(CRAWL), await registry.countWaitingHosts(CRAWL)];
        await registry.recount(CRAWL, ledgers);
        results.push(await registry.totals(CRAWL));
        await registry.setStatus(CRAWL, 'finished');
        return [...results, await registry.totals(CRAWL), await registry.countWaitingHosts('none')];
      },
      isTimed: true,
      isConcurrent: true,
      hides: ['UpdateItemCommand'],
    }),
    scenario({
      name: 'looks whether a crawl is quiet',
      async run(world) {
        let hasMessages = false;
        const registry = registryOf(world, { hasMessages: async () => hasMessages });
        const { ledgers } = ledgersOf(world);
        const sleep = (ms: number) => world.engine.clock.sleep(ms);
        await registry.create(CRAWL, RECORD);
        await ledgers.commit(CRAWL, 'a.test', headOf(1, { dueAt: 5 }));
        await registry.onCommit(CRAWL, undefined, headOf(1, { dueAt: 5 }));
        const results: unknown[] = [await registry.isQuiet(CRAWL)];
        // The counters say that it is due, and its head does not: they are counted again.
        await ledgers.commit(CRAWL, 'a.test', headOf(2));
        await sleep(5000);
        for (const has of [false, true, false, false, false]) {
          hasMessages = has;
          results.push(await registry.isQuiet(CRAWL));
          await sleep(900);
        }
        results.push(await registry.isQuiet(CRAWL), await registry.isQuiet(CRAWL, true));
        await registry.onCommit(CRAWL, undefined, headOf(1, { totals: { requisites: { awaited: 1 } } }));
        results.push(await registry.isQuiet(CRAWL, true));
        const quiet = { from: ['running'], isQuiet: true } as const;
        results.push(await registry.setStatus(CRAWL, 'finished', undefined, quiet));
        results.push(await registry.isQuiet(CRAWL), await registry.totals(CRAWL));
        return results;
      },
      isTimed: true,
      isConcurrent: true,
      readsIndex: true,
      hides: ['UpdateItemCommand'],
    }),
    scenario({
      name: 'changes values of hooks, which another process changes too',
      async run(world) {
        const [state, other] = [new HookState(contextOf(world)), new HookState(contextOf(world))];
        const values = async (one: HookState) => [...(await one.read(CRAWL)).entries()];
        await state.change(CRAWL, [put('a', '1'), put('b', '2'), append('a', '!')]);
        const results: unknown[] = [await values(state), await values(other)];
        await other.change(CRAWL, [append('a', '?'), remove('b'), remove('none')]);
        await Promise.all([
          state.change(CRAWL, [append('a', 'x')]),
          state.change(CRAWL, [append('b', 'y')]),
          state.change(CRAWL, [append('b', 'z'), put('c', '3')]),
          state.change(CRAWL, []),
        ]);
        results.push(await values(state), await values(other));
        await world.engine.clock.sleep(5001);
        results.push(await values(other));
        await state.change(CRAWL, [put('c', '3')]);
        await state.change('more', [put('c', '3')]);
        return [...results, [...(await state.readNow(CRAWL)).entries()], (await state.read('more')).size];
      },
      isTimed: true,
      isConcurrent: true,
      // Visits that fail together are each tried by themselves.
      hides: ['TransactWriteItemsCommand'],
    }),
    scenario({
      name: 'lists the hosts of a crawl, all and by pages',
      prepare: async (world) => {
        await commitAll(world, false);
        await world.wait(new HostDirectory(contextOf(world)).open(CRAWL));
        await world.wait(new HostDirectory(contextOf(world)).enter(CRAWL, 'headless.test'));
      },
      async run(world) {
        const list = new HostList(contextOf(world));
        const all = (await allOf(list.all(CRAWL))).map(({ host, head: { token } }) => `${host} ${token}`);
        const pages: unknown[] = [];
        for (const limit of [1, 2, 100]) {
          let cursor: string | undefined;
          do {
            const page = await list.page(CRAWL, cursor, limit);
            pages.push([page.hosts.map(({ host }) => host), page.cursor]);
            cursor = page.cursor;
          } while (cursor !== undefined);
        }
        const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
        const refused: string[] = [];
        for (const value of [null, [], [8], [-1], [0.5], ['0'], [0, ''], [0, 1], [0, 'a', 'b'], { 0: 0 }])
          refused.push(await refusalOf(list.page(CRAWL, cursorOf(value), 1)));
        for (const cursor of ['', '!', 'x'.repeat(9)])
          refused.push(await refusalOf(list.page(CRAWL, cursor, 1)));
        for (const limit of [0, 1.5]) refused.push(await refusalOf(list.page(CRAWL, undefined, limit)));
        return [all, pages, refused, await list.page(CRAWL, cursorOf([7, 'zzz']), 1)];
      },
    }),
    scenario({
      name: 'lists the hosts of a crawl without a directory',
      prepare: (world) => putOld(world, HOSTS),
      async run(world) {
        const list = new HostList(contextOf(world));
        const all = (await allOf(list.all(CRAWL))).map(({ host }) => host);
        const pages: unknown[] = [];
        for (const limit of [1, 2, 4, 100]) {
          let cursor: string | undefined;
          do {
            const page = await list.page(CRAWL, cursor, limit);
            pages.push([page.hosts.map(({ host }) => host), page.cursor]);
            cursor = page.cursor;
          } while (cursor !== undefined);
        }
        const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
        const refused: string[] = [];
        const scan = headScan(world.cloud.settings.crawlState, CRAWL);
        const pageAt = (cursor: string, limit = 1) => hostPage(contextOf(world), scan, cursor, limit);
        for (const value of [null, ['a'], ['a', ''], ['', 'a'], ['a', 1], ['a', 'b', 'c'], { length: 2 }])
          refused.push(await refusalOf(pageAt(cursorOf(value))));
        for (const cursor of ['', '!']) refused.push(await refusalOf(pageAt(cursor)));
        for (const limit of [0, 1.5]) refused.push(await refusalOf(pageAt(cursorOf(['a', 'b']), limit)));
        return [all, pages, refused];
      },
    }),
    scenario({
      name: 'reads and writes many items at once',
      async run(world) {
        const { table, ...context } = contextOf(world);
        const keys = Array.from({ length: 130 }, (_, i) => itemKey('many', `${i}`));
        await writeItems(
          context,
          table,
          keys.map((Item) => ({ PutRequest: { Item } })),
        );
        await writeItems(context, table, []);
        const query = {
          TableName: table,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': S('many') },
          Limit: 60,
        };
        const none = { ...query, ExpressionAttributeValues: { ':pk': S('none') } };
        return [
          (await getItems(context, table, [...keys, itemKey('many', 'none')])).length,
          (await getItems(context, table, [])).length,
          (await allOf(queryItems(context, query))).length,
          (await allOf(queryItems(context, none))).length,
          (await allOf(scanItems(context, { TableName: table, Limit: 100 }))).length,
        ];
      },
      readsIndex: true,
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
  openGolden('calls-of-state.txt', import.meta.url),
);
