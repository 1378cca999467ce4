/** Hosts that refuse the crawler: how often they are asked, and what becomes of their URLs. */
import { describe, expect, test } from 'vitest';
import { optionalText } from '../../../shared/core/causes/cause-text.ts';
import { T0 } from './fake-clock.ts';
import { type Answer, page, robots, type Site } from './scripted-fetcher.ts';
import {
  begin,
  CRAWL,
  crawlToEnd,
  createWorld,
  ledgersOf,
  recordOf,
  runToEnd,
  SILENT,
  startProcess,
  statesOf,
  type World,
} from './world.ts';

const A = 'http://a.test';
const B = 'http://b.test';
const HOUR = 3_600_000;
const many = (n: number) => Array.from({ length: n }, (_, i) => `/${i}`);
const CHALLENGE: Answer = {
  status: 403,
  headers: { 'cf-mitigated': 'challenge' },
  body: '<a href="/x">x</a>',
};
const PRICED: Answer = { status: 402, headers: { 'crawler-price': 'USD 0.01' } };
const BLOCKED: Answer = { status: 403, headers: { 'crawler-error': 'CrawlerForbidden' } };
const PLAIN: Answer = { status: 403 };
const IMPERVA: Answer = { body: '<iframe src="/_Incapsula_Resource?1"></iframe>' };

const pagesOf = (origin: string, n: number, answer: Answer): Site =>
  Object.fromEntries(many(n).map((path) => [origin + path, answer]));
const requestsOf = ({ fetcher }: World, host: string, ends = '') =>
  fetcher.log.filter((one) => one.host === host && one.url.endsWith(ends) && !one.url.endsWith('robots.txt'));
const headOf = async ({ engine }: World, host: string) => (await ledgersOf(engine)).get(host)!.head;

describe.each<[kind: string, answer: Answer, words: string]>([
  ['a challenge', CHALLENGE, 'challenged by Cloudflare (HTTP 403)'],
  ['a challenge that a page shows', IMPERVA, 'challenged by Imperva (HTTP 200)'],
  ['a block that is said', BLOCKED, 'blocked (HTTP 403, CrawlerForbidden)'],
  ['a price', PRICED, 'priced (HTTP 402, USD 0.01)'],
])('%s', (_kind, answer, words) => {
  const refusing = { [`${A}/`]: answer, ...pagesOf(A, 5, answer) };

  test('by all that the crawl has ends it at once', async () => {
    const world = await crawlToEnd(refusing);
    expect(requestsOf(world, 'a.test')).toHaveLength(1);
    expect(optionalText((await headOf(world, 'a.test')).setAside?.cause)).toBe(words);
  });

  test('of one URL is its own: it is tried twice, and fails', async () => {
    const world = await crawlToEnd({
      [`${A}/`]: page('/0', '/1', '/2'),
      ...pagesOf(A, 3, page()),
      [`${A}/1`]: answer,
    });
    expect(requestsOf(world, 'a.test', '/1')).toHaveLength(2);
    expect(await statesOf(world.engine)).toMatchObject({ [`${A}/0`]: 'fetched', [`${A}/1`]: 'failed' });
    const record = await recordOf(world.engine, `${A}/1`);
    expect(optionalText(record?.result?.cause)).toBe(words);
    expect(record?.result?.location).toBeDefined();
    const { setAside, refusal, totals } = await headOf(world, 'a.test');
    expect([setAside, refusal]).toEqual([undefined, undefined]);
    expect(totals).toMatchObject({ pages: 3, refused: { pages: 1 } });
  });

  test('of three URLs in a row is of the host, and none of them is lost when it answers again', async () => {
    const endsAt = T0 + HOUR / 2;
    const site: Site = Object.fromEntries(
      many(6).map((path) => [A + path, () => (world.clock.now() < endsAt ? answer : page())]),
    );
    const world: World = createWorld({ [`${A}/`]: page(...many(6)), ...site });
    await begin(world, [`${A}/`]);
    expect(await runToEnd(world)).toEqual([]);
    expect(Object.values(await statesOf(world.engine))).toEqual(Array(7).fill('fetched'));
    const asked = requestsOf(world, 'a.test').filter(({ startedAt }) => startedAt < endsAt);
    expect(asked.length).toBeLessThanOrEqual(1 + 3 + 2);
    const { refusal, totals } = await headOf(world, 'a.test');
    expect(refusal).toBeUndefined();
    expect(totals.refused).toMatchObject({ hosts: 0, urls: 0 });
  });

  test('brings no links', async () => {
    const world = await crawlToEnd({ [`${A}/`]: answer });
    expect(Object.keys(await statesOf(world.engine))).toEqual([`${A}/`]);
  });
});

