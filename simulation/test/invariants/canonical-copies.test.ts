/** Pages that count as copies of their canonical URL, and those that do not as it is no page. */
import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { UrlRecord, UrlState } from '../../../shared/core/frontier/url-record.ts';
import { mayBeFreed } from '../../invariants/canonical-copies.ts';
import type { WebRequest } from '../../worlds/spec.ts';
import {
  crawlFacts,
  HOME,
  headAt,
  hostWith,
  LOG,
  makeFacts,
  PAGE,
  RECORDS,
  request,
  urlRecord,
  violationsOf,
} from './made-facts.ts';

const COPY = 'http://a.test/copy';
const SECOND = 'http://a.test/second';
const NONE = 'http://a.test/none';
const ELSEWHERE = 'http://b.test/same';

const record = (url: string, duplicateOf?: string, state: UrlState = 'fetched'): UrlRecord => {
  const made = urlRecord(url, state, 200);
  return duplicateOf === undefined
    ? made
    : { ...made, result: { fetchedAt: 0, ...made.result, duplicateOf } };
};

interface Situation {
  /** By page: the URL that it names. */
  readonly names: Readonly<Record<string, string>>;
  readonly config?: CrawlOptions;
  readonly items?: string[];
  readonly log?: readonly WebRequest[];
  readonly redirects?: Readonly<Record<string, string>>;
}

const made = ({ names, log, redirects = {} }: Situation) => {
  const facts = makeFacts({ ...(log && { log }) });
  const canonicalOf = (url: string) => names[url];
  const redirectOf = (url: string) => redirects[url] ?? facts.web.redirectOf(url);
  return { ...facts, web: { ...facts.web, canonicalOf, redirectOf } };
};

const found = (records: readonly UrlRecord[], situation: Situation) => {
  const { config = {}, items = [] } = situation;
  const crawls = [crawlFacts([...RECORDS, ...records], { config, items })];
  return violationsOf('canonicalCopies', { ...made(situation), crawls });
};

test('a copy of a page is right, if that is what it names, and the crawl goes by it', () => {
  expect(found([record(COPY, PAGE)], { names: { [COPY]: PAGE } })).toEqual([]);
  for (const names of [{}, { [COPY]: HOME }, { [COPY]: COPY }] as Situation['names'][])
    expect(found([record(COPY, PAGE)], { names })).toEqual([expect.stringContaining('counts as a copy of')]);
  const config = { obeyCanonical: false };
  expect(found([record(COPY, PAGE)], { names: { [COPY]: PAGE }, config })).toHaveLength(1);
  expect(found([record(COPY)], { names: { [COPY]: PAGE }, config })).toEqual([]);
});

test('a copy that is taken for a page, or has an item, is found', () => {
  const log = [...LOG, request(COPY, 20, 20.1)];
  expect(found([record(COPY)], { names: { [COPY]: PAGE }, log })).toEqual([
    expect.stringContaining('a page of its own'),
  ]);
  // It broke off before the link, or that page is out of the scope.
  expect(found([record(COPY)], { names: { [COPY]: PAGE } })).toEqual([]);
  const config = { exclude: ['/page'] };
  expect(found([record(COPY)], { names: { [COPY]: PAGE }, log, config })).toEqual([]);
  expect(found([record(COPY, PAGE)], { names: { [COPY]: PAGE }, items: [COPY] })).toEqual([
    expect.stringContaining('has an item'),
  ]);
});

test('a page that names the root, or the first page of its list, is no copy', () => {
  const [first, third] = ['http://a.test/list?page=1&sort=up', 'http://a.test/list?page=3&sort=up'];
  const log = [...LOG, request(third, 20, 20.1), request(COPY, 30, 30.1)];
  expect(found([record(COPY)], { names: { [COPY]: HOME }, log })).toEqual([]);
  const names = { [third]: first };
  expect(found([record(first), record(third)], { names, log })).toEqual([]);
  expect(found([record(first), record(third, first)], { names, log })).toHaveLength(1);
});

