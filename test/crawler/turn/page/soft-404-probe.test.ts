/** The one request for a URL under which nothing stands: whether it is made, and what its answer is taken for. */
import { describe, expect, test } from 'vitest';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import type { ProbeAnswer } from '../../../../shared/crawler/turn/page/soft-404.ts';
import { Soft404Probe } from '../../../../shared/crawler/turn/page/soft-404-probe.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { type Answer, robots } from '../../worker/scripted-fetcher.ts';
import { driven, OPEN_ROBOTS, openTurn, type TurnSituation } from '../turn-bench.ts';
import { HOST, ORIGIN, recordOf } from '../turn-fakes.ts';

const PROBE = `${ORIGIN}/articles/qwertyuiopasdf`;
const TOOK_MS = 50;
const SORRY: Answer = { body: '<title>Not found</title><p>Sorry, there is no such page on this site.</p>' };

interface Situation extends TurnSituation {
  readonly probe?: string | undefined;
  /** The pages of this turn that are as the answer. */
  readonly alike?: readonly UrlRecord[];
  readonly isQuarantined?: boolean;
  readonly isCached?: boolean;
}

async function ask(answer: Answer, situation: Situation = {}) {
  const { probe = PROBE, alike = [], isQuarantined = false, isCached, ...more } = situation;
  const turn = await openTurn({
    head: OPEN_ROBOTS,
    site: { [PROBE]: answer },
    tookMs: TOOK_MS,
    ...more,
  });
  const answers: { url: string; answer: ProbeAnswer; now: number }[] = [];
  const amended: UrlRecord[] = [];
  const soft404 = {
    takeProbe: () => ('probe' in situation ? situation.probe : probe),
    answer(url: string, given: ProbeAnswer, now: number) {
      answers.push({ url, answer: given, now });
      return alike.map((record) => ({ record, cause: { code: 'softNotFound', probe: url } }));
    },
  };
  const { fetcherOf } = turn.services;
  if (isCached)
    Object.assign(turn.services, {
      fetcherOf: (...given: Parameters<typeof fetcherOf>) => ({
        ...fetcherOf(...given),
        fetch: async (request: Parameters<ReturnType<typeof fetcherOf>['fetch']>[0]) => ({
          ...(await fetcherOf(...given).fetch(request)),
          cache: { kind: 'hit' },
        }),
      }),
    });
  const { quarantine, settlement, crawl, pace } = turn.parts;
  const received: number[] = [];
  Object.assign(crawl.budget, { receive: (bytes: number) => void received.push(bytes) });
  const giveUps: number[] = [];
  Object.assign(pace, { giveUpIfHopeless: async () => void giveUps.push(pace.clock.failures) });
  if (isQuarantined) Object.assign(quarantine, { causeOf: () => ({ code: 'killed' }) });
  Object.assign(settlement, { amend: (record: UrlRecord) => void amended.push(record) });
  const freed: UrlRecord[] = [];
  Object.assign(turn.parts.restoredDuplicates, {
    take: async (record: UrlRecord) => void freed.push(record),
  });
  const made = new Soft404Probe(turn.services, { ...turn.parts, soft404: soft404 as never });
  const sentRequest = await driven(turn, made.runIfDue());
  return {
    ...turn,
    answers,
    amended,
    freed,
    received,
    giveUps,
    sentRequest,
    kinds: answers.map((one) => one.answer.kind),
  };
}

