/** Pages that are remembered until their host is asked for a page that is not there, and what its answer makes of them. */
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import type { HostSoft404 } from '../../../../shared/core/frontier/head.ts';
import { EMPTY_INDEX } from '../../../../shared/core/frontier/ledger-index.ts';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../../shared/core/parser/document.ts';
import type { HashedBlocks } from '../../../../shared/core/parser/hashed-blocks.ts';
import { createHtmlLinks } from '../../../../shared/core/parser/html-links.ts';
import { Soft404 } from '../../../../shared/crawler/turn/page/soft-404.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { crawlOfTurn, ORIGIN, PLAIN_FACTS, recordOf } from '../turn-fakes.ts';

const DAY = 86_400_000;
const MENU = '<nav><p>all that this shop has to offer its guests and friends</p></nav>';
const SORRY = '<p>Sorry but there is no such page here any more</p>';

const textOf = (n: number): string =>
  Array.from({ length: 30 }, (_, i) => `word${String.fromCharCode(97 + ((n * 7 + i) % 26), 97 + (n % 26))}x`)
    .map((word) => word.replaceAll(/\d/g, ''))
    .join(' ');

function blocksOf(main: string): HashedBlocks {
  const parser = createHtmlLinks({ url: ORIGIN, contentType: 'text/html', maxLinks: 0, wantsBlocks: true });
  parser.write(Buffer.from(`${MENU}<main>${main}</main>`));
  return parser.end().blocks as HashedBlocks;
}

const factsOf = (main: string, fields: Partial<DocumentFacts> = {}): DocumentFacts =>
  ({ ...PLAIN_FACTS, isWhole: true, blocks: blocksOf(main), ...fields }) as DocumentFacts;

interface Situation {
  readonly config?: CrawlOptions;
  readonly stored?: HostSoft404;
  readonly urls?: number;
  readonly now?: number;
  readonly isAnnouncing?: boolean;
  readonly inMemory?: readonly UrlRecord[];
  readonly crawl?: Partial<ReturnType<typeof crawlOfTurn>>;
}

function open({
  config,
  stored,
  urls = 50,
  now = T0,
  isAnnouncing = false,
  inMemory = [],
  crawl,
}: Situation = {}) {
  const soft404 = new Soft404({
    crawl: Object.assign(crawlOfTurn({ config: { soft404: true, ...config } }), crawl),
    ledger: { counts: { ...EMPTY_INDEX.counts, waiting: urls }, inMemory: () => inMemory } as never,
    stored,
    isAnnouncing,
    now,
    sizes: { minProbeUrls: 50 },
  });
  const pageOf = (path: string, fields: Partial<UrlRecord> = {}) =>
    recordOf(ORIGIN + path, { state: 'fetched', via: `${ORIGIN}/`, ...fields });
  return {
    soft404,
    pageOf,
    remember: (path: string, main: string, fields: Partial<UrlRecord> = {}, facts = {}) =>
      soft404.remember(pageOf(path, fields), factsOf(main, facts)),
  };
}

/** Three different pages, which are enough to ask. */
function readPages({ remember }: ReturnType<typeof open>): void {
  for (const n of [1, 2, 3]) remember(`/items/page-${n}`, `<p>${textOf(n)}</p>`);
}

/** Asks, and the answer is that page. */
function answered(opened: ReturnType<typeof open>) {
  readPages(opened);
  const probe = opened.soft404.takeProbe()!;
  return { probe, found: opened.soft404.answer(probe, { kind: 'page', blocks: blocksOf(SORRY) }, T0) };
}