test('a refusal as the first answer of a host lets it rest for 1, 4 and 24 hours; then the host is set aside', async () => {
  const world = await crawlToEnd(
    { [`${A}/`]: CHALLENGE, [`${A}/1`]: CHALLENGE, [`${B}/`]: page() },
    { seeds: [`${A}/`, `${A}/1`, `${B}/`] },
  );
  const starts = requestsOf(world, 'a.test').map(({ startedAt }) => startedAt);
  const gaps = starts.slice(1).map((at, i) => Math.floor((at - starts[i]!) / HOUR));
  expect(gaps).toEqual([1, 4, expect.toBeOneOf([24, 25, 26])]);
  const head = await headOf(world, 'a.test');
  expect(optionalText(head.setAside?.cause)).toBe('challenged by Cloudflare (HTTP 403)');
  expect(head.ledger.counts).toMatchObject({ waiting: 2, fetched: 0, failed: 0 });
  expect(head.totals.refused).toMatchObject({ hosts: 1, urls: 2 });
  expect(head.totals.pages).toBe(0);
});

describe('a plain 403', () => {
  test('of a part of a site stays one: each page fails at once, and the host does not rest', async () => {
    const world = await crawlToEnd({ [`${A}/`]: page(...many(15)), ...pagesOf(A, 15, PLAIN) });
    expect(requestsOf(world, 'a.test')).toHaveLength(16);
    const { ledger, setAside, refusal } = await headOf(world, 'a.test');
    expect(ledger.counts).toMatchObject({ failed: 15, waiting: 0 });
    expect(setAside).toBeUndefined();
    expect(refusal).toMatchObject({ row: 15, rests: 0 });
  });

  test('of page after page blocks: the host gets few requests, and the rest of its URLs waits', async () => {
    const world = await crawlToEnd({ [`${A}/`]: page(...many(100)), ...pagesOf(A, 100, PLAIN) });
    expect(requestsOf(world, 'a.test').length).toBeLessThanOrEqual(1 + 20 + 3 * 5);
    const { ledger, setAside, totals } = await headOf(world, 'a.test');
    expect(optionalText(setAside?.cause)).toBe('blocked (HTTP 403)');
    expect(ledger.counts.waiting).toBeGreaterThanOrEqual(65);
    expect(totals.refused).toMatchObject({ hosts: 1, blocked: 1, urls: ledger.counts.waiting });
  });
});

test('a host that answers 429 again and again is given up as blocked', async () => {
  const world = await crawlToEnd({ [`${A}/`]: page(...many(9)), ...pagesOf(A, 9, { status: 429 }) });
  expect(optionalText((await headOf(world, 'a.test')).setAside?.cause)).toBe('blocked (HTTP 429)');
});

describe('robots.txt', () => {
  test.each<[what: string, answer: Answer]>([
    ['by its head', CHALLENGE],
    ['by a status of success', { status: 202, headers: { 'x-amzn-waf-action': 'challenge' } }],
    ['by a page instead', IMPERVA],
    ['as the crawler is forbidden', BLOCKED],
    ['for its price', PRICED],
  ])('that is refused %s does not allow all: no page is asked for', async (_what, answer) => {
    const world = await crawlToEnd({ [`${A}/robots.txt`]: answer, [`${A}/`]: page() });
    expect(requestsOf(world, 'a.test')).toEqual([]);
    expect(world.fetcher.count(`${A}/robots.txt`)).toBe(1);
    const { setAside, ledger } = await headOf(world, 'a.test');
    expect(optionalText(setAside?.cause)).toMatch(/^robots\.txt: (challenged|blocked|priced)/);
    expect(ledger.counts.waiting).toBe(1);
  });

  test.each([401, 402, 403, 404])('that is answered by a plain %i allows all', async (status) => {
    const world = await crawlToEnd({ [`${A}/robots.txt`]: { status }, [`${A}/`]: page() });
    expect(await statesOf(world.engine)).toEqual({ [`${A}/`]: 'fetched' });
  });

  test.each([
    ['challenged', CHALLENGE],
    ['a challenge with status 200', IMPERVA],
  ])('that names a sitemap which is %s: it is read no more, and pages are fetched', async (_, answer) => {
    const world = await crawlToEnd({
      [`${A}/robots.txt`]: robots(`Sitemap: ${A}/sitemap.xml\n`),
      [`${A}/sitemap.xml`]: answer,
      [`${A}/`]: page('/1', '/2'),
      [`${A}/1`]: page(),
      [`${A}/2`]: page(),
    });
    expect(await statesOf(world.engine)).toMatchObject({
      [`${A}/`]: 'fetched',
      [`${A}/2`]: 'fetched',
      [`${A}/sitemap.xml`]: 'failed',
    });
  });
});

