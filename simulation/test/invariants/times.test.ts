import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { EMPTY_INDEX } from '../../../shared/core/frontier/ledger-index.ts';
import { stampOf } from '../../../shared/engines/aws/archive/item-objects.ts';
import { turnShardOf } from '../../../shared/engines/aws/queues/turn-shards.ts';
import type { CrawlFacts } from '../../invariants/facts.ts';
import type { HeadChange, Limits, StatusChange } from '../../invariants/history-probe.ts';
import type { WebRequest } from '../../worlds/spec.ts';
import {
  crawlFacts,
  excused,
  headAt,
  hostFacts,
  hostWith,
  LOG,
  makeFacts,
  PAGE,
  RECORDS,
  ROBOTS,
  request,
  struck,
  urlRecord,
  violationsOf,
} from './made-facts.ts';

const T = headAt(0, undefined, {}).at;
const totals = (requests: number, more = {}) => ({ ...NEW_HEAD.totals, requests, ...more });
const statusAt = (at: number, status: StatusChange['status'], limits: Limits = {}, messages = 0) => ({
  at: T + at * 1000,
  status,
  messages,
  limits,
});
const countOf = (...args: Parameters<typeof violationsOf>) => violationsOf(...args).length;

describe('rested', () => {
  /**
   * The page is requested twice, with this response and a number of seconds between; the heads count some
   * requests.
   */
  function facts(answer: Partial<WebRequest>, gap: number, config = {}, counted = [2, 3]) {
    const log = [
      request(ROBOTS, 0, 0.1, { httpStatus: 404 }),
      request(PAGE, 10, 12, answer),
      request(PAGE, 12 + gap, 13 + gap),
    ];
    const first = headAt(12.5, undefined, { totals: totals(counted[0] as number) });
    const heads = [first, headAt(2000, first, { totals: totals(counted[1] as number) })];
    const record = urlRecord(PAGE, 'fetched', 200, { attempts: 2 });
    return makeFacts({ log, crawls: [hostWith(heads, [record], { backoffMs: 60_000, ...config })] });
  }

  test('a host rests after a failure by its back-off, less a quarter of jitter', () => {
    expect(countOf('rested', facts({ httpStatus: 503 }, 45))).toBe(0);
    expect(violationsOf('rested', facts({ httpStatus: 503 }, 44.9))).toEqual([
      `rested: crawl: ${PAGE} (worker-1, T0+56.900 s) began 44.900 s after the end of ${PAGE} (worker-1, T0+12.000 s); expected at least 45.000 s (back-off)`,
    ]);
  });

  test('or as long as its Retry-After asks, up to what the crawl takes', () => {
    const asked = { httpStatus: 503, retryAfterMs: 100_000 };
    expect(countOf('rested', facts(asked, 100))).toBe(0);
    expect(violationsOf('rested', facts(asked, 99)).join()).toContain(
      'expected at least 100.000 s (Retry-After)',
    );
    expect(countOf('rested', facts(asked, 80, { maxRetryAfterMs: 80_000 }))).toBe(0);
  });

  test('and a multiple of the time that a slow answer took, where the crawl is adaptive', () => {
    expect(countOf('rested', facts({}, 5))).toBe(0);
    expect(violationsOf('rested', facts({}, 9.9, { adaptive: true })).join()).toContain(
      'at least 10.000 s (adaptive)',
    );
    expect(countOf('rested', facts({}, 10, { adaptive: true }))).toBe(0);
  });

  test('where clocks differ, the rest after a failure that another process has seen may be shorter by that', () => {
    const early = (more: Partial<WebRequest>, strikes: ReturnType<typeof struck>) => ({
      ...facts({ httpStatus: 503, ...more }, 35.1),
      strikes,
    });
    const skewed = struck('clockSkew');
    expect(countOf('rested', early({ process: 'worker-2' }, skewed))).toBe(0);
    expect(countOf('rested', early({}, skewed))).toBe(1);
    expect(countOf('rested', early({ process: 'worker-2' }, struck()))).toBe(1);
  });

  test('a rest that was lost with its turn is excused', () => {
    const lost = facts({ httpStatus: 503 }, 5, {}, [1, 2]);
    expect(countOf('rested', lost)).toBe(0);
    expect(excused(lost).filter((text) => text.includes('back-off'))).toHaveLength(1);
  });

  test('also if its turn froze, and was committed only after another process had asked', () => {
    const answered = { httpStatus: 503, process: 'worker-2' };
    const frozen = struck('workerFrozen');
    // The first head is stored at 12.5 s.
    expect(countOf('rested', { ...facts(answered, 0.4), strikes: frozen })).toBe(0);
    expect(countOf('rested', { ...facts(answered, 0.6), strikes: frozen })).toBe(1);
    expect(countOf('rested', facts(answered, 0.4))).toBe(1);
  });

  test('also if the next turn had begun before that, and was discarded', () => {
    const answered = { httpStatus: 503, process: 'worker-2' };
    const discarded = (gap: number) => facts(answered, gap, {}, [2, 2]);
    const strikes = struck('workerFrozen');
    expect(countOf('rested', { ...discarded(0.6), strikes })).toBe(0);
    expect(countOf('rested', { ...discarded(40), leaseMs: 41_000, strikes })).toBe(0);
    expect(countOf('rested', { ...discarded(40), leaseMs: 39_000, strikes })).toBe(1);
    expect(countOf('rested', discarded(0.6))).toBe(1);
    expect(countOf('rested', { ...facts({ httpStatus: 503 }, 0.6, {}, [2, 2]), strikes })).toBe(1);
  });
});

