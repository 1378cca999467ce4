import { describe, expect, test } from 'vitest';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import type { UrlState } from '../../../shared/core/frontier/url-record.ts';
import type { HeadChange } from '../../invariants/history-probe.ts';
import type { WebRequest } from '../../worlds/spec.ts';
import {
  crawlFacts,
  excused,
  HOME,
  headAt,
  hostWith,
  LOG,
  makeFacts,
  OLD,
  PAGE,
  RECORDS,
  ROBOTS,
  request,
  struck,
  urlRecord,
  violationsOf,
} from './made-facts.ts';

const BAD = { httpStatus: 503 } as const;
const totals = (requests: number, httpStatus = {}) => ({ ...NEW_HEAD.totals, requests, httpStatus });
const clock = (failures: number) => ({ nextFetchAt: 0, failures });

describe('triesKept', () => {
  /** robots.txt at 0, then the page by these answers, 10 s apart; a head counts `counted` requests. */
  function facts(
    answers: readonly Partial<WebRequest>[],
    record: ReturnType<typeof urlRecord>,
    counted = answers.length + 1,
    strikes = struck(),
  ) {
    const log = [
      request(ROBOTS, 0, 0.1, { httpStatus: 404 }),
      ...answers.map((answer, i) => request(PAGE, 10 * (i + 1), 10 * (i + 1) + 0.1, answer)),
    ];
    const heads = [headAt(99, undefined, { totals: totals(counted) })];
    return makeFacts({ log, crawls: [hostWith(heads, [record], { maxAttempts: 3 })], strikes });
  }
  const failed = (attempts: number) => urlRecord(PAGE, 'failed', undefined, { attempts });

  test('a URL may fail after as many tries as are made, or by an answer that is final', () => {
    expect(violationsOf('triesKept', facts([BAD, BAD, BAD], failed(3)))).toEqual([]);
    expect(violationsOf('triesKept', facts([{ httpStatus: 403 }], failed(1)))).toEqual([]);
    expect(violationsOf('triesKept', facts([BAD, { isCut: true }], urlRecord(PAGE, 'waiting')))).not.toEqual(
      [],
    );
  });

  test('one try too few, one too many, and one that was never made are found', () => {
    expect(violationsOf('triesKept', facts([BAD, BAD], failed(2)))).toEqual([
      `triesKept: crawl: ${PAGE} is failed after 2 tries, and the web's last answer, T0+20.100 s, was 503`,
    ]);
    expect(violationsOf('triesKept', facts([BAD, BAD, BAD, BAD], failed(4)))).toEqual([
      `triesKept: crawl: ${PAGE} is failed after 4 tries, expected 3 at most`,
    ]);
    expect(violationsOf('triesKept', facts([BAD, BAD], failed(3)))).toEqual([
      `triesKept: crawl: ${PAGE} is failed after 3 tries, and was requested 2 times (0 answers of its robots.txt may count, too)`,
    ]);
  });

  test('a state that no answer has made is found', () => {
    const gone = urlRecord(PAGE, 'gone', 404);
    const cause = { code: 'softNotFound', probe: `${PAGE}-qw` } as const;
    const missing = urlRecord(PAGE, 'gone', 200, { result: { fetchedAt: 0, httpStatus: 200, cause } });
    expect(violationsOf('triesKept', facts([{ httpStatus: 200 }], missing))).toEqual([]);
    expect(violationsOf('triesKept', facts([{ httpStatus: 403 }], missing))).toHaveLength(1);
    expect(violationsOf('triesKept', facts([{ httpStatus: 404 }], gone))).toEqual([]);
    expect(violationsOf('triesKept', facts([{ httpStatus: 200 }], gone))).toEqual([
      `triesKept: crawl: ${PAGE} is gone after 1 tries, and the web's last answer, T0+10.100 s, was 200`,
    ]);
  });

  test('a URL that is requested again is found, but for requests that were lost with their turns', () => {
    const fetched = urlRecord(PAGE, 'fetched', 200);
    const twice = [{}, {}];
    expect(violationsOf('triesKept', facts(twice, fetched))).toHaveLength(1);
    expect(violationsOf('triesKept', facts(twice, fetched, 2))).toHaveLength(1);
    expect(violationsOf('triesKept', facts(twice, fetched, 2, struck('workerKilled')))).toEqual([]);
    expect(violationsOf('triesKept', facts([...twice, {}], fetched, 3, struck('workerKilled')))).toHaveLength(
      1,
    );
  });
});

