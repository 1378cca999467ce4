/** Links to one URL, of which one is kept. */
import { expect, test } from 'vitest';
import { foldLink } from '../../../shared/core/frontier/fold-links.ts';
import { type Link, linkOf } from '../../../shared/core/frontier/message.ts';
import { levelOf, levelOfLink } from '../../../shared/core/frontier/rank.ts';

const URL = 'http://a.test/x';
/** Pages whose links lend the URL these levels. */
const viaOf = (level: number): string => {
  for (let i = 0; ; i++) if (levelOf(URL, `http://b.test/${i}`) === level) return `http://b.test/${i}`;
};
const link = (more: Partial<Link>): Link => linkOf({ url: URL, depth: 2, ...more });

function folded(...links: Link[]): Link | undefined {
  const map = new Map<string, Link>();
  for (const one of links) foldLink(map, one);
  return map.get(URL);
}

const [low, high] = [link({ via: viaOf(1) }), link({ via: viaOf(4), depth: 3 })];

test('the link with the highest level is kept, with the least depth', () => {
  for (const links of [
    [low, high],
    [high, low],
  ])
    expect(folded(...links)).toEqual(link({ via: viaOf(4), depth: 2 }));
});

test('a redirect is kept whatever its level is, with the highest one', () => {
  const redirect = link({ via: viaOf(2), redirects: 1 });
  for (const links of [
    [redirect, low, high],
    [high, redirect, low],
    [low, high, redirect],
  ]) {
    const kept = folded(...links);
    expect(kept).toMatchObject({ via: viaOf(2), redirects: 1, depth: 2 });
    expect(kept && levelOfLink(kept)).toBe(4);
  }
  const best = link({ via: viaOf(6), redirects: 2 });
  expect(folded(redirect, best)).toEqual(best);
  expect(folded(redirect, low)).toEqual(redirect);
});

test('a seed stays one', () => {
  const seed = link({ isSeed: true, depth: 0 });
  const redirect = link({ via: viaOf(2), redirects: 1 });
  for (const links of [
    [seed, redirect],
    [redirect, seed],
  ]) {
    expect(folded(...links)).toMatchObject({ isSeed: true, depth: 0 });
    expect(folded(...links)?.redirects).toBeUndefined();
  }
});