describe('notRunning', () => {
  const withStatuses = (...statuses: StatusChange[]) => [{ ...crawlFacts(), statuses }];
  const running = statusAt(0, 'running');
  const facts = (crawls: CrawlFacts[], strikes = struck()) => makeFacts({ crawls, strikes });

  test('what is requested within two seconds of a pause was heard of too late; a second more is for calls', () => {
    expect(countOf('notRunning', facts(withStatuses(running, statusAt(6.3, 'paused'))))).toBe(0);
    expect(violationsOf('notRunning', facts(withStatuses(running, statusAt(6.2, 'paused'))))).toEqual([
      'notRunning: crawl was paused T0+6.200 s, and worker-1 requested http://a.test/old 3.100 s later; expected none after 2.000 s',
    ]);
    const resumed = withStatuses(running, statusAt(6.2, 'stopped'), statusAt(9, 'running'));
    expect(countOf('notRunning', facts(resumed))).toBe(0);
  });

  test('requests of another crawl are its own', () => {
    const crawl = crawlFacts(RECORDS, {
      config: { contact: 'https://sim.test/other' },
      statuses: [running, statusAt(1, 'limited')],
    });
    const log = LOG.map((one) => ({ ...one, contact: 'https://sim.test/one' }));
    expect(countOf('notRunning', makeFacts({ log, crawls: [crawl] }))).toBe(0);
  });

  test('a process that froze is excused, for four minutes', () => {
    const paused = withStatuses(running, statusAt(0.5, 'paused'));
    expect(countOf('notRunning', facts(paused, struck('workerFrozen')))).toBe(0);
    expect(excused(facts(paused, struck('workerFrozen'))).length).toBeGreaterThan(0);
    const log = [...LOG, request(PAGE, 250, 251)];
    expect(countOf('notRunning', makeFacts({ log, crawls: paused, strikes: struck('workerFrozen') }))).toBe(
      1,
    );
  });
});

const waiting = urlRecord(PAGE, 'waiting', undefined, { attempts: 0 });
const ledger = { ...EMPTY_INDEX, counts: { ...EMPTY_INDEX.counts, waiting: 1 } };
const hostDue = (heads: readonly HeadChange[], ...statuses: StatusChange[]) => [
  hostWith(heads, [waiting], { turnMaxMs: 20_000, totalTimeoutMs: 10_000 }, statuses),
];

