import { expect, test } from 'vitest';
import { countLinkers } from '../../shared/frontier/linker-sketch.ts';
import type { Link } from '../../shared/frontier/message.ts';
import { createLinkerCounts } from '../../shared/routing/linker-counts.ts';
import { hostKey } from '../../shared/url/host-key.ts';

/** How many domains link to the host of these links. */
function votes(...links: readonly Omit<Link, 'depth'>[]): number {
  const counts = createLinkerCounts({ domainBudget: 'links' });
  if (!counts) throw new Error('Expected counts in a crawl whose budgets grow by links');
  const [{ url } = { url: '' }] = links;
  const all = new Map(links.map((link) => [link.url, { depth: 1, ...link }]));
  for (const link of all.values()) counts.add(hostKey(url), link);
  counts.addTo(hostKey(url), all);
  const [linkers] = [...all.values()].flatMap(({ linkers }) => linkers ?? []);
  return linkers === undefined ? 0 : countLinkers(linkers);
}

test('each registrable domain counts once, and not for its own hosts', () => {
  expect(
    votes(
      { url: 'http://a.test/1', via: 'http://b.test/' },
      { url: 'http://a.test/2', via: 'http://www.b.test/' },
      { url: 'http://a.test/3', via: 'http://c.test/' },
      { url: 'http://a.test/4', via: 'http://www.a.test/' },
    ),
  ).toBe(2);
});

test('seeds, redirects, requisites, sitemaps and own requests are no votes', () => {
  const url = 'http://a.test/';
  const via = 'http://b.test/';
  expect(votes({ url })).toBe(0);
  expect(votes({ url, via, isSeed: true })).toBe(0);
  expect(votes({ url, via, redirects: 1 })).toBe(0);
  expect(votes({ url, via, kind: 'requisite' })).toBe(0);
  expect(votes({ url, via, kind: 'sitemap' })).toBe(0);
  expect(votes({ url: `${url}#POST-1`, via })).toBe(0);
  expect(votes({ url, via })).toBe(1);
});

test('a crawl whose budgets do not grow by links counts nothing', () => {
  expect(createLinkerCounts({ domainBudget: 5 })).toBeUndefined();
});