describe('a probe', () => {
  test('is one request at the host’s pace, past all caches, for a short page without links', async () => {
    const { sentRequest, requests, answers, parts, disposed, work, locks } = await ask(SORRY);
    expect(sentRequest).toBe(true);
    expect(requests).toMatchObject([{ url: PROBE, maxBodyBytes: 1024 * 1024, cache: 'bypass' }]);
    expect(answers).toMatchObject([{ url: PROBE, answer: { kind: 'page' }, now: T0 + TOOK_MS }]);
    expect(parts.pace.nextFetchAt).toBe(T0 + TOOK_MS + 1000);
    expect(disposed).toEqual([PROBE]);
    expect(work.filter((step) => step.startsWith('parse '))).not.toEqual([]);
    expect(locks.length).toBeGreaterThan(0);
  });

  test('counts among the bytes of the crawl, and is in no archive', async () => {
    const { parts, calls, received } = await ask(SORRY);
    expect(received).toEqual([Buffer.byteLength(SORRY.body ?? '')]);
    expect(calls.filter((call) => call.startsWith('append'))).toEqual([]);
    expect(parts.counters.totals.pages).toBe(0);
  });

  test('is followed by the Crawl-delay that the host wants', async () => {
    const robotsOf = { ...OPEN_ROBOTS.robots[0]!, crawlDelayMs: 7000 };
    const { parts } = await ask(SORRY, { head: { robots: [robotsOf] } });
    expect(parts.pace.nextFetchAt).toBe(T0 + TOOK_MS + 7000);
  });

  test.each<[string, Situation]>([
    ['there is none to be made', { probe: undefined }],
    ['the host’s robots.txt is not known', { head: {} }],
    [
      'robots.txt forbids it',
      { head: { robots: [{ ...OPEN_ROBOTS.robots[0]!, kind: 'rules', rules: 'disallow:/articles\n' }] } },
    ],
    [
      'its robots.txt is from the archive alone',
      { head: { robots: [{ ...OPEN_ROBOTS.robots[0]!, isArchived: true }] } },
    ],
    ['its URL is in quarantine', { isQuarantined: true }],
  ])('is not made if %s', async (_why, situation) => {
    const { sentRequest, requests, answers } = await ask(SORRY, situation);
    expect([sentRequest, requests, answers]).toEqual([false, [], []]);
  });
});

describe('the answer', () => {
  test.each<[string, Answer, ProbeAnswer['kind']]>([
    ['404', { ...SORRY, status: 404 }, 'honest'],
    ['410', { ...SORRY, status: 410 }, 'honest'],
    ['200 with a page', SORRY, 'page'],
    ['403', { ...SORRY, status: 403 }, 'unknown'],
    ['500', { ...SORRY, status: 500 }, 'unknown'],
    ['201 with a page', { ...SORRY, status: 201 }, 'unknown'],
    ['a page with a login form', { body: '<p>Log in</p><input type=password>' }, 'unknown'],
    [
      'a page that leads on at once',
      { body: '<meta http-equiv=refresh content="0; url=/"><p>Wait</p>' },
      'unknown',
    ],
    ['a page that was too long', { ...SORRY, truncated: 'length' }, 'unknown'],
    ['a page that broke off', { ...SORRY, truncated: 'disconnect' }, 'unknown'],
    ['an image', { body: 'GIF89a', headers: { 'Content-Type': 'image/gif' } }, 'unknown'],
    ['a redirect without a target', { status: 302 }, 'unknown'],
    ['a redirect to no URL', { status: 302, headers: { Location: 'http://[' } }, 'unknown'],
    ['no answer', { fails: 'timeout' }, 'unknown'],
  ])('%s is taken for one that is %s', async (_what, answer, kind) => {
    const { kinds, sentRequest } = await ask(answer);
    expect([kinds, sentRequest]).toEqual([[kind], true]);
  });

  test.each([
    [301, '/', `${ORIGIN}/`],
    [302, 'home?x=1', `${ORIGIN}/articles/home?x=1`],
    [308, ' http://b.test/a ', 'http://b.test/a'],
    [302, ' /home\u00c2\u00a0', `${ORIGIN}/home%C2%A0`],
    [302, '/caf\u00e9', `${ORIGIN}/caf%E9`],
    [399, '/caf\u00c3\u00a9', `${ORIGIN}/caf%C3%A9`],
  ])('%i to %s is a redirect to the URL as the crawl names it', async (status, location, to) => {
    const { answers } = await ask({ status, headers: { Location: location } });
    expect(answers[0]?.answer).toEqual({ kind: 'redirect', to });
  });

  test('that the crawl’s own end has cut short is none: a later turn asks again', async () => {
    const { sentRequest, answers } = await ask({ fails: 'aborted' });
    expect([sentRequest, answers]).toEqual([true, []]);
  });

  test('makes the pages that are as it is gone, with the reason, and counts them', async () => {
    const result = { fetchedAt: T0, httpStatus: 200 };
    const alike = [
      recordOf(`${ORIGIN}/a`, { state: 'fetched', result }),
      recordOf(`${ORIGIN}/b`, { state: 'fetched' }),
    ];
    const { amended, freed, parts } = await ask(SORRY, { alike });
    const cause = { code: 'softNotFound', probe: PROBE };
    expect(amended).toEqual([
      { ...alike[0], state: 'gone', result: { ...result, cause } },
      { ...alike[1], state: 'gone' },
    ]);
    // Their copies are looked for.
    expect(freed).toEqual(amended);
    expect(parts.counters.totals.hints).toMatchObject({ softNotFound: 2 });
  });

  test('of a host that is down makes it rest, and counts as its failure', async () => {
    const { parts, giveUps } = await ask({ status: 503, headers: { 'Retry-After': '30' } });
    expect(parts.pace.nextFetchAt).toBeGreaterThanOrEqual(T0 + TOOK_MS + 30_000);
    expect(giveUps).toEqual([1]);
  });
});

