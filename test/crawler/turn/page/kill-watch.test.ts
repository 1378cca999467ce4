import { expect, test } from 'vitest';
import { harmsTooOften, watchKills } from '../../../../shared/crawler/turn/page/kill-watch.ts';

test.each([
  ['one page of few', 1, 0, 0, false],
  ['four pages, and no other one was fetched', 4, 0, 0, false],
  ['each page', 5, 0, 0, true],
  ['the second page of each host', 5, 5, 0, true],
  ['a twentieth of the pages', 5, 95, 0, true],
  ['fewer', 5, 96, 0, false],
  ['a host full of such pages, in a crawl of many hosts', 500, 20_000, 0, false],
  ['as many as before a resume', 5, 0, 1, false],
  ['as many again after it', 10, 0, 1, true],
  ['as many again after two', 15, 10, 2, true],
])('a crawl is paused by what has killed its processes: %s', (_, harmful, pages, resumes, isPaused) => {
  expect(harmsTooOften(harmful, pages, resumes)).toBe(isPaused);
});

function open(errors: object, pages: number, status = 'running') {
  const statuses: unknown[] = [];
  const refreshed: string[] = [];
  const registry = {
    totals: async () => ({ errors, pages }),
    load: async () => ({ status }),
    setStatus: async (...args: unknown[]) => statuses.push(args),
  };
  const crawls = { refresh: (id: string) => void refreshed.push(id) };
  const watch = () => watchKills({ engine: { registry }, crawls } as never, { id: 'c' }, 'https://a.test/x');
  return { watch, statuses, refreshed };
}

test('the page that is given up now counts, and the reason names it, and how to fix it', async () => {
  const { watch, statuses, refreshed } = open({ killed: 3, blocked: 1, timeout: 7 }, 2);
  await watch();
  const text =
    '5 of 7 pages have killed or blocked the processes that worked on them, the last one https://a.test/x. ' +
    'If a hook, a middleware or a module of the project does it, fix it; otherwise exclude such pages. Then resume the crawl';
  expect(statuses).toEqual([['c', 'paused', { code: 'killingPages', text }, { from: ['running'] }]]);
  expect(refreshed).toEqual(['c']);
});

test('a crawl of few such pages goes on, and one that was paused keeps its reason', async () => {
  for (const { watch, statuses } of [open({ killed: 3 }, 0), open({ killed: 9 }, 0, 'paused'), open({}, 0)]) {
    await watch();
    expect(statuses).toEqual([]);
  }
});
