import { expect, test } from 'vitest';
import { Sites } from '../../../shared/core/crawl/sites.ts';
import type { SitePass } from '../../../shared/core/frontier/site-pass.ts';
import { isWanted, siteEntries } from '../../../shared/services/report/site-entries.ts';

const NOW = Date.UTC(2026, 0, 5);
const DAY = 86_400_000;

async function entriesOf(urls: readonly string[], passes: Readonly<Record<string, Partial<SitePass>>>) {
  async function* all() {
    for (const [host, pass] of Object.entries(passes))
      yield { host, pass: { since: NOW - 1000, pages: 0, ...pass } };
  }
  return siteEntries(new Sites(urls.map((url) => ({ url }))), all(), NOW);
}

test('each site has its state, and the counts say how many were visited in 24 hours', async () => {
  const { entries, counts } = await entriesOf(
    ['https://a.test/', 'https://b.test/', 'https://c.test/', 'https://d.test/'],
    {
      'a.test': { pages: 5, said: 'done', seenAt: NOW - 1000, saidAt: NOW - 500 },
      'b.test': { blocked: 5, before: 9, said: 'blocked', cause: 'HTTP 403', seenAt: NOW - DAY },
      'c.test': { pages: 2, seenAt: NOW - 1 },
      'other.test': { pages: 2, said: 'done', seenAt: NOW },
    },
  );
  expect(entries.map(({ host, state }) => [host, state])).toEqual([
    ['a.test', 'done'],
    ['b.test', 'blocked'],
    ['c.test', 'running'],
    ['d.test', 'waiting'],
  ]);
  expect(entries[1]).toMatchObject({ pages: 0, pagesBefore: 9, blocked: 5, cause: 'HTTP 403' });
  expect(counts).toEqual({ count: 4, visited: 2, done: 1, blocked: 1, running: 1, waiting: 1 });
});

test('the hosts of a site count together', async () => {
  const { entries } = await entriesOf(['https://a.test/'], {
    'a.test': { said: 'moved', to: 'www.a.test' },
    'www.a.test': { pages: 8, before: 10, said: 'fewer', seenAt: NOW - 9 },
    'blog.a.test': { pages: 10, before: 10, said: 'done', seenAt: NOW - 5 },
  });
  expect(entries).toEqual([
    expect.objectContaining({
      state: 'done',
      pages: 18,
      pagesBefore: 20,
      visitedAt: new Date(NOW - 5).toISOString(),
    }),
  ]);
  expect(entries[0]?.movedTo).toBeUndefined();
});

test('a site that has moved says where', async () => {
  const { entries } = await entriesOf(['https://a.test/'], { 'a.test': { said: 'moved', to: 'new.test' } });
  expect(entries).toEqual([expect.objectContaining({ state: 'moved', movedTo: 'new.test' })]);
});

test('sites are wanted by group and state', () => {
  const entry = { site: 'https://a.test/', host: 'a.test', group: 'g', state: 'done', pages: 1 } as const;
  expect(isWanted(entry, {})).toBe(true);
  expect(isWanted(entry, { group: 'g', state: 'done' })).toBe(true);
  expect(isWanted(entry, { group: 'h' })).toBe(false);
  expect(isWanted(entry, { state: 'gone' })).toBe(false);
});
