import { expect, test } from 'vitest';
import { createCrawls } from '../../../shared/crawler/crawl-state/crawls.ts';
import type { CrawlRegistry } from '../../../shared/crawler/ports/crawl-registry.ts';
import { createFakeClock } from '../worker/fake-clock.ts';
import { createMemoryEngine } from '../worker/memory-engine.ts';
import { begin, CRAWL } from '../worker/world.ts';

const WWW = 'http://www.a.test/';

/** A registry whose next `load` answers only when it is let. */
function slowLoads(registry: CrawlRegistry) {
  let letGo = () => {};
  return {
    letGo: () => letGo(),
    registry: {
      ...registry,
      async load(crawl: string) {
        const record = await registry.load(crawl);
        await new Promise<void>((resolve) => {
          letGo = resolve;
        });
        return record;
      },
    },
  };
}

async function known() {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock);
  await begin({ engine }, ['http://a.test/']);
  return { clock, engine, crawls: createCrawls(engine.registry, clock) };
}

test("an operator's word is heard within two seconds, and the registry is not asked at each turn", async () => {
  const { clock, engine, crawls } = await known();
  expect((await crawls.get(CRAWL))?.status).toBe('running');
  await engine.registry.setStatus(CRAWL, 'paused');
  expect((await crawls.get(CRAWL))?.status).toBe('running');
  await clock.advance(2000);
  expect((await crawls.get(CRAWL))?.status).toBe('paused');
});

test('keeps one budget for a crawl, though its scope is widened', async () => {
  const { engine, crawls } = await known();
  const before = await crawls.get(CRAWL);
  await engine.registry.addScopeSeeds(CRAWL, [WWW]);
  crawls.refresh(CRAWL);
  const after = await crawls.get(CRAWL);
  expect(before?.scope.check(WWW, 1)).toBe('scope');
  expect(after?.scope.check(WWW, 1)).toBeUndefined();
  expect(after?.budget).toBe(before?.budget);
});

test('after a refresh gives the widened scope, though a load was in progress that did not know of it', async () => {
  const { clock, engine } = await known();
  const slow = slowLoads(engine.registry);
  const crawls = createCrawls(slow.registry, clock);
  const first = crawls.get(CRAWL);
  await clock.advance(0);
  await engine.registry.addScopeSeeds(CRAWL, [WWW]);
  crawls.refresh(CRAWL);
  const second = crawls.get(CRAWL);
  for (let i = 0; i < 2; i++) {
    slow.letGo();
    await clock.advance(0);
  }
  expect((await second)?.scope.check(WWW, 1)).toBeUndefined();
  expect((await first)?.budget).toBe((await second)?.budget);
});

test('a crawl that is not there is unknown, and known once it is', async () => {
  const { engine, crawls } = await known();
  expect(await crawls.get('other')).toBeUndefined();
  await begin({ engine }, ['http://b.test/'], {}, 'other');
  expect((await crawls.get('other'))?.id).toBe('other');
});

test('a crawl that was deleted is not known any more, and one that takes its name is another one', async () => {
  const { clock, engine } = await known();
  let isThere = true;
  const load: CrawlRegistry['load'] = async (id) => (isThere ? engine.registry.load(id) : undefined);
  const crawls = createCrawls({ ...engine.registry, load }, clock);
  const before = await crawls.get(CRAWL);
  expect(crawls.known().map(({ id }) => id)).toEqual([CRAWL]);
  isThere = false;
  await clock.advance(2000);
  expect(await crawls.get(CRAWL)).toBeUndefined();
  expect(crawls.known()).toEqual([]);
  isThere = true;
  const after = await crawls.get(CRAWL);
  expect([after?.id, after?.budget === before?.budget]).toEqual([CRAWL, false]);
});

test('an operator is heard within two seconds by a worker whose clock was set back meanwhile', async () => {
  const { clock, engine, crawls } = await known();
  await crawls.get(CRAWL);
  await engine.registry.setStatus(CRAWL, 'paused');
  clock.set(-3_600_000);
  await clock.advance(2000);
  expect((await crawls.get(CRAWL))?.status).toBe('paused');
});

test("an operator's word is heard within two seconds, though the totals were long in coming before it", async () => {
  const { clock, engine } = await known();
  let totalsMs = 0;
  const registry: CrawlRegistry = {
    ...engine.registry,
    isShared: true,
    async totals(crawl) {
      await clock.sleep(totalsMs);
      return engine.registry.totals(crawl);
    },
  };
  const crawls = createCrawls(registry, clock);
  await clock.drive(crawls.get(CRAWL));
  await clock.advance(6000);
  totalsMs = 8000;
  const reading = crawls.get(CRAWL);
  await clock.advance(1000);
  await engine.registry.setStatus(CRAWL, 'paused');
  await clock.drive(reading);
  expect((await crawls.get(CRAWL))?.status).toBe('paused');
});

test('totals count as new for five seconds from their reading on, however long the record took before', async () => {
  const { clock, engine } = await known();
  let reads = 0;
  const registry: CrawlRegistry = {
    ...engine.registry,
    isShared: true,
    async load(crawl) {
      await clock.sleep(3000);
      return engine.registry.load(crawl);
    },
    totals(crawl) {
      reads++;
      return engine.registry.totals(crawl);
    },
  };
  const crawls = createCrawls(registry, clock);
  await clock.drive(crawls.get(CRAWL) as Promise<unknown>);
  const first = reads;
  await clock.advance(1500);
  // Read 4.5 s after the totals were.
  await clock.drive(crawls.get(CRAWL) as Promise<unknown>);
  expect(reads).toBe(first);
  await clock.advance(2000);
  await clock.drive(crawls.get(CRAWL) as Promise<unknown>);
  expect(reads).toBe(first + 1);
});

test('a crawl whose totals cannot be read is not given with old ones, and is read again by the next call', async () => {
  const { clock, engine } = await known();
  let fails = false;
  let reads = 0;
  const registry: CrawlRegistry = {
    ...engine.registry,
    isShared: true,
    async totals(crawl) {
      reads++;
      if (fails) throw new Error('no totals');
      return { ...(await engine.registry.totals(crawl)), pages: reads };
    },
  };
  const crawls = createCrawls(registry, clock);
  await crawls.get(CRAWL);
  fails = true;
  await clock.advance(5000);
  await expect(crawls.get(CRAWL)).rejects.toThrow('no totals');
  await expect(crawls.get(CRAWL)).rejects.toThrow('no totals');
  fails = false;
  expect((await crawls.get(CRAWL))?.budget.used().pages).toBe(4);
});
