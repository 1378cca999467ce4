/** Settings by host hold wherever a host is asked, and none makes a worker run in circles. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../shared/crawl/config.ts';
import { page, redirect, robots, type Site } from './scripted-fetcher.ts';
import { begin, createWorld, gapsOf, runToEnd, startProcess } from './world.ts';

const A = 'http://a.test';
const B = 'http://b.test';

test('a robots.txt that leads elsewhere is asked for at the pace of the host that it leads to', async () => {
  const site: Site = {
    [`${A}/robots.txt`]: redirect(`${B}/1`),
    [`${B}/1`]: redirect(`${B}/2`),
    [`${B}/2`]: redirect(`${B}/3`),
    [`${B}/3`]: robots('User-agent: *\nDisallow: /no\n'),
    [`${A}/`]: page(),
  };
  const world = createWorld(site);
  await begin(world, [`${A}/`], {
    delayMs: 1000,
    overrides: [
      { hosts: ['a.test'], delayMs: 0, perHost: 4 },
      { hosts: ['b.test'], delayMs: 3000 },
    ],
  });
  expect(await runToEnd(world)).toEqual([]);
  expect(Math.min(...gapsOf(world.fetcher, 'b.test'))).toBeGreaterThanOrEqual(3000);
});

test('hooks that may take longer than any turn are refused, where they would have turns end before they begin', async () => {
  expect(() => parseConfig({ hookTimeoutMs: 3_600_000 })).toThrow('hookTimeoutMs');
  const hooks = {
    extract: async ({ facts }: never) => ({ facts }),
    onPage: async () => ({ items: [] }),
    onError: async () => {},
  };
  const world = createWorld({ [`${A}/`]: page() }, { leaseMs: 200_000 });
  await begin(world, [`${A}/`], { hookTimeoutMs: 60_000 });
  const process = startProcess(world.engine, world.fetcher, ['crawl'], 10, hooks);
  await world.clock.drive(process.ended, async () => process.errors.length > 0);
  process.stop();
  await world.clock.drive(process.ended);
  expect(process.errors[0]).toContain('Expected a lease of more than 310000 ms');
  expect((await world.engine.ledgers.loadHead('crawl', 'a.test'))?.version).toBeUndefined();
});
