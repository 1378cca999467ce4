import { expect, test } from 'vitest';
import { parseConfig } from '../../../../shared/core/crawl/config.ts';
import { createScope } from '../../../../shared/core/crawl/scope.ts';
import { createPatternWatch, hasPatterns } from '../../../../shared/crawler/turn/page/slow-patterns.ts';
import type { TurnCrawl } from '../../../../shared/crawler/turn/turn-crawl.ts';

const SEED = 'https://a.test/';
const PAGE = 'https://a.test/page';
const links = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ url: `${SEED}${i}`, kind: 'a' as const }));

/** A crawl each URL of which takes `msOfUrl` to be checked, in a thread whose other work takes `msOfOther` for each look. */
function open({ exclude = ['x'], msOfUrl = 0, msOfOther = 0, isMeasured = true }) {
  let cpu = 500;
  const statuses: unknown[] = [];
  const refreshed: string[] = [];
  const config = { ...parseConfig({}), exclude };
  const scope = createScope(config, [SEED]);
  const crawl = {
    id: 'c',
    config,
    scope: {
      ...scope,
      check(url: string, depth: number) {
        cpu += msOfUrl;
        return scope.check(url, depth);
      },
    },
  } as unknown as TurnCrawl;
  const services = {
    engine: { registry: { setStatus: async (...args: unknown[]) => statuses.push(args) } },
    crawls: { refresh: (id: string) => void refreshed.push(id) },
    work: isMeasured ? { cpuMs: () => cpu } : {},
  };
  const watch = createPatternWatch(services as never, crawl, 1);
  const take = async (slices: number) => {
    for (let i = 0; i < slices; i++) {
      for (const { url } of links(100)) crawl.scope.check(url, 1);
      cpu += msOfOther;
      await watch?.(links(100), PAGE);
    }
  };
  return { watch, take, statuses, refreshed };
}

test('a crawl whose patterns take a second for the links of a page is paused, once, with that cause', async () => {
  const { take, statuses, refreshed } = open({ msOfUrl: 2 });
  await take(4);
  expect(statuses).toEqual([]);
  await take(20);
  const text = 'its include and exclude patterns took 1.0 s for 500 links of https://a.test/page';
  expect(statuses).toEqual([['c', 'paused', { code: 'patterns', text }, { from: ['running'] }]]);
  expect(refreshed).toEqual(['c']);
});

test('one whose thread was busy with other work is not', async () => {
  const { take, statuses } = open({ msOfUrl: 0.001, msOfOther: 5000 });
  await take(100);
  expect(statuses).toEqual([]);
});

test('nothing is watched without patterns, nor where no time is measured', () => {
  expect(open({ exclude: [] }).watch).toBeUndefined();
  expect(open({ isMeasured: false }).watch).toBeUndefined();
});

test.each([
  [{}, false],
  [{ include: ['a'] }, true],
  [{ exclude: ['a'] }, true],
  [{ overrides: [{ hosts: ['a.test'], delayMs: 1 }] }, false],
  [{ overrides: [{ hosts: ['a.test'], exclude: ['a'] }] }, true],
])('the settings %j have patterns: %o', (options, expected) => {
  expect(hasPatterns(parseConfig(options))).toBe(expected);
});