describe('onTime', () => {
  const running = statusAt(0, 'running');
  const due = (head: Partial<Head>) => headAt(10, undefined, { ledger, ...head });
  const facts = (first: HeadChange, nextAt: number, strikes = struck(), ...more: StatusChange[]) =>
    makeFacts({ log: [], strikes, crawls: hostDue([first, headAt(nextAt, first, {})], running, ...more) });

  test('a host comes to its turn soon after its token’s time', () => {
    const token = due({ token: '1-x', dueAt: T + 60_000 + 900_000 });
    expect(countOf('onTime', facts(token, 180))).toBe(0);
    expect(violationsOf('onTime', facts(token, 195))).toEqual([
      'onTime: crawl: a.test was due T0+60.000 s, and came to its turn 135.000 s later; expected 130.000 s at most',
    ]);
    // Its message came when the worker started for it had ended, and the waker read that none waits.
    expect(countOf('onTime', facts(token, 195, struck('messageLate', 'staleRead')))).toBe(0);
    expect(countOf('onTime', facts(token, 255, struck('messageLate', 'staleRead')))).toBe(1);
    // An event that starts a small worker is lost, and the sizes are old, too.
    expect(countOf('onTime', facts(token, 195, struck('eventLost', 'staleRead')))).toBe(0);
    for (const one of ['messageLate', 'eventLost', 'staleRead'] as const)
      expect(countOf('onTime', facts(token, 195, struck(one)))).toBe(1);
  });

  test('one of a crawl that may have more than its share waits longer in the backlog, while another crawl is at work', () => {
    const first = due({ token: '1-x', dueAt: T + 60_000 + 900_000 });
    const other = request('http://z.test/', 100, 101, { contact: 'https://sim.test/other' });
    const late = (nextAt: number, hosts = 5, log: readonly WebRequest[] = [other]) => {
      const [crawl] = hostDue([first, headAt(nextAt, first, {})], running) as [CrawlFacts];
      const names = Array.from({ length: hosts - 1 }, (_, i) => `h${i}.test`);
      const more = names.map((name) => [name, hostFacts(name, [])] as const);
      const crawls = [{ ...crawl, hosts: new Map([...crawl.hosts, ...more]) }];
      return countOf('onTime', makeFacts({ log, crawls }));
    };
    // Five turns of 30 s instead of one, and 50 s.
    expect([late(355), late(365)]).toEqual([0, 1]);
    expect(late(355, 4)).toBe(1);
    // The crawl is alone, or the other one has ended before.
    expect(late(355, 5, [])).toBe(1);
    expect(late(355, 5, [request('http://h1.test/', 100, 101)])).toBe(1);
    expect(late(355, 5, [{ ...other, startedAt: T + 20_000, endedAt: T + 21_000 }])).toBe(1);
  });

  test('each start of a small worker for its turn queue that strays meanwhile gives the waker a minute more', () => {
    const token = due({ token: '1-x', dueAt: T + 60_000 + 900_000 });
    const late = (nextAt: number, ...strays: readonly [queue: number, at: number][]) => {
      const strayedStarts = strays.map(([queue, at]) => ({ queue, at: T + at * 1000 }));
      return countOf('onTime', { ...facts(token, nextAt, struck('eventLost')), strayedStarts });
    };
    const own = turnShardOf('a.test', 2);
    expect(late(245, [own, 70])).toBe(0);
    expect(late(255, [own, 70])).toBe(1);
    expect(late(305, [own, 70], [own, 130])).toBe(0);
    expect(late(195, [1 - own, 70], [own, 50], [own, 200])).toBe(1);
  });

  test('without a token it is found by the waker, by an index that is rounded up', () => {
    expect(countOf('onTime', facts(due({ dueAt: T + 60_000 }), 200))).toBe(0);
    expect(countOf('onTime', facts(due({ dueAt: T + 60_000 }), 210))).toBe(1);
  });

  test('a due time that only a clock that was ahead can have given counts as come', () => {
    expect(countOf('onTime', facts(due({ dueAt: T + 86_400_000 }), 430))).toBe(0);
    expect(countOf('onTime', facts(due({ dueAt: T + 86_400_000 }), 450))).toBe(1);
  });

  test('a host that waits until a time of a clock that was ahead is excused, and no longer than that', () => {
    const held = due({ dueAt: T + 15_000_000 });
    const others = (nextAt: number, strikes = struck('clockStepped')) => {
      const before = due({ dueAt: T + 60_000 });
      const later = { ...headAt(11, undefined, { ledger, dueAt: T + 15_000_000 }) };
      return makeFacts({
        log: [],
        strikes,
        crawls: hostDue([before, later, headAt(nextAt, later, {})], running),
      });
    };
    expect(countOf('onTime', facts(held, 15_050, struck('clockStepped')))).toBe(0);
    expect(countOf('onTime', others(15_100))).toBe(0);
    expect(countOf('onTime', others(15_500))).toBe(1);
    expect(countOf('onTime', others(15_100, struck()))).toBe(1);
  });

  test('a crawl that recrawls tries a host that was given up again after a day', () => {
    const givenUp = due({ dueAt: T + 86_400_000, setAside: { cause: { code: 'down' } } as never });
    const found = (config: CrawlOptions) => {
      const crawl = hostWith([givenUp, headAt(1000, givenUp, {})], [waiting], config, [running]);
      return countOf('onTime', makeFacts({ log: [], crawls: [crawl] }));
    };
    expect(found({ recrawlEveryMs: 600_000 })).toBe(0);
    expect(found({})).toBe(1);
  });

  test('the time counts from when the crawl was resumed', () => {
    const resumed = [statusAt(50, 'paused'), statusAt(1000, 'running')];
    expect(countOf('onTime', facts(due({ dueAt: T + 60_000 }), 1100, struck(), ...resumed))).toBe(0);
    expect(countOf('onTime', facts(due({ dueAt: T + 60_000 }), 1200, struck(), ...resumed))).toBe(1);
  });

  test('a worker that was lost excuses it for some leases, a lost message until the waker must have noticed', () => {
    const late = (s: number, by: Parameters<typeof struck>[number]) =>
      countOf('onTime', facts(due({ dueAt: T + 60_000 }), s, struck(by)));
    expect([late(800, 'workerKilled'), late(1200, 'workerKilled')]).toEqual([0, 1]);
    expect([late(1200, 'messageLost'), late(2300, 'messageLost')]).toEqual([0, 1]);
  });

  test('a worker that dies while it requests something of a host with a byte rate hides it for longer', () => {
    const late = (s: number, config: CrawlOptions = {}) => {
      const before = due({ dueAt: T + 60_000 });
      const crawl = hostWith(
        [before, headAt(s, before, {})],
        [waiting],
        { turnMaxMs: 20_000, totalTimeoutMs: 10_000, ...config },
        [running],
      );
      return countOf('onTime', makeFacts({ log: [], strikes: struck('pageHarms'), crawls: [crawl] }));
    };
    expect(late(1200)).toBe(1);
    // It may have sent 10 MB: five rests of 300 s.
    const slow = { maxBytesPerSecondPerHost: 10_000 };
    expect([late(1900, slow), late(2100, slow)]).toEqual([0, 1]);
    expect(late(1200, { maxBytesPerSecondPerHost: 10_000_000 })).toBe(1);
  });

  test('a host is found also if the wake-up for a token that was lost is lost, too', () => {
    const token = due({ token: '1-x', dueAt: T + 60_000 + 900_000 });
    const lost = struck('messageLost');
    // Due by the index at 1,260 s, woken within the next minute, and again at the first run after 300 s.
    expect(countOf('onTime', facts(token, 1680, lost))).toBe(0);
    expect(countOf('onTime', facts(token, 2300, lost))).toBe(1);
  });
});