test('of two pages that name each other one is a copy', () => {
  const names = { [COPY]: SECOND, [SECOND]: COPY };
  const log = [...LOG, request(COPY, 20, 20.1), request(SECOND, 30, 30.1)];
  expect(found([record(COPY, SECOND), record(SECOND)], { names, log })).toEqual([]);
  expect(found([record(COPY, SECOND), record(SECOND, COPY)], { names, log })).toHaveLength(2);
  expect(found([record(COPY), record(SECOND)], { names, log })).toHaveLength(2);
});

test.each(['gone', 'redirect', 'failed', 'deniedByRobots', 'skipped'] as const)(
  'a page that stays a copy of what is %s is found',
  (state) => {
    const names = { [COPY]: NONE };
    const none = record(NONE, undefined, state);
    expect(found([record(COPY), none], { names })).toEqual([]);
    expect(found([record(COPY, NONE, 'waiting'), none], { names })).toEqual([]);
    expect(found([record(COPY, NONE), none], { names })).toEqual([expect.stringContaining('stays a copy')]);
  },
);

test('of a URL on another host a page may stay a copy, unless it leads back', () => {
  const names = { [COPY]: ELSEWHERE };
  const records = [record(COPY, ELSEWHERE), record(ELSEWHERE, undefined, 'redirect')];
  expect(found(records, { names, redirects: { [ELSEWHERE]: HOME } })).toEqual([]);
  expect(found(records, { names, redirects: { [ELSEWHERE]: COPY } })).toHaveLength(1);
});

test('a page is fetched once more at most, if its canonical URL is no page', () => {
  const answered = (times: number, originalState: UrlState, lost = 0) => {
    const log = [...Array(times).keys()].map((i) => request(COPY, 20 + 10 * i, 20.1 + 10 * i));
    const totals = { ...headAt(1, undefined, {}).head.totals, requests: times - lost };
    const head = headAt(90, undefined, { totals });
    const copy = originalState === 'fetched' ? record(COPY, NONE) : record(COPY);
    const crawl = hostWith([head], [copy, record(NONE, undefined, originalState)]);
    return violationsOf('canonicalCopies', { ...made({ names: { [COPY]: NONE }, log }), crawls: [crawl] });
  };
  expect(answered(2, 'gone')).toEqual([]);
  expect(answered(3, 'gone')).toEqual([expect.stringContaining('3 times, expected 2')]);
  expect(answered(1, 'fetched')).toEqual([]);
  expect(answered(2, 'fetched')).toEqual([expect.stringContaining('2 times, expected 1')]);
});

test('a copy of what robots.txt forbids on another host stays one, though it would redirect back', () => {
  const situation = { names: { [COPY]: ELSEWHERE }, redirects: { [ELSEWHERE]: COPY } };
  const stays = (state: UrlState) =>
    found([record(COPY, ELSEWHERE), record(ELSEWHERE, undefined, state)], situation);
  expect(stays('deniedByRobots')).toEqual([]);
  expect(stays('redirect')).toEqual([expect.stringContaining('stays a copy of')]);
});

test('a copy may be freed by a redirect back whose turn was discarded: its original waits as if it had not been asked', () => {
  const waits = { ...record(ELSEWHERE, undefined, 'waiting'), attempts: 0 };
  const crawl = crawlFacts([...RECORDS, waits]);
  const mayBe = (log: readonly WebRequest[]) =>
    mayBeFreed(record(COPY, undefined, 'waiting'), crawl, made({ names: { [COPY]: ELSEWHERE }, log }).web);
  expect(mayBe([request(ELSEWHERE, 0, 1, { httpStatus: 301 })])).toBe(true);
  expect(mayBe([request(ELSEWHERE, 0, 1)])).toBe(false);
  expect(mayBe([request(PAGE, 0, 1, { httpStatus: 301 })])).toBe(false);
});
