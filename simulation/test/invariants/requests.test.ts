import { describe, expect, test } from 'vitest';
import {
  CRAWL_DELAY_MS,
  crawlFacts,
  HOME,
  LOG,
  makeFacts,
  messagesOf,
  OLD,
  OTHER,
  PAGE,
  RECORDS,
  ROBOTS,
  request,
  SECRET,
  struck,
} from './made-facts.ts';

const replaced = (url: string, ...by: ReturnType<typeof request>[]) =>
  LOG.flatMap((one) => (one.url === url ? by : [one]));

describe('oneRequest', () => {
  test('two requests in flight to a host are found, from any processes', () => {
    const log = replaced(PAGE, request(PAGE, 3.15, 6.3, { process: 'worker-2' }));
    expect(messagesOf(makeFacts({ log }))).toEqual([
      `oneRequest: ${PAGE} (worker-2, T0+3.150 s) began while ${HOME} (worker-1, T0+3.100 s), which ended T0+3.200 s, was in flight; expected at most 1 at once`,
    ]);
  });

  test('as many as perHost may be', () => {
    const crawls = [crawlFacts(RECORDS, { config: { perHost: 2 } })];
    const log = replaced(PAGE, request(PAGE, 3.15, 6.3));
    expect(messagesOf(makeFacts({ log, crawls }))).toEqual([]);
  });
});

describe('unhurried', () => {
  test('a request one millisecond too early is found, by delayMs and by Crawl-delay', () => {
    const soon = (CRAWL_DELAY_MS - 1) / 1000;
    expect(messagesOf(makeFacts({ log: replaced(PAGE, request(PAGE, 3.2 + soon, 6.3)) }))).toEqual([
      `unhurried: ${PAGE} (worker-1, T0+6.199 s) began 2.999 s after the end, T0+3.200 s, of ${HOME} (worker-1, T0+3.100 s); expected at least 3.000 s (Crawl-delay)`,
    ]);
    expect(messagesOf(makeFacts({ log: replaced(OTHER, request(OTHER, 5.099, 5.2)) }))).toEqual([
      `unhurried: ${OTHER} (worker-1, T0+5.099 s) began 0.999 s after the end, T0+4.100 s, of http://b.test/robots.txt (worker-1, T0+4.000 s); expected at least 1.000 s (delayMs)`,
    ]);
  });

  test('a longer Crawl-delay than the crawl takes counts as that', () => {
    const crawls = [crawlFacts(RECORDS, { config: { maxCrawlDelayMs: 2000 } })];
    const log = replaced(PAGE, request(PAGE, 5.2, 6.3));
    expect(messagesOf(makeFacts({ log, crawls }))).toEqual([]);
  });

  test('two crawls of one host keep the shorter of their delays', () => {
    const log = LOG.filter(({ host }) => host === 'a.test');
    const other = { ...crawlFacts(), id: 'other' };
    const quick = { ...other.config, delayMs: 10 };
    const close = [...log, request(ROBOTS, 9.411, 9.5)];
    expect(
      messagesOf(makeFacts({ log: close, crawls: [crawlFacts(), { ...other, config: quick }] })).join(),
    ).toContain('Crawl-delay');
    const bare = makeFacts({ log: close, crawls: [crawlFacts(), { ...other, config: quick }] });
    const unruled = { ...bare, web: { ...bare.web, crawlDelayMs: () => undefined } };
    expect(messagesOf(unruled).join()).not.toContain('unhurried');
  });

  test('a Crawl-delay that a turn may have lost is required only if its process continued with it', () => {
    const strikes = struck('workerKilled');
    const again = request(ROBOTS, 1.2, 1.3, { process: 'worker-2' });
    const page = request(HOME, 4.3, 4.4, { process: 'worker-2' });
    const log = [LOG[0] as (typeof LOG)[0], again, page];
    const crawls = [crawlFacts()];
    const hurried = (some: typeof log) =>
      messagesOf(makeFacts({ log: some, crawls, strikes }))
        .join()
        .includes('unhurried');
    expect(hurried(log)).toBe(false);
    expect(hurried([...log.slice(0, 2), { ...page, startedAt: page.startedAt - 1 }])).toBe(true);
    expect(messagesOf(makeFacts({ log, crawls })).join()).toContain('unhurried');
  });

  test('a request after a redirect from another host keeps the pace, from any process', () => {
    const from = 'http://c.test/robots.txt';
    const asked = (process: string, at: number) => [
      request(from, at - 0.2, at - 0.1, { process, httpStatus: 301 }),
      request(ROBOTS, at, at + 0.1, { process }),
    ];
    const found = (log: readonly ReturnType<typeof request>[]) => {
      const facts = makeFacts({ log });
      const redirectOf = (url: string) => (url === from ? ROBOTS : facts.web.redirectOf(url));
      return messagesOf({ ...facts, web: { ...facts.web, redirectOf } });
    };
    for (const process of ['worker-1', 'worker-2']) {
      expect(found([...LOG, ...asked(process, 12.4)])).toEqual([]);
      expect(found([...LOG, ...asked(process, 10.3)])).toEqual([expect.stringMatching(/^unhurried: /)]);
      expect(found([...LOG, ...asked(process, 9.35)])).toContainEqual(expect.stringMatching(/^oneRequest: /));
    }
  });
});

