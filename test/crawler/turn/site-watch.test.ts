import { expect, test } from 'vitest';
import type { Cause } from '../../../shared/core/causes/cause.ts';
import { Sites } from '../../../shared/core/crawl/sites.ts';
import type { SitePass } from '../../../shared/core/frontier/site-pass.ts';
import { type HostAnswer, SiteWatch } from '../../../shared/crawler/turn/site-watch.ts';

const DAY = 86_400_000;
const T0 = Date.UTC(2026, 0, 5);
const SITE = { url: 'https://a.test/', group: 'g' };

const PAGE: Partial<HostAnswer> = { state: 'fetched', httpStatus: 200 };
const GONE: Partial<HostAnswer> = { state: 'gone', httpStatus: 404 };
const DENIED: Partial<HostAnswer> = { state: 'failed', httpStatus: 403 };
const ROBOTS: Partial<HostAnswer> = { state: 'deniedByRobots', cause: { code: 'robotsDenied' } };
const ERROR: Partial<HostAnswer> = { state: 'failed', httpStatus: 500 };
const toHost = (to: string): Partial<HostAnswer> => ({ state: 'redirect', cause: { code: 'redirect', to } });
const times = (count: number, answer: Partial<HostAnswer>) => Array.from({ length: count }, () => answer);

interface Turn {
  readonly at?: number;
  readonly answers?: readonly Partial<HostAnswer>[];
  readonly urlDueAt?: number;
  readonly givenUp?: Cause;
}

interface Setting {
  readonly host?: string;
  readonly isRemoved?: true;
  /** Each page again after this time; none: never. */
  readonly everyMs?: number;
  readonly isPartial?: boolean;
}

/** Runs one turn after the other. Returns the visits of each, and the pass at the end. */
function run(
  turns: readonly Turn[],
  { host = 'a.test', isRemoved, everyMs, isPartial = false }: Setting = {},
) {
  const sites = new Sites([{ ...SITE, ...(isRemoved && { isRemoved }) }]);
  let pass: SitePass | undefined;
  const visits = turns.map(({ at = T0, answers = [], urlDueAt = Number.POSITIVE_INFINITY, givenUp }) => {
    const nextPassAt = (since: number) => ({
      at: everyMs === undefined ? undefined : since + everyMs,
      isPartial,
    });
    const watch = new SiteWatch({
      crawl: { host, sites, site: sites.of(host) },
      recrawl: { times: { nextPassAt } },
      pass,
    });
    for (const answer of answers) watch.count({ isPage: true, state: 'waiting', at, ...answer });
    watch.end({ now: at, urlDueAt, givenUp });
    pass = watch.pass;
    return watch.visits;
  });
  return { visits, pass: pass as SitePass | undefined };
}

test.each<[outcome: string, answers: readonly Partial<HostAnswer>[], more: object]>([
  ['done', times(3, PAGE), { pages: 3 }],
  ['done', [...times(3, PAGE), ...times(2, DENIED)], { pages: 3, blocked: 2 }],
  ['gone', times(2, GONE), { pages: 0, gone: 2, cause: 'HTTP 404' }],
  ['blocked', times(2, DENIED), { pages: 0, blocked: 2, cause: 'HTTP 403' }],
  ['blocked', [PAGE, ...times(2, DENIED)], { pages: 1, blocked: 2 }],
  ['blocked', [ROBOTS], { blocked: 1, cause: 'robots.txt' }],
  ['failed', [ERROR], { failed: 1, cause: 'HTTP 500' }],
  ['moved', [toHost('https://b.test/x')], { pages: 0, movedTo: 'b.test' }],
])('a pass is %s after its answers (%#)', (outcome, answers, more) => {
  const { visits } = run([{ answers }]);
  expect(visits).toEqual([
    [expect.objectContaining({ site: SITE.url, group: 'g', host: 'a.test', outcome, ...more })],
  ]);
});

test('requisites, sitemaps and links that are left out are no pages', () => {
  const { visits } = run([{ answers: [{ ...PAGE, isPage: false }, { state: 'skipped' }] }]);
  expect(visits).toEqual([[]]);
});

test.each<[why: string, cause: Cause, outcome: string]>([
  ['its name is unknown', { code: 'fetchFailed', failure: 'noSuchHost', detail: 'x' }, 'gone'],
  ['it does not answer', { code: 'fetchFailed', failure: 'connectTimeout', detail: 'x' }, 'failed'],
  ['it refuses', { code: 'httpStatus', httpStatus: 429 }, 'blocked'],
])('a host that is given up as %s has no pages', (_, givenUp, outcome) => {
  expect(run([{ givenUp }]).visits).toEqual([[expect.objectContaining({ outcome, pages: 0 })]]);
});