describe('a probe that is made again', () => {
  test('is judged by its new answer, and asked by the rules of then', async () => {
    const other = { body: '<title>Shop</title><p>All that we sell, and where it is made and by whom.</p>' };
    const answers: Answer[] = [SORRY, other, { ...SORRY, status: 404 }];
    const turn = await openTurn({
      site: { [`${ORIGIN}/robots.txt`]: { status: 404 }, [PROBE]: (before) => answers[before] as Answer },
    });
    const given: ProbeAnswer[] = [];
    const soft404 = {
      takeProbe: () => PROBE,
      answer(_url: string, answer: ProbeAnswer) {
        given.push(answer);
        return [];
      },
    };
    const made = new Soft404Probe(turn.services, { ...turn.parts, soft404: soft404 as never });
    expect(await driven(turn, made.runIfDue())).toBe(false);
    await driven(turn, turn.parts.robots.fetch(ORIGIN));
    for (const _ of answers) expect(await driven(turn, made.runIfDue())).toBe(true);
    expect(given.map(({ kind }) => kind)).toEqual(['page', 'page', 'honest']);
    const [first, second] = await Promise.all([ask(SORRY), ask(other)]);
    expect(given.slice(0, 2)).toEqual([first.answers[0]?.answer, second.answers[0]?.answer]);
    expect(given[0]).not.toEqual(given[1]);
  });
});

test('an answer of the cache costs the crawl no bytes', async () => {
  const { received, kinds } = await ask(SORRY, { isCached: true });
  expect([received, kinds]).toEqual([[], ['page']]);
});

test('the body of an answer that cannot be read is disposed of all the same', async () => {
  const turn = await openTurn({ head: OPEN_ROBOTS, site: { [PROBE]: SORRY } });
  const { quarantine } = turn.parts;
  const watch = quarantine.watch.bind(quarantine);
  let watched = 0;
  Object.assign(quarantine, {
    // The exchange comes first.
    watch: (work: () => Promise<unknown>) =>
      watched++ === 0 ? watch(work) : Promise.reject(new Error('it kills its worker')),
  });
  const soft404 = { takeProbe: () => PROBE, answer: () => [] };
  const made = new Soft404Probe(turn.services, { ...turn.parts, soft404: soft404 as never });
  await expect(driven(turn, made.runIfDue())).rejects.toThrow('it kills its worker');
  expect(turn.disposed).toEqual([PROBE]);
});

test('a host whose robots.txt was asked for in this turn is probed by those rules', async () => {
  const turn = await openTurn({
    site: { [`${ORIGIN}/robots.txt`]: robots('User-agent: *\nDisallow: /articles/\n'), [PROBE]: SORRY },
  });
  await driven(turn, turn.parts.robots.fetch(ORIGIN));
  const soft404 = { takeProbe: () => PROBE, answer: () => [] };
  const made = new Soft404Probe(turn.services, { ...turn.parts, soft404: soft404 as never });
  expect(await driven(turn, made.runIfDue())).toBe(false);
  expect(HOST).toBe('a.test');
});