describe('triesKept of a page that is fetched once more, as it is no copy after all', () => {
  const requests = (answers: readonly Partial<WebRequest>[], lost: number) => {
    const log = [
      request(ROBOTS, 0, 0.1, { httpStatus: 404 }),
      ...answers.map((answer, i) => request(PAGE, 10 * (i + 1), 10 * (i + 1) + 0.1, answer)),
      request(OLD, 95, 95.1, { httpStatus: 301 }),
    ];
    const heads = [headAt(99, undefined, { totals: totals(log.length - lost) })];
    const crawls = [hostWith(heads, [urlRecord(PAGE, 'fetched', 200)], { maxAttempts: 3 })];
    const made = makeFacts({ log, crawls, strikes: struck('workerKilled') });
    return violationsOf('triesKept', { ...made, web: { ...made.web, canonicalOf: () => OLD } }).length;
  };

  test('its tries begin again; an answer that was lost with its turn before counts as lost', () => {
    const again = [{}, {}];
    expect(requests(again, 0)).toBe(0);
    expect(requests([BAD, BAD, ...again], 0)).toBe(0);
    expect(requests([{}, BAD, BAD, ...again], 1)).toBe(0);
    expect(requests([{}, BAD, BAD, ...again], 0)).toBe(1);
    expect(requests([{}, ...again, {}], 1)).toBe(1);
  });
});

describe('givenUp', () => {
  const gone = { cause: { code: 'httpStatus', httpStatus: 503 }, at: 0 } as const;
  const answered = headAt(1, undefined, { totals: totals(1, { 404: 1 }) });
  const log = [
    request(ROBOTS, 0, 0.1, { httpStatus: 404 }),
    request(PAGE, 10, 10.1, BAD),
    request(PAGE, 30, 30.1, BAD),
    request(PAGE, 90, 90.1, { failure: 'dns', httpStatus: undefined }),
  ];
  const first = headAt(12, answered, { totals: totals(2, { 503: 1 }), clock: clock(1) });
  const second = headAt(32, first, { totals: totals(3, { 503: 2 }), clock: clock(2) });
  const third = headAt(92, second, { totals: totals(4), clock: clock(4), setAside: gone });
  const facts = (heads: readonly HeadChange[], requests = log, statuses = {}) =>
    makeFacts({
      log: requests,
      crawls: [
        hostWith(
          heads,
          [urlRecord(PAGE, 'waiting', undefined, { attempts: requests.length - 1 })],
          { maxHostFailures: 4, maxAttempts: 9 },
          Object.entries(statuses).map(
            ([at, status]) => ({ at: Number(at), status, messages: 0, limits: {} }) as never,
          ),
        ),
      ],
    });

  test('a host is given up after as many failures as configured; a name that does not resolve counts twice', () => {
    expect(violationsOf('givenUp', facts([answered, first, second, third]))).toEqual([]);
  });

  test('a connection that breaks may be spared a host without failures, and no other one', () => {
    const broken = { failure: 'reset', httpStatus: undefined } as const;
    const once = [...log.slice(0, 1), request(PAGE, 10, 10.1, broken)];
    const spared = headAt(12, answered, { totals: totals(2), clock: clock(0) });
    const blamed = headAt(12, answered, { totals: totals(2), clock: clock(1) });
    for (const head of [spared, blamed])
      expect(violationsOf('givenUp', facts([answered, head], once))).toEqual([]);
    const after = [...log.slice(0, 2), request(PAGE, 30, 30.1, broken)];
    const again = headAt(32, first, { totals: totals(3, { 503: 1 }), clock: clock(1) });
    expect(violationsOf('givenUp', facts([answered, first, again], after))).toHaveLength(1);
  });

  test('one that is given up too soon, or not in time, is found', () => {
    const soon = { ...second, head: { ...second.head, setAside: gone } };
    expect(violationsOf('givenUp', facts([answered, first, soon], log.slice(0, 3)))).toEqual([
      'givenUp: crawl: the head of a.test, version 3 (T0+32.000 s), gives the host up after 2 failures in a row, expected 4',
    ]);
    const late = { ...third, head: { ...third.head, setAside: undefined } };
    expect(violationsOf('givenUp', facts([answered, first, second, late]))).toEqual([
      'givenUp: crawl: the head of a.test, version 4 (T0+92.000 s), does not give the host up after 4 failures in a row',
    ]);
  });

  test('failures that are counted wrongly are found; where a turn was lost, they are excused', () => {
    const wrong = { ...second, head: { ...second.head, clock: clock(1) } };
    const message =
      "crawl: the head of a.test, version 3 (T0+32.000 s), counts 1 failures in a row, by the web's answers it is 2";
    expect(violationsOf('givenUp', facts([answered, first, wrong], log.slice(0, 3)))).toEqual([
      `givenUp: ${message}`,
    ]);
    const lost = { ...wrong, head: { ...wrong.head, totals: totals(2) } };
    expect(violationsOf('givenUp', facts([answered, first, lost], log.slice(0, 3)))).toEqual([]);
    expect(excused(facts([answered, first, lost], log.slice(0, 3)))).toEqual([`lostTurn: ${message}`]);
  });

  test('a look in vain for the rules of another host may be a failure, too', () => {
    const moved = (tries: number) => ({
      movedRobots: [{ from: 'http://a.test', to: 'http://b.test/r', since: 0, expiresAt: 1e15, tries }],
    });
    const looked = (tries: number) => ({
      ...second,
      head: { ...second.head, clock: clock(3), ...moved(tries) },
    });
    expect(violationsOf('givenUp', facts([answered, first, looked(6)], log.slice(0, 3)))).toEqual([]);
    expect(violationsOf('givenUp', facts([answered, first, looked(5)], log.slice(0, 3)))).toHaveLength(1);
  });

  test('a robots.txt that its other origin does not give may count as a failure, and forgives none', () => {
    const beside = request('https://a.test/robots.txt', 20, 20.1, BAD);
    const counting = (failures: number) => headAt(22, first, { totals: totals(3), clock: clock(failures) });
    const found = (failures: number) =>
      violationsOf('givenUp', facts([answered, first, counting(failures)], [...log.slice(0, 2), beside]));
    expect([found(1), found(2)]).toEqual([[], []]);
    expect(found(0)).toHaveLength(1);
  });

  test('a host that was given up gets no request until the crawl is resumed', () => {
    const again = [...log, request(PAGE, 3000, 3000.1)];
    const fourth = headAt(3001, third, { totals: totals(5), clock: clock(0), setAside: undefined });
    const heads = [answered, first, second, third, fourth];
    expect(violationsOf('givenUp', facts(heads, again))).toEqual([
      `givenUp: crawl: the head of a.test, version 5 (T0+3001.000 s), was given up, and ${PAGE} was requested T0+3000.000 s`,
    ]);
    expect(violationsOf('givenUp', facts(heads, again, { [third.at + 1000]: 'running' }))).toEqual([]);
  });

  test('while no host has answered, the second try is the last', () => {
    const unheard = log.map((one) => ({ ...one, httpStatus: undefined, failure: 'connect' as const }));
    const tried = headAt(12, undefined, { totals: totals(2), clock: clock(2), setAside: gone });
    expect(violationsOf('givenUp', facts([tried], unheard.slice(0, 2)))).toEqual([]);
    const kept = { ...tried, head: { ...tried.head, setAside: undefined } };
    expect(violationsOf('givenUp', facts([kept], unheard.slice(0, 2)))).toHaveLength(1);
  });
});