test('a pass over several turns is reported once, when nothing is due soon', () => {
  const { visits, pass } = run([
    { answers: times(2, PAGE), urlDueAt: T0 },
    { at: T0 + 1000, answers: times(2, PAGE), urlDueAt: T0 + DAY },
    { at: T0 + 2000, urlDueAt: T0 + DAY },
    { at: T0 + 3000, answers: [PAGE] },
  ]);
  expect(visits.map((some) => some.map(({ pages }) => pages))).toEqual([[], [4], [], []]);
  expect(pass).toMatchObject({ pages: 5, said: 'done', seenAt: T0 + 3000 });
});

const every = { everyMs: DAY };

test('fewer pages than last time are said with both figures, and nine tenths are enough', () => {
  const passes = (...counts: number[]) =>
    run(
      counts.map((count, i) => ({
        at: T0 + i * DAY,
        answers: times(count, PAGE),
        urlDueAt: T0 + (i + 1) * DAY,
      })),
      every,
    ).visits.flat();
  expect(passes(20, 18, 16).map(({ outcome }) => outcome)).toEqual(['done', 'done', 'fewer']);
  expect(passes(20, 17)[1]).toMatchObject({ outcome: 'fewer', pages: 17, pagesBefore: 20 });
  expect(passes(20, 5, 5).map(({ outcome }) => outcome)).toEqual(['done', 'fewer', 'done']);
});

test('a pass without pages is not what later ones are compared with', () => {
  const { visits } = run(
    [times(20, PAGE), times(20, DENIED), times(5, PAGE)].map((answers, i) => ({
      at: T0 + i * DAY,
      answers,
      urlDueAt: T0 + (i + 1) * DAY,
    })),
    every,
  );
  expect(visits.flat().map(({ outcome, pagesBefore }) => [outcome, pagesBefore])).toEqual([
    ['done', undefined],
    ['blocked', 20],
    ['fewer', 20],
  ]);
});

test('a pass that is not over when the next one begins is reported, and not compared', () => {
  const { visits } = run(
    [
      { answers: times(20, PAGE), urlDueAt: T0 + DAY },
      { at: T0 + DAY, answers: times(5, PAGE), urlDueAt: T0 + DAY },
      { at: T0 + 2 * DAY, answers: times(20, PAGE), urlDueAt: T0 + 3 * DAY },
    ],
    every,
  );
  expect(visits.flat().map(({ outcome, pages, isPartial }) => [outcome, pages, isPartial])).toEqual([
    ['done', 20, undefined],
    ['done', 5, true],
    ['done', 20, undefined],
  ]);
});

test('pages with intervals of their own are not compared', () => {
  const { visits } = run(
    [
      { answers: times(20, PAGE), urlDueAt: T0 + DAY },
      { at: T0 + DAY, answers: times(2, PAGE), urlDueAt: T0 + 2 * DAY },
    ],
    { ...every, isPartial: true },
  );
  expect(visits.flat().map(({ outcome }) => outcome)).toEqual(['done', 'done']);
});

test('a link that comes after the pass was reported begins no new one', () => {
  const { visits } = run(
    [
      { answers: times(20, PAGE), urlDueAt: T0 + DAY },
      { at: T0 + 1000, answers: [PAGE], urlDueAt: T0 + DAY },
    ],
    every,
  );
  expect(visits.map(({ length }) => length)).toEqual([1, 0]);
});

test('a site that was given up, and answers after a resume, is reported again', () => {
  const givenUp: Cause = { code: 'fetchFailed', failure: 'connectTimeout', detail: 'x' };
  const { visits } = run([{ givenUp }, { at: T0 + 1000, answers: [PAGE] }]);
  expect(visits.flat().map(({ outcome }) => outcome)).toEqual(['failed', 'done']);
});

test('the same visit has the same id each time it is made', () => {
  const ids = [run([{ answers: [PAGE] }]), run([{ answers: [PAGE] }])].map(
    ({ visits }) => visits[0]?.[0]?.id,
  );
  expect(ids[0]).toBe(ids[1]);
  expect(ids[0]).toBe('2026-01-05T00:00:00.000Z done a.test');
});

test('a redirect within the site says nothing, and its other host speaks for it', () => {
  expect(run([{ answers: [toHost('https://www.a.test/')] }]).visits).toEqual([[]]);
  const { visits } = run([{ answers: [PAGE] }], { host: 'www.a.test' });
  expect(visits.flat()).toEqual([expect.objectContaining({ site: SITE.url, host: 'www.a.test' })]);
});

test('hosts of no site, and of sites that were removed, keep nothing', () => {
  for (const setting of [{ host: 'b.test' }, { isRemoved: true as const }])
    expect(run([{ answers: [PAGE] }], setting)).toEqual({ visits: [[]], pass: undefined });
});