describe('endsRightly', () => {
  const limits = { maxPages: 3 };
  const pages = (at: number, count: number, before?: HeadChange) =>
    headAt(at, before, { totals: totals(count, { pages: count }) });
  const facts = (heads: readonly HeadChange[], strikes: ReturnType<typeof struck>, ...more: StatusChange[]) =>
    makeFacts({ log: [], strikes, crawls: hostDue(heads, statusAt(0, 'running', limits), ...more) });
  const none = struck();

  test('a crawl that is finished while a URL waits, or a message, is found', () => {
    const due = headAt(10, undefined, { ledger, dueAt: T + 20_000 });
    const done = headAt(10, undefined, {});
    expect(countOf('endsRightly', facts([done], none, statusAt(100, 'finished')))).toBe(0);
    expect(violationsOf('endsRightly', facts([due], none, statusAt(100, 'finished')))).toEqual([
      'endsRightly: crawl was called finished T0+100.000 s, when 1 URLs of a.test waited, due T0+20.000 s',
    ]);
    expect(countOf('endsRightly', facts([done], none, statusAt(100, 'finished', {}, 1)))).toBe(1);
    expect(excused(facts([due], struck('workerKilled'), statusAt(100, 'finished')))).toHaveLength(1);
  });

  test('a message that only a newer version can read may wait longer than a crawl does to be finished', () => {
    const [due, done] = [headAt(10, undefined, { ledger, dueAt: T + 20_000 }), headAt(10, undefined, {})];
    const waits = facts([done], struck('oldVersion'), statusAt(100, 'finished', {}, 1));
    expect(countOf('endsRightly', waits)).toBe(0);
    expect(excused(waits)).toHaveLength(1);
    expect(countOf('endsRightly', facts([due], struck('oldVersion'), statusAt(100, 'finished')))).toBe(1);
  });

  test('one that is finished long after its last turn is found', () => {
    const done = headAt(10, undefined, {});
    expect(countOf('endsRightly', facts([done], none, statusAt(269, 'finished')))).toBe(0);
    expect(countOf('endsRightly', facts([done], none, statusAt(271, 'finished')))).toBe(1);
    expect(countOf('endsRightly', facts([done], struck('receivedUnseen'), statusAt(271, 'finished')))).toBe(
      0,
    );
  });

  test('the time counts from when the operator changed the crawl or sent it seeds', () => {
    const [crawl] = hostDue([headAt(10, undefined, {})], statusAt(0, 'running'), statusAt(400, 'finished'));
    const touched = (at: number) =>
      makeFacts({ log: [], crawls: [{ ...crawl!, touchedAt: [T + at * 1000] }] });
    expect(countOf('endsRightly', touched(139))).toBe(1);
    expect(countOf('endsRightly', touched(141))).toBe(0);
  });

  test('a pause by maxCost comes when the next two minutes like any before would reach it, and not before', () => {
    const costs = [
      { at: T + 60_000, cost: 0.4 },
      { at: T + 200_000, cost: 0.5 },
    ];
    const paused = { ...statusAt(240, 'paused', { maxCost: 0.9 }), code: 'maxCost' as const };
    const found = (maxCost: number) => {
      const [crawl] = hostDue([headAt(10, undefined, {})], statusAt(0, 'running'), {
        ...paused,
        limits: { maxCost },
      });
      return violationsOf('endsRightly', makeFacts({ log: [], crawls: [{ ...crawl!, costs }] }));
    };
    expect(found(0.9)).toEqual([]);
    expect(found(0.91)).toEqual([
      'endsRightly: crawl was paused by maxCost T0+240.000 s, when it had cost $0.500, and $0.400 in two minutes at most; its limit is $0.910',
    ]);
  });

  test('a clock that was set may use up the time of a crawl', () => {
    const early = facts([], struck('clockStepped'), statusAt(45, 'limited', { maxTimeMs: 60_000 }));
    expect(violationsOf('endsRightly', early)).toEqual([]);
    expect(excused(early)).toEqual([expect.stringMatching(/^wrongClock: crawl was called limited/)]);
    expect(countOf('endsRightly', facts([], struck('clockStepped'), statusAt(45, 'limited', limits)))).toBe(
      1,
    );
  });

  test('one that is called limited must have reached its limit by what is committed', () => {
    expect(countOf('endsRightly', facts([pages(10, 3)], none, statusAt(20, 'limited', limits)))).toBe(0);
    expect(violationsOf('endsRightly', facts([pages(10, 2)], none, statusAt(20, 'limited', limits)))).toEqual(
      [
        'endsRightly: crawl was called limited T0+20.000 s after 2 pages, 0 bytes and 20.000 s; its limits are {"maxPages":3}',
      ],
    );
    const time = { maxTimeMs: 60_000 };
    expect(countOf('endsRightly', facts([], none, statusAt(55, 'limited', time)))).toBe(0);
    expect(countOf('endsRightly', facts([], none, statusAt(45, 'limited', time)))).toBe(1);
  });

  test('one that waits for requisites of a host that rests runs on, and ends a minute after they came', () => {
    const counts = (awaited: number) => ({
      ...totals(3, { pages: 3 }),
      requisites: { waiting: 1, sent: 0, awaited },
    });
    const awaiting = headAt(10, undefined, { totals: counts(1) });
    const heads = [awaiting, headAt(400, awaiting, { totals: counts(0) })];
    const facts = (at: number, some: readonly HeadChange[] = heads) => {
      const crawls = hostDue(some, statusAt(0, 'running', limits), statusAt(at, 'limited', limits));
      const config = { ...crawls[0]!.config, requisites: true };
      return makeFacts({ log: [], crawls: [{ ...crawls[0]!, config }] });
    };
    expect(countOf('endsRightly', facts(399, [awaiting]))).toBe(0);
    expect(countOf('endsRightly', facts(589))).toBe(0);
    expect(countOf('endsRightly', facts(591))).toBe(1);
  });

  test('one that has reached its limit may run on for two minutes', () => {
    const first = pages(10, 3);
    expect(countOf('endsRightly', facts([first], none, statusAt(139, 'limited', limits)))).toBe(0);
    expect(violationsOf('endsRightly', facts([first], none, statusAt(141, 'limited', limits)))).toEqual([
      'endsRightly: crawl had reached a limit T0+10.000 s, and ran until T0+141.000 s; expected 130.000 s more at most',
    ]);
  });
});

