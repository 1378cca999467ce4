import { describe, expect, test } from 'vitest';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import { requestUrl } from '../../../shared/core/url/request-url.ts';
import { simLanguage } from '../../worlds/sim-hooks.ts';
import { crawlFacts, HOME, makeFacts, PAGE, struck, violationsOf } from './made-facts.ts';

/** The crawl of the facts whose first host's head counts this number of items. */
function withItems(counted: number, items: readonly string[], staged?: string) {
  const crawl = crawlFacts();
  const [first, ...others] = crawl.hosts.values();
  const totals = { ...(first!.head.totals ?? NO_TOTALS), hooks: { pages: counted, items: counted } };
  const head = { ...first!.head, totals, ...(staged !== undefined && { stagedItems: staged }) };
  const hosts = new Map([{ ...first!, head }, ...others].map((host) => [host.host, host] as const));
  return { ...crawl, hosts, items, stagedItems: staged === undefined ? [] : [staged] };
}

const brokenItems = (crawl: ReturnType<typeof withItems>, more = {}) =>
  violationsOf('itemsOnce', makeFacts({ crawls: [crawl], ...more }));

describe('itemsOnce', () => {
  test('items in no table, or in two, are found where there is a compactor', () => {
    const crawl = withItems(2, [HOME, PAGE]);
    const given = (tabledItems: string[], more = {}) =>
      brokenItems({ ...crawl, tabledItems }, { hasCompactor: true, ...more });
    expect(given([PAGE, HOME])).toEqual([]);
    expect(given([HOME])).toEqual([expect.stringContaining(`the item of ${PAGE} is in no table`)]);
    expect(given([HOME, PAGE, PAGE])).toEqual([expect.stringContaining(`item of ${PAGE} more often`)]);
    expect(given([HOME], { strikes: struck('clockStepped') })).toEqual([]);
    const running = { ...crawl, status: 'running' as const, tabledItems: [HOME] };
    expect(brokenItems(running, { hasCompactor: true })).toEqual([]);
  });

  test('an item for each page that the heads count is right', () => {
    expect(brokenItems(withItems(2, [HOME, PAGE]))).toEqual([]);
  });

  test('an item that is published 2 times, or of no page of the crawl, is found', () => {
    expect(brokenItems(withItems(2, [HOME, HOME]))).toEqual([
      expect.stringContaining(`${HOME} is published 2 times`),
    ]);
    expect(brokenItems(withItems(1, ['http://other.test/']))).toEqual([
      expect.stringContaining('there is an item of http://other.test/'),
    ]);
  });

  test('an item of a page in another language than the crawl’s is found', () => {
    const english = [HOME, `${HOME}x`, `${HOME}xx`].find((url) => simLanguage(url) === 'en')!;
    const crawl = withItems(1, [english]);
    const given = { ...crawl, config: { ...crawl.config, languages: ['de'] } };
    const found = expect.stringContaining(`an item of ${english}, which is in another language`);
    expect(brokenItems(given)).toContainEqual(found);
    expect(brokenItems(crawl)).not.toContainEqual(found);
  });

  test('a request of the project is in the language of the page that it fetches', () => {
    const german = [HOME, `${HOME}x`, `${HOME}xx`].find((url) => simLanguage(url) === 'de')!;
    const own = ['a', 'ab', 'abc', 'abcd'].map((label) => requestUrl(german, { label }));
    const name = own.find((url) => simLanguage(url) === 'en')!;
    const crawl = withItems(1, [name]);
    const given = { ...crawl, config: { ...crawl.config, languages: ['de'] } };
    expect(brokenItems(given)).not.toContainEqual(expect.stringContaining('which is in another language'));
  });

  test('items that are missing, or staged and not published, are found, unless a message was lost', () => {
    expect(brokenItems(withItems(2, [HOME]))).toEqual([
      expect.stringContaining('count 2 items, 1 are published'),
    ]);
    const staged = withItems(2, [HOME], 'x.jsonl.gz');
    expect(brokenItems(staged)).toEqual([
      expect.stringContaining('the items x.jsonl.gz of'),
      expect.stringContaining('count 2 items, 1 are published'),
    ]);
    expect(brokenItems(staged, { strikes: struck('messageLost') })).toEqual([]);
  });
});