describe('depthTrue', () => {
  const facts = (
    known: Partial<Record<'depth' | 'level' | 'redirects', number>>,
    strikes = struck(),
    more = {},
  ) => {
    const records = RECORDS.map((record) => (record.url === PAGE ? { ...record, ...known } : record));
    return makeFacts({ strikes, crawls: [crawlFacts(records, more)] });
  };
  const found = (...given: Parameters<typeof facts>) => violationsOf('depthTrue', facts(...given));

  test('depth, redirects and level that no link gives are found', () => {
    expect(found({ depth: 1 })).toEqual([]);
    expect(found({ depth: 2 }).join()).toContain(`${PAGE} has depth 2, its sources give it 1`);
    expect(found({ redirects: 2 })).toEqual([
      `depthTrue: crawl: ${PAGE} has 2 redirects, its sources give it 0 or 1`,
    ]);
    expect(found({ level: 7 }).join()).toContain(`${PAGE} has level 7, its sources give it`);
  });

  test('a page that was fetched once more may have named its canonical URL before it rose', () => {
    const COPY = 'http://a.test/copy';
    const wrong = (depth: number, state: UrlState = 'redirect') => {
      const copy = urlRecord(COPY, 'fetched', 200, { depth: 1 });
      const original = urlRecord(OLD, state, 301, { depth, level: 0, via: COPY });
      const log = LOG.filter(({ url }) => url !== OLD || state === 'redirect');
      const { web, ...made } = makeFacts({
        log,
        crawls: [crawlFacts([...RECORDS.slice(0, 2), copy, original])],
      });
      const canonicalOf = (url: string) => (url === COPY ? OLD : undefined);
      const linksOf = (url: string) => (url === HOME ? [COPY] : []);
      const found = violationsOf('depthTrue', { ...made, web: { ...web, canonicalOf, linksOf } });
      return found.filter((text) => text.includes(OLD));
    };
    expect([wrong(1), wrong(2)]).toEqual([[], []]);
    expect(wrong(0)).toHaveLength(1);
    expect(wrong(2, 'fetched')).toHaveLength(1);
  });

  test('a URL that stays deeper than a page that linked to it before is found', () => {
    // The redirect of a page of depth 4 gives depth 4, the home page gives 1.
    const records = RECORDS.map((record) =>
      record.url === PAGE || record.url === OLD ? { ...record, depth: 4 } : record,
    );
    const crawls = [crawlFacts(records, { config: { maxDepth: 5 } })];
    expect(violationsOf('depthTrue', makeFacts({ crawls })).join()).toContain(
      `depth 4, ${HOME} (depth 0) linked to ${PAGE} before`,
    );
  });
});