describe('a host is asked', () => {
  test('once, when three different pages are known', () => {
    const opened = open();
    const { soft404, remember } = opened;
    remember('/items/page-1', `<p>${textOf(1)}</p>`);
    remember('/items/page-2', `<p>${textOf(2)}</p>`);
    remember('/items/page-3', `<p>${textOf(2)}</p>`);
    expect(soft404.takeProbe()).toBeUndefined();
    remember('/items/page-4', `<p>${textOf(4)}</p>`);
    expect(soft404.takeProbe()).toMatch(new RegExp(`^${ORIGIN}/items/`));
    expect(soft404.takeProbe()).toBeUndefined();
  });

  test('for the same page by each turn, and each host and crawl for another one', () => {
    const probeOf = (crawl: Situation['crawl']) => answered(open({ crawl })).probe;
    const probe = probeOf({ host: 'a.test' });
    expect(probeOf({ host: 'a.test' })).toBe(probe);
    expect(probeOf({ host: 'b.test' })).not.toBe(probe);
    expect(probeOf({ host: 'a.test', id: 'other' })).not.toBe(probe);
  });

  test.each<[string, Partial<UrlRecord>, Partial<DocumentFacts>]>([
    ['that broke off', {}, { isWhole: false }],
    ['of which no text is known', {}, { blocks: undefined }],
    ['that redirected', { state: 'redirect' }, {}],
    ['that was not there', { state: 'gone' }, {}],
    ['that failed', { state: 'failed' }, {}],
    ['that is a requisite', { kind: 'requisite' }, {}],
    ['that is a sitemap', { kind: 'sitemap' }, {}],
  ])('not by a page %s', (_, record, facts) => {
    const { soft404, remember } = open();
    for (const n of [1, 2, 3]) remember(`/items/page-${n}`, `<p>${textOf(n)}</p>`, record, facts);
    expect(soft404.takeProbe()).toBeUndefined();
    expect(soft404.state()).toBeUndefined();
  });

  test.each<[string, Situation]>([
    ['it has fewer URLs', { urls: 49 }],
    ['the crawl wants fewer pages', { config: { maxPages: 49 } }],
    ['the crawl wants fewer pages of each host', { config: { maxPagesPerHost: 49 } }],
    ['the crawl wants single pages', { config: { scope: 'page' } }],
    ['the crawl does not want it', { config: { soft404: false } }],
    ['it was asked', { stored: { kind: 'honest', at: T0 - 1 } }],
    ['the answer may have killed a worker', { isAnnouncing: true }],
  ])('not if %s', (_, situation) => {
    const opened = open(situation);
    readPages(opened);
    expect(opened.soft404.takeProbe()).toBeUndefined();
  });

  test('again after 30 days, by a crawl that fetches pages again alone', () => {
    const isAsked = (config: CrawlOptions, ms: number) => {
      const opened = open({ config, stored: { kind: 'honest', at: T0 }, now: T0 + ms });
      readPages(opened);
      return opened.soft404.takeProbe() !== undefined;
    };
    expect(isAsked({ recrawl: 'changes' }, 30 * DAY)).toBe(false);
    expect(isAsked({ recrawl: 'changes' }, 30 * DAY + 1)).toBe(true);
    expect(isAsked({}, 300 * DAY)).toBe(false);
  });
});

describe('the pages of a turn', () => {
  test('are stored until the host is asked, twelve at most', () => {
    const { soft404, remember } = open();
    for (let n = 0; n < 20; n++) remember(`/items/page-${n}`, `<p>${textOf(1)}</p>`);
    const state = soft404.state();
    expect(state).toMatchObject({ kind: 'unasked', at: T0 });
    expect(state?.early).toHaveLength(12);
    const later = open({ stored: state as HostSoft404 });
    later.remember('/items/other', `<p>${textOf(2)}</p>`);
    expect(later.soft404.state()?.early).toEqual(state?.early);
  });

  test('and of earlier turns are gone if they are as the answer; seeds and front pages never', () => {
    const early = open();
    early.remember('/items/early', SORRY);
    early.remember('/items/fine', `<p>${textOf(9)}</p>`);
    const stored = early.soft404.state() as HostSoft404;
    const inMemory = ['/items/early', '/items/fine', '/items/else'].map((path) => early.pageOf(path));
    const opened = open({ stored, inMemory });
    opened.remember('/items/lost', SORRY);
    opened.remember('/items/seed', SORRY, { depth: 0, via: undefined, level: 7 });
    opened.remember('/index.html', SORRY);
    const { probe, found } = answered(opened);
    expect(found.map(({ record }) => record.url)).toEqual([`${ORIGIN}/items/lost`, `${ORIGIN}/items/early`]);
    expect(found[0]?.cause).toEqual({ code: 'softNotFound', probe });
  });
});