describe('hooks of the project', () => {
  test('may have signs of their own: such a page gives no item and no link', async () => {
    const called: string[] = [];
    const world = await crawlToEnd(
      { [`${A}/`]: page('/0', '/1'), [`${A}/0`]: page('/2'), [`${A}/1`]: page() },
      {},
      {
        hooks: {
          ...SILENT,
          isChallenge: async ({ url }) => url === `${A}/0`,
          onPage: async ({ url }) => {
            called.push(url);
            return { items: [] };
          },
        },
      },
    );
    expect(called.toSorted()).toEqual([`${A}/`, `${A}/1`]);
    expect(await statesOf(world.engine)).toEqual({
      [`${A}/`]: 'fetched',
      [`${A}/0`]: 'failed',
      [`${A}/1`]: 'fetched',
    });
    const cause = (await recordOf(world.engine, `${A}/0`))?.result?.cause;
    expect(optionalText(cause)).toBe('challenged by a sign of the project (HTTP 200)');
  });

  test('may give a host up that refuses, instead of a rest', async () => {
    const seen: unknown[] = [];
    const world = await crawlToEnd(
      { [`${A}/`]: PRICED, [`${B}/`]: page() },
      { seeds: [`${B}/`, `${A}/`] },
      {
        hooks: {
          ...SILENT,
          onChallenge: async (refusal) => {
            seen.push(refusal);
            return 'giveUp';
          },
        },
      },
    );
    expect(seen).toEqual([
      { url: `${A}/`, refusal: 'priced', httpStatus: 402, cause: 'priced (HTTP 402, USD 0.01)', rests: 0 },
    ]);
    expect((await headOf(world, 'a.test')).setAside?.cause.code).toBe('priced');
  });
});

test('a refusal of a host is staged for the operator when it begins to rest, and when it is given up', async () => {
  const world = createWorld({ [`${A}/`]: CHALLENGE });
  const staged: string[] = [];
  const stage = async (_crawl: string, _host: string, _version: number, lines: readonly string[]) => {
    staged.push(...lines);
    return undefined;
  };
  Object.assign(world.engine, { changes: { stage, publish: async () => {} } });
  await begin(world, [`${A}/`]);
  expect(await runToEnd(world)).toEqual([]);
  expect(staged.map((line) => JSON.parse(line))).toEqual([
    {
      id: expect.stringMatching(/^\S+Z given up a\.test$/),
      host: 'a.test',
      refusal: 'challenged',
      cause: 'challenged by Cloudflare (HTTP 403)',
      since: expect.stringMatching(/Z$/),
      urls: 1,
    },
  ]);
});

test('a resume asks a host that was set aside for a refusal once', async () => {
  const world = await crawlToEnd(
    { [`${A}/`]: CHALLENGE, [`${A}/1`]: CHALLENGE },
    { seeds: [`${A}/`, `${A}/1`] },
  );
  const before = requestsOf(world, 'a.test').length;
  for (const resume of [1, 2]) {
    await world.engine.registry.resume(CRAWL);
    await world.engine.queue.send([{ host: 'a.test', message: { kind: 'wake', crawl: CRAWL, resume } }]);
    expect(await runToEnd(world)).toEqual([]);
  }
  expect(requestsOf(world, 'a.test').length - before).toBe(2);
});

test('a host with hours rests for its refusal, too, and is looked at every two hours at most', async () => {
  const world = createWorld({ [`${A}/`]: CHALLENGE });
  const overrides = [{ hosts: ['a.test'], hours: '00:00-01:00' }];
  await begin(world, [`${A}/`], { keepTrying: true, overrides });
  const process = startProcess(world.engine, world.fetcher);
  await world.clock.advance(HOUR / 2);
  const { wait, dueAt = Number.POSITIVE_INFINITY } = await headOf(world, 'a.test');
  // Its rest ends when it is closed: it is due a day later.
  expect(wait).toMatchObject({ for: 'refusal', until: T0 + 24 * HOUR });
  expect(dueAt).toBeLessThan(T0 + 3 * HOUR);
  process.stop();
  await world.clock.drive(process.ended);
});

test('a resume ends the rest of a host at once', async () => {
  let isOpen = false;
  const answer = () => (isOpen ? page() : CHALLENGE);
  const world = createWorld({ [`${A}/`]: answer, [`${A}/1`]: answer, [`${B}/`]: page() });
  const { engine, clock, fetcher } = world;
  await begin(world, [`${B}/`, `${A}/`, `${A}/1`]);
  const process = startProcess(engine, fetcher);
  await clock.advance(HOUR / 2);
  expect((await headOf(world, 'a.test')).wait).toMatchObject({ for: 'refusal' });
  isOpen = true;
  await engine.queue.send([{ host: 'a.test', message: { kind: 'wake', crawl: CRAWL, resume: 1 } }]);
  await clock.advance(60_000);
  process.stop();
  await clock.drive(process.ended);
  expect(Object.values(await statesOf(engine))).toEqual(['fetched', 'fetched', 'fetched']);
});
