import { describe, expect, test } from 'vitest';
import type { RefusalCause } from '../../../shared/core/causes/cause.ts';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import type { HostRefusal } from '../../../shared/core/frontier/host-refusal.ts';
import type { CrawlFacts } from '../../invariants/facts.ts';
import type { HeadChange } from '../../invariants/history-probe.ts';
import { T0 } from '../../models/virtual-time.ts';
import type { ReportedRefusal, WebRequest } from '../../worlds/spec.ts';
import { HOME, headAt, hostWith, makeFacts, ROBOTS, request, urlRecord, violationsOf } from './made-facts.ts';

const HOUR = 3600;
const CAUSE: RefusalCause = { code: 'blocked', httpStatus: 403 };
const REFUSED: Partial<WebRequest> = {
  httpStatus: 403,
  sha1: 'ab',
  bytes: 2,
  refusal: { kind: 'blocked', isPlain: false },
};
const given = { setAside: { cause: CAUSE, at: T0 } };
const refusal = (rests: number, restUntil?: number): HostRefusal => ({
  ...{ cause: CAUSE, since: T0, row: 0, rests },
  ...(restUntil !== undefined && { restUntil: T0 + 1000 * restUntil }),
});
const totals = (refused: object): Head['totals'] => ({ ...NEW_HEAD.totals, refused: { ...refused } });
const WAITING = urlRecord(HOME, 'waiting', undefined, { result: { fetchedAt: T0, cause: CAUSE } });
const BEGUN = { at: T0, status: 'running', limits: {}, messages: 0 } as const;
const REPORT: ReportedRefusal = {
  ...{ crawl: 'crawl', id: 'x', host: 'a.test', refusal: 'blocked' },
  ...{ cause: 'blocked', since: '', urls: 0 },
};

describe('refusalsKept', () => {
  /** robots.txt at 0, then the root at these times, refused; and a head with the last rest, or given up. */
  function facts(
    times: readonly number[],
    {
      last = { ...given, refusal: refusal(3), totals: totals({ hosts: 1, blocked: 1 }) },
      record = WAITING,
      answer = REFUSED,
      statuses = [BEGUN],
      reports = [REPORT],
    }: {
      readonly last?: Partial<Head>;
      readonly record?: typeof WAITING;
      readonly answer?: Partial<WebRequest>;
      readonly statuses?: CrawlFacts['statuses'];
      readonly reports?: readonly ReportedRefusal[];
    } = {},
  ) {
    const log = [
      request(ROBOTS, 0, 0.1, { httpStatus: 404 }),
      ...times.map((at) => request(HOME, at, at + 0.1, answer)),
    ];
    const counted = { ...(last.totals ?? NEW_HEAD.totals), requests: log.length };
    const heads: HeadChange[] = [headAt((times.at(-1) ?? 0) + 1, undefined, { ...last, totals: counted })];
    const crawl = hostWith(heads, [record], { keepTrying: true }, statuses);
    return makeFacts({ log, crawls: [crawl], refusedHosts: reports });
  }
  const RESTS = [10, 10 + HOUR + 60, 10 + 5 * HOUR + 120, 10 + 29 * HOUR + 180];
  const found = (...args: Parameters<typeof facts>) => violationsOf('refusalsKept', facts(...args));

  test('a host that refuses may be asked four times, after its rests', () =>
    expect(found(RESTS)).toEqual([]));

  test('a rest that is too short, and a fifth try are found', () => {
    expect(found([10, 10 + HOUR / 2, ...RESTS.slice(2)])).toHaveLength(1);
    expect(found([...RESTS.slice(0, 2), 10 + 3 * HOUR, 10 + 29 * HOUR])).toHaveLength(1);
    expect(found([...RESTS, 10 + 90 * HOUR])).toEqual([
      `refusalsKept: crawl: ${HOME} was requested T0+324010.000 s, 219419.900 s after 4 refusals, the last one of ${HOME}; expected no request`,
    ]);
  });

  test('an operator who resumes the crawl has the host asked at once', () => {
    const resumed = { at: T0 + 15 * 60_000, status: 'running', limits: {}, messages: 0 } as const;
    expect(found([10, 10 + HOUR / 2, ...RESTS.slice(2)], { statuses: [BEGUN, resumed] })).toEqual([]);
  });

  test('a refusal that is content is found', () => {
    const digest = Buffer.from('ab', 'hex');
    const record = urlRecord(HOME, 'fetched', undefined, { result: { fetchedAt: T0, digest } });
    expect(found(RESTS, { record })).toContain(
      `refusalsKept: crawl: ${HOME} is fetched, and its content is a refusal`,
    );
  });

  test('a URL that was refused and fails for another reason is found, or after one try', () => {
    const failed = (cause: object) =>
      urlRecord(HOME, 'failed', undefined, { result: { fetchedAt: T0, cause: { ...CAUSE, ...cause } } });
    expect(found(RESTS, { record: failed({}) })).toEqual([]);
    expect(found(RESTS, { record: failed({ code: 'httpStatus' }) })).toHaveLength(1);
    expect(found(RESTS, { record: failed({ code: 'priced' }) })).toHaveLength(1);
    expect(found([10], { record: failed({}) })).toContain(
      `refusalsKept: crawl: ${HOME} is failed, and was refused once: it was not tried again`,
    );
  });

  test('a head that does not count its host, and one that the receiver has not heard of are found', () => {
    expect(found(RESTS, { last: { ...given, refusal: refusal(3) } })).toHaveLength(1);
    expect(found(RESTS, { reports: [] })).toEqual([
      "refusalsKept: crawl: a.test is blocked, given up, and the operator's receiver has not heard of it",
    ]);
    expect(found(RESTS, { reports: [REPORT, { ...REPORT, refusal: 'priced' }] })).toHaveLength(1);
  });

  test('a host that is given up too early is found, if a page of the crawl was there', () => {
    const last = { ...given, refusal: refusal(1), totals: totals({ hosts: 1, blocked: 1 }) };
    expect(found(RESTS.slice(0, 2), { last })).toEqual([
      'refusalsKept: crawl: a.test was given up as blocked T0+3671.000 s, after 1 rests; expected 3',
    ]);
  });
});
