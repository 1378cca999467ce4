import { expect, test } from 'vitest';
import { countLinkers, linkerHash, sketchOf } from '../../../shared/core/frontier/linker-sketch.ts';
import type { Link } from '../../../shared/core/frontier/message.ts';
import { hostKey } from '../../../shared/core/url/host-key.ts';
import { createLinkerCounts, type LinkerCounts } from '../../../shared/crawler/routing/linker-counts.ts';

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
  expect(votes({ url: `${url}#!POST-1`, via })).toBe(0);
  expect(votes({ url, via })).toBe(1);
});

test('a crawl whose budgets do not grow by links counts nothing', () => {
  expect(createLinkerCounts({ domainBudget: 5 })).toBeUndefined();
});

const counts = () => createLinkerCounts({ domainBudget: 'links' }) as LinkerCounts;
const linksTo = (host: string, count: number): Map<string, Link> =>
  new Map(
    Array.from({ length: count }, (_, i): [string, Link] => {
      const url = `http://${host}/${i}`;
      return [url, { url, depth: 1 }];
    }),
  );

test('the first of a host’s links has its domains, and the others, which may have had some, have none', () => {
  const known = sketchOf([linkerHash('x.test')]);
  const links = linksTo('a.test', 3);
  links.set('http://a.test/2', { url: 'http://a.test/2', depth: 1, linkers: known, via: 'http://y.test/' });
  const linkers = counts();
  for (const link of links.values()) linkers.add('a.test', link);
  linkers.addTo('a.test', links);
  expect([...links.values()].map((link) => link.linkers)).toEqual([
    sketchOf(['x.test', 'y.test'].map(linkerHash)),
    undefined,
    undefined,
  ]);
  expect([...links.values()].map(({ url, via }) => [url, via])).toEqual([
    ['http://a.test/0', undefined],
    ['http://a.test/1', undefined],
    ['http://a.test/2', 'http://y.test/'],
  ]);
});

test('the links of a host that nobody else links to stay the same objects', () => {
  const links = linksTo('a.test', 2);
  const before = [...links.values()];
  const linkers = counts();
  linkers.add('b.test', { url: 'http://b.test/', depth: 1, via: 'http://x.test/' });
  linkers.addTo('a.test', links);
  expect([...links.values()].every((link, i) => link === before[i])).toBe(true);
});

test('hosts count their own domains, also if those of their links take turns', () => {
  const linkers = counts();
  for (const [host, via] of [
    ['a.test', 'x.test'],
    ['b.test', 'x.test'],
    ['a.test', 'y.test'],
    ['b.test', 'z.test'],
    ['a.test', 'x.test'],
  ])
    linkers.add(host as string, { url: `http://${host}/`, depth: 1, via: `http://${via}/` });
  const found = ['a.test', 'b.test'].map((host) => {
    const links = linksTo(host, 1);
    linkers.addTo(host, links);
    return links.get(`http://${host}/0`)?.linkers;
  });
  expect(found).toEqual([
    sketchOf(['x.test', 'y.test'].map(linkerHash)),
    sketchOf(['x.test', 'z.test'].map(linkerHash)),
  ]);
});

test.each([63, 64, 65, 200])('%i domains are counted, whenever they are made a sketch', (count) => {
  const domains = Array.from({ length: count }, (_, i) => `x${i}.test`);
  const linkers = counts();
  for (const domain of domains)
    linkers.add('a.test', { url: 'http://a.test/', depth: 1, via: `http://${domain}/` });
  const links = linksTo('a.test', 1);
  linkers.addTo('a.test', links);
  expect(links.get('http://a.test/0')?.linkers).toBe(sketchOf(domains.map(linkerHash)));
});

test('a host to which very many domains link is counted in a time that grows with their number, not with its square', () => {
  const linkers = counts();
  for (let i = 0; i < 100_000; i++)
    linkers.add('a.test', { url: 'http://a.test/', depth: 1, via: `http://x${i}.test/` });
  const links = linksTo('a.test', 1);
  linkers.addTo('a.test', links);
  const count = countLinkers(links.get('http://a.test/0')?.linkers ?? '');
  expect(count).toBeGreaterThan(70_000);
  expect(count).toBeLessThan(130_000);
});
