/** All calls and results of the registry of crawls: see `calls-of-registry.txt`. */
import { createMeter } from '../../../../shared/engines/aws/cost/meter.ts';
import { createCrawlCounters } from '../../../../shared/engines/aws/state/crawl-counters.ts';
import { CRAWL, headOf, RECORD } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';
import { contextOf, FULL, ledgersOf, registryOf } from './state-world.ts';

describeScenarios(
  [
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
        results.push(await registry.totals(CRAWL), await registry.countWaitingHosts('none'));
        // The hosts of a crawl of more than 50,000 are not read.
        const counters = createCrawlCounters(contextOf(world));
        for (const hosts of [49_998, 1]) {
          await counters.add(CRAWL, { hosts });
          results.push(await registry.countWaitingHosts(CRAWL), await registry.isQuiet(CRAWL));
        }
        return results;
      },
      isLong: true,
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
      isLong: true,
      isTimed: true,
      isConcurrent: true,
      readsIndex: true,
      hides: ['UpdateItemCommand'],
    }),
  ],
  openGolden('calls-of-registry.txt', import.meta.url),
);
