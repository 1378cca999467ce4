/** A trap whose pages all are the same, and whose links add a word, a slash or an escaped slash to the page's URL: it makes folders without end. */
import { expect, test } from 'vitest';
import { createTrapWatch } from '../../../shared/core/frontier/trap-watch.ts';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { randomOf } from '../../../simulation/models/random.ts';

const START = 'http://a.test/slash/';
const MAX_PAGES = 1000;
const TEXT = 12_345;

/** Fetches pages in the order of a seed, until none is left that is not closed. Returns how many there were: `MAX_PAGES` at most. */
function pagesOfTrap(seed: number): number {
  const random = randomOf(seed, 'order');
  const known = new Set([START]);
  const waiting = [START];
  const watch = createTrapWatch({}, { minNew: 0.05, isKnown: (url) => known.has(url) });
  let pages = 0;
  while (waiting.length > 0 && pages < MAX_PAGES) {
    const [url] = waiting.splice(Math.floor(random() * waiting.length), 1) as [string];
    if (watch.isClosed(url)) continue;
    pages++;
    const links = ['/', './', '%2f'].map((added) => String(canonicalize(url + added)));
    const newLinks = links.filter((link) => !known.has(link));
    for (const link of newLinks) known.add(link);
    waiting.push(...newLinks);
    watch.count(url, { newLinks, ...(watch.wantsText(url) && { textHash: TEXT }) });
  }
  return pages;
}

test('the trap ends, in whatever order its pages are fetched', () => {
  const pages = Array.from({ length: 60 }, (_, seed) => pagesOfTrap(seed)).sort((a, b) => a - b);
  expect(pages.at(-1)).toBeLessThan(MAX_PAGES);
  expect(pages[pages.length / 2]).toBeLessThan(150);
});
