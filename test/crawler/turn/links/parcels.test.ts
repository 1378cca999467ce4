import { expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import type { HtmlLink } from '../../../../shared/core/parser/link-set.ts';
import { parcelsOf } from '../../../../shared/crawler/turn/links/parcels.ts';
import { parcelTexts, parseParcelText } from '../../../../shared/engines/aws/queues/message-text.ts';
import { page } from '../../worker/scripted-fetcher.ts';
import { begin, createWorld, runToEnd, SILENT } from '../../worker/world.ts';

const A = 'http://a.test';

test('links to other hosts, however long and many, go in parcels that can be read again', async () => {
  // As of a sitemap of 50,000 URLs: a parcel of all could not be read.
  const links: readonly HtmlLink[] = Array.from({ length: 12_000 }, (_, i) => ({
    url: `http://b${i % 7}.test/${String(i).padStart(2000, 'x')}`,
    kind: 'a',
  }));
  const hooks = {
    ...SILENT,
    extract: async ({ facts }: Parameters<typeof SILENT.extract>[0]) => ({
      facts: { ...facts, links: [...links] },
    }),
  };
  const world = createWorld({ [`${A}/`]: page() }, { hooks });
  const { exchange } = world.engine;
  const { send } = exchange;
  const sent: string[] = [];
  exchange.send = async (outLinks) => {
    if (outLinks.links[0]?.isSeed) return send(outLinks);
    const chars = outLinks.links.reduce((sum, { url, via = '' }) => sum + url.length + via.length, 0);
    expect(chars).toBeLessThan(10_000_000);
    for (const { url } of outLinks.links) sent.push(url);
  };
  await begin(world, [`${A}/`], { scope: 'any' });
  expect(await runToEnd(world)).toEqual([]);
  expect(sent.sort()).toEqual(links.map(({ url }) => url).sort());
});

test('a parcel of links that are much alike is no larger than a reader of the queue takes', () => {
  const links = Array.from({ length: 300_000 }, (_, i) => ({ url: `${A}/${i}`, depth: 1 }));
  const parcels = [...parcelsOf(links)];
  expect(parcels.flat()).toHaveLength(300_000);
  const texts = parcels.flatMap((part) => parcelTexts({ crawl: 'c', links: part }, SIZES.maxMessageBytes));
  expect(texts.flatMap((text) => parseParcelText(text).links)).toHaveLength(300_000);
});

test.each([
  ['as many links as a parcel takes', [1, 1, 1, 1, 1], { maxParcelLinks: 2, maxParcelChars: 99 }, [2, 2, 1]],
  ['exactly those of two parcels', [1, 1, 1, 1], { maxParcelLinks: 2, maxParcelChars: 99 }, [2, 2]],
  [
    'links of as many characters, with those of their pages',
    [5, 5, 5, 5],
    { maxParcelLinks: 9, maxParcelChars: 20 },
    [2, 2],
  ],
  ['one character less', [5, 4, 5, 5], { maxParcelLinks: 9, maxParcelChars: 20 }, [3, 1]],
  ['long links', [50, 1, 50], { maxParcelLinks: 9, maxParcelChars: 20 }, [1, 2]],
  ['none', [], { maxParcelLinks: 9, maxParcelChars: 20 }, []],
])('%s go together', (_, lengths, sizes, expected) => {
  const links = lengths.map((length, i) => ({ url: 'u'.repeat(length), via: 'v'.repeat(length), depth: i }));
  const parcels = [...parcelsOf(links, { ...SIZES, ...sizes })];
  expect(parcels.map(({ length }) => length)).toEqual(expected);
  expect(parcels.flat()).toEqual(links);
});

test('links without a page, as seeds are, count by their own characters', () => {
  const links = ['u'.repeat(10), 'u'.repeat(10), 'u'].map((url) => ({ url, depth: 0 }));
  const parcels = [...parcelsOf(links, { ...SIZES, maxParcelLinks: 9, maxParcelChars: 20 })];
  expect(parcels.map(({ length }) => length)).toEqual([2, 1]);
});
