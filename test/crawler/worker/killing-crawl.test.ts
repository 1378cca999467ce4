/** Tests crawls of which each page kills the process that parses it, as with a hook that does so, beside others. */
import { expect, test } from 'vitest';
import { crawlThrough, flatHost } from './deaths.ts';
import { begin, createWorld, ledgersOf } from './world.ts';

const CONFIG = { scope: 'host', delayMs: 1000, trapAfterPages: 0, soft404: false } as const;
const hostsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `http://${name}${i}.test`);

async function open(sizes: Readonly<Record<string, number>>) {
  const hosts = Object.entries(sizes).map(([name, count]) => hostsOf(name, count));
  const site = Object.assign({}, ...hosts.flat().map((host) => flatHost(host, 12)));
  const world = createWorld(site, { leaseMs: 333_000, parcelLeaseMs: 60_000, tookMs: 50 });
  for (const name of Object.keys(sizes))
    await begin(
      world,
      hostsOf(name, sizes[name] as number).map((host) => `${host}/`),
      CONFIG,
      name,
    );
  return world;
}

const fetchedOf = async ({ engine }: Awaited<ReturnType<typeof open>>, crawl: string) =>
  [...(await ledgersOf(engine, crawl))].reduce((sum, [, { head }]) => sum + head.totals.pages, 0);

test('a crawl of which each page kills is paused after a bounded number of deaths, and another one beside it ends', async () => {
  const world = await open({ bad: 30, good: 4 });
  const deaths = await crawlThrough(world, (url) => url.startsWith('http://bad'), {
    crawls: ['bad', 'good'],
    handsOver: true,
    maxDeaths: 200,
  });
  const bad = await world.engine.registry.load('bad');
  expect(bad).toMatchObject({ status: 'paused', why: { code: 'killingPages' } });
  expect(bad?.why?.text).toMatch(/^(\d+) of \1 pages have killed or blocked .* the last one http:\/\/bad/);
  expect(deaths).toBeLessThan(60);
  expect(await fetchedOf(world, 'good')).toBe(4 * 12);
});

test('a crawl of many hosts with one such page is not paused', async () => {
  const world = await open({ bad: 10 });
  await crawlThrough(world, (url) => url === 'http://bad3.test/', { crawls: ['bad'], handsOver: true });
  expect((await world.engine.registry.load('bad'))?.status).not.toBe('paused');
  expect(await fetchedOf(world, 'bad')).toBe(9 * 12);
});