describe('once the answer is known', () => {
  test('a page that is as it is gone, and no page is remembered any more', () => {
    const opened = open();
    const { soft404, pageOf, remember } = opened;
    const { probe } = answered(opened);
    const cause = { code: 'softNotFound', probe };
    expect(soft404.causeOf(pageOf('/items/x'), factsOf(SORRY))).toEqual(cause);
    expect(soft404.causeOf(pageOf('/items/x'), factsOf(`<p>${textOf(5)}</p>`))).toBeUndefined();
    expect(soft404.causeOf(pageOf('/items/x'), factsOf(SORRY, { isWhole: false }))).toBeUndefined();
    expect(soft404.causeOf(pageOf('/'), factsOf(SORRY))).toBeUndefined();
    const state = soft404.state();
    remember('/items/y', `<p>${textOf(6)}</p>`);
    expect(soft404.state()).toBe(state);
    expect(state).toMatchObject({ kind: 'page', at: T0, probe });
    // The next turn knows it by the head.
    const next = open({ stored: state as HostSoft404 });
    expect(next.soft404.causeOf(pageOf('/items/x'), factsOf(SORRY))).toEqual(cause);
    expect(next.soft404.wantsBlocks(pageOf('/items/x'))).toBe(true);
  });

  test('a page of its words is gone, and nothing is known if one with some more is like it, too', () => {
    const pagesWith = (third: string) => {
      const opened = open();
      for (const n of [1, 2, 4]) opened.remember(`/items/page-${n}`, `<p>${textOf(n)}</p>`);
      opened.remember('/items/page-3', `<p>${third}</p>`);
      const probe = opened.soft404.takeProbe()!;
      const blocks = blocksOf(`<p>${textOf(3)}</p>`);
      const found = opened.soft404.answer(probe, { kind: 'page', blocks }, T0 + 5);
      return [found.map(({ record }) => record.url), opened.soft404.state()?.kind];
    };
    expect(pagesWith(textOf(3))).toEqual([[`${ORIGIN}/items/page-3`], 'page']);
    expect(pagesWith(`${textOf(3)} beside quite few others`)).toEqual([[], 'unknown']);
  });

  test('two other pages at least are needed to know anything by it', () => {
    const opened = open();
    readPages(opened);
    for (const n of [4, 5]) opened.remember(`/items/lost-${n}`, SORRY);
    const probe = opened.soft404.takeProbe()!;
    expect(opened.soft404.answer(probe, { kind: 'page', blocks: blocksOf(SORRY) }, T0)).toHaveLength(2);
    const alike = open();
    for (const n of [1, 2]) alike.remember(`/items/page-${n}`, `<p>${textOf(n)}</p>`);
    for (const n of [4, 5, 6]) alike.remember(`/items/lost-${n}`, SORRY);
    const other = alike.soft404.takeProbe()!;
    expect(alike.soft404.answer(other, { kind: 'page', blocks: blocksOf(SORRY) }, T0)).toHaveLength(3);
    const one = open();
    one.remember('/items/page-1', `<p>${textOf(1)}</p>`);
    one.remember('/items/lost-2', SORRY);
    expect(one.soft404.answer(`${ORIGIN}/items/x`, { kind: 'page', blocks: blocksOf(SORRY) }, T0)).toEqual(
      [],
    );
  });

  test.each(['honest', 'unknown'] as const)('nothing is gone after an answer that is %s', (kind) => {
    const opened = open();
    readPages(opened);
    expect(opened.soft404.answer(opened.soft404.takeProbe()!, { kind }, T0 + 5)).toEqual([]);
    expect(opened.soft404.state()).toEqual({ kind, at: T0 + 5 });
  });

  test('a redirect to where the answer led is one to a page that is not there; not that of a seed', () => {
    const opened = open();
    const { soft404, pageOf } = opened;
    readPages(opened);
    const probe = soft404.takeProbe()!;
    soft404.answer(probe, { kind: 'redirect', to: `${ORIGIN}/home?from=1` }, T0);
    expect(soft404.state()).toEqual({ kind: 'redirect', at: T0, probe, to: `${ORIGIN}/home` });
    expect(soft404.isNotFound(pageOf('/x'), `${ORIGIN}/home?from=2`)).toBe(true);
    expect(soft404.isNotFound(pageOf('/x'), `${ORIGIN}/other`)).toBe(false);
    expect(soft404.isNotFound(pageOf('/x', { depth: 0, via: undefined, level: 7 }), `${ORIGIN}/home`)).toBe(
      false,
    );
  });

  test('a redirect to another form of the URL says nothing', () => {
    const opened = open();
    readPages(opened);
    const probe = opened.soft404.takeProbe()!;
    opened.soft404.answer(probe, { kind: 'redirect', to: `${probe}/` }, T0);
    expect(opened.soft404.state()).toEqual({ kind: 'unknown', at: T0 });
  });
});