test('recounted: a counter unlike the heads after a recount is found, whatever struck; usage is kept', () => {
  const crawl = crawlFacts();
  const strikes = struck('workerKilled', 'throttleStorm');
  const facts = (recounted: Record<string, number>) =>
    violationsOf('recounted', makeFacts({ strikes, crawls: [{ ...crawl, recounted }] }));
  expect(facts({ ...crawl.totals })).toEqual([]);
  expect(facts({ ...crawl.totals, pages: 2 })).toEqual([
    'recounted: crawl: after a recount the counter pages is 2, the heads add up to 3',
  ]);
  expect(facts({ ...crawl.totals, 'usage.s3Puts': 0 })).toEqual([
    'recounted: crawl: after a recount the counter usage.s3Puts is 0, and was 3',
  ]);
});

describe('noGarbage', () => {
  const segments = (...names: string[]) => ({ ledger: { ...EMPTY_INDEX, segments: names } });
  const first = headAt(1, undefined, segments('s1-a'));
  const second = headAt(2, first, segments('s1-a', 's2-a'));
  const third = headAt(3, second, segments('s3-a'));
  function facts(parts: readonly string[], strikes = struck(), partObjects: readonly string[] = []) {
    const crawl = hostWith([first, second, third], [waiting]);
    const [host] = crawl.hosts.values();
    if (!host) throw new Error('expected a host');
    const hosts = new Map([[host.host, { ...host, parts, partObjects }]]);
    return makeFacts({ log: [], strikes, crawls: [{ ...crawl, hosts }] });
  }

  test('a part that no head names any more is found, but those of the head before and of later attempts', () => {
    expect(countOf('noGarbage', facts(['s1-a', 's2-a', 's3-a', 's3-lost']))).toBe(0);
    expect(violationsOf('noGarbage', facts(['s3-a', 's2-lost']))).toEqual([
      'noGarbage: crawl: the part s2-lost of a.test is still there; version 3 of its head has swept what is not named',
    ]);
    expect(excused(facts(['s3-a', 's2-lost'], struck('workerKilled')))).toHaveLength(1);
    expect(countOf('noGarbage', facts(['s3-a'], struck(), ['s3-a', 's2-b']))).toBe(1);
  });

  test('an upload that continues, a source that stands beside its joined file, and one that was never joined are found, tables of none, and a crawl that is looked at for ever', () => {
    const files = new Map(
      ['old.warc.gz', 'joined.warc.gz', 'joined.cdxj', 'left.warc.gz'].map((name) => [
        name,
        new Uint8Array(),
      ]),
    );
    const joined = new Map([['old.warc.gz', { file: 'joined.warc.gz', offset: 0, bytes: 1 }]]);
    const tables = new Map([
      ['joined.warc.gz', []],
      ['given-up.warc.gz', []],
    ]);
    const crawl = {
      ...crawlFacts([]),
      files,
      tables,
      joined,
      uploads: ['warc/crawl/x.gz'],
      unjoinedSince: T,
    };
    const garbage = (hasCompactor: boolean) =>
      violationsOf('noGarbage', makeFacts({ log: [], crawls: [crawl], hasCompactor }));
    expect(garbage(false)).toEqual([]);
    expect(garbage(true).map((text) => text.slice(0, 60))).toHaveLength(5);
  });

  test('a crawl that a clock ahead has put on the list of the compactor stays there for as much longer', () => {
    const now = T + 9_000_000;
    const left = (enteredAt: number, ...strikes: Parameters<typeof struck>) =>
      makeFacts({
        log: [],
        now,
        strikes: struck(...strikes),
        crawls: [{ ...crawlFacts([]), unjoinedSince: enteredAt }],
        hasCompactor: true,
      });
    // It is settled after an hour, and visited within 20 minutes.
    expect(excused(left(now - 4_700_000, 'clockStepped'))).toEqual([expect.stringMatching(/^wrongClock: /)]);
    expect(countOf('noGarbage', left(now - 4_700_000))).toBe(1);
    expect(countOf('noGarbage', left(now - 4_900_000, 'clockStepped'))).toBe(1);
  });

  test('so does one whose items have names of a clock ahead', () => {
    const now = T + 9_000_000;
    const left = (writtenAt: number, ...strikes: Parameters<typeof struck>) =>
      makeFacts({
        log: [],
        now,
        strikes: struck(...strikes),
        crawls: [{ ...crawlFacts([]), unjoinedSince: T, itemObjects: [`${stampOf(writtenAt)}-x.jsonl.gz`] }],
        hasCompactor: true,
      });
    expect(excused(left(now + 50_000_000, 'clockStepped'))).toEqual([expect.stringMatching(/^wrongClock: /)]);
    expect(excused(left(now - 4_700_000, 'clockStepped'))).toHaveLength(1);
    expect(countOf('noGarbage', left(now + 50_000_000))).toBe(1);
    expect(countOf('noGarbage', left(now - 4_900_000, 'clockStepped'))).toBe(1);
  });
});