describe('robotsObeyed', () => {
  test('a page requested before robots.txt was answered is found', () => {
    const late = LOG.filter(({ url }) => url !== ROBOTS);
    expect(messagesOf(makeFacts({ log: late }))).toContain(
      `robotsObeyed: ${HOME} was requested by worker-1 T0+3.100 s, before robots.txt of http://a.test was answered (0 tries came to nothing)`,
    );
    for (const failure of [
      { httpStatus: undefined },
      { httpStatus: 503 },
      { httpStatus: 429 },
      { isCut: true },
    ])
      expect(
        messagesOf(makeFacts({ log: replaced(ROBOTS, request(ROBOTS, 0, 0.1, failure)) })).join(),
      ).toContain('before robots.txt of http://a.test was answered (1 tries came to nothing)');
  });

  test('a forbidden page is found, also where a version that allowed it has been replaced', () => {
    expect(messagesOf(makeFacts({ log: [...LOG, request(SECRET, 20, 21)] }))).toEqual([
      `robotsObeyed: ${SECRET} was requested by worker-1 T0+20.000 s, but robots.txt forbids it: version 0, served until T0+0.100 s`,
    ]);
    const second = request(ROBOTS, 12.4, 12.5, { robotsVersion: 1 });
    const log = [...LOG, second, request(PAGE, 20, 21)];
    expect(messagesOf(makeFacts({ log }))).toEqual([
      expect.stringMatching(/^robotsObeyed: .*forbids it: version 1/),
    ]);
    expect(messagesOf(makeFacts({ log, strikes: struck('workerKilled') }))).toEqual([]);
  });

  test('a robots.txt is not used beyond its time, but for when it could not be fetched again', () => {
    const crawls = [crawlFacts(RECORDS, { config: { robotsMaxAgeMs: 1000 } })];
    const at = (s: number, ...more: ReturnType<typeof request>[]) =>
      messagesOf(makeFacts({ log: [...LOG, ...more, request(PAGE, s, s + 0.1)], crawls }));
    expect(at(360)).toEqual([]);
    expect(at(370)).toEqual([
      expect.stringMatching(/^robotsObeyed: .*could be used until T0\+300\.100 s only/),
    ]);
    expect(at(370, request(ROBOTS, 350, 351, { httpStatus: 500 }))).toEqual([]);
  });

  test('old rules hold on while robots.txt redirects to another host that has not answered since', () => {
    const elsewhere = 'http://b.test/robots.txt';
    const crawls = [crawlFacts(RECORDS, { config: { robotsMaxAgeMs: 1000 } })];
    const found = (...more: ReturnType<typeof request>[]) => {
      const log = [
        request(ROBOTS, 0, 0.1, { httpStatus: 301 }),
        ...LOG.slice(1),
        ...more,
        request(PAGE, 380, 381),
      ];
      const facts = makeFacts({ log, crawls });
      const redirectOf = (url: string) => (url === ROBOTS ? elsewhere : facts.web.redirectOf(url));
      return messagesOf({ ...facts, web: { ...facts.web, redirectOf } }).filter((text) =>
        text.includes('T0+380.000'),
      );
    };
    expect(found()).toEqual([expect.stringMatching(/could be used until T0\+304\.100 s only/)]);
    expect(found(request(ROBOTS, 350, 351, { httpStatus: 301 }))).toEqual([]);
  });

  test('a redirect of robots.txt to the same host is followed, and its answer counts', () => {
    const rules = 'http://a.test/rules.txt';
    const log = [
      request(ROBOTS, 0, 0.1, { httpStatus: 301 }),
      request(rules, 1.1, 1.2, { isRobots: true, robotsVersion: 0 }),
      ...LOG.slice(1).map((one) => ({
        ...one,
        startedAt: one.startedAt + 2000,
        endedAt: one.endedAt + 2000,
      })),
    ];
    const facts = makeFacts({ log });
    const redirectOf = (url: string) => (url === ROBOTS ? rules : facts.web.redirectOf(url));
    expect(messagesOf({ ...facts, web: { ...facts.web, redirectOf } })).toEqual([]);
    const unanswered = { ...facts.web, redirectOf, log: log.filter(({ url }) => url !== rules) };
    expect(messagesOf({ ...facts, web: unanswered }).join()).toContain(
      'before robots.txt of http://a.test was answered',
    );
  });

  test('a turn need not have seen what another host was answered for it while it used the old rules longer', () => {
    const rules = 'http://b.test/rules.txt';
    const moved = (s: number) => request(ROBOTS, s, s + 0.1, { httpStatus: 301 });
    const served = (s: number, httpStatus = 200) =>
      request(rules, s, s + 0.1, { isRobots: true, httpStatus, robotsVersion: 0, process: 'worker-2' });
    const log = [moved(0), served(1), ...LOG.slice(1), moved(280), served(290, 503), served(300)];
    const crawls = [crawlFacts(RECORDS, { config: { robotsMaxAgeMs: 1000 } })];
    const at = (s: number) => {
      const facts = makeFacts({ log: [...log, request(PAGE, s, s + 0.1)], crawls });
      const redirectOf = (url: string) => (url === ROBOTS ? rules : facts.web.redirectOf(url));
      return messagesOf({ ...facts, web: { ...facts.web, redirectOf } }).filter((line) =>
        /^robotsObeyed/.test(line),
      );
    };
    // Ten minutes from the try at 280 s and the failure at 290 s.
    expect(at(880)).toEqual([]);
    expect(at(990)).toEqual([expect.stringMatching(/could be used until/)]);
  });

  test('a URL called denied that every version allows is found', () => {
    const denied = RECORDS.map((record) =>
      record.url === OLD
        ? { ...record, state: 'deniedByRobots' as const, attempts: 0, result: { fetchedAt: 0 } }
        : record,
    );
    const log = LOG.filter(({ url }) => url !== OLD);
    expect(messagesOf(makeFacts({ crawls: [crawlFacts(denied)], log }))).toEqual([
      `robotsObeyed: crawl: ${OLD} counts as denied (undefined), but no robots.txt served denies it`,
    ]);
  });

  test('a crawl that ignores robots.txt may ask for anything', () => {
    const crawls = [crawlFacts(RECORDS, { config: { robots: 'ignore' } })];
    expect(messagesOf(makeFacts({ crawls, log: [...LOG, request(SECRET, 20, 21)] }))).toEqual([]);
  });
});
