/** The visit of one URL, with real collaborators: what is requested, archived, settled and counted. */
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../../shared/core/parser/document.ts';
import { requestUrl } from '../../../../shared/core/url/request-url.ts';
import { UrlVisit } from '../../../../shared/crawler/turn/page/visit.ts';
import type { HookedPage } from '../../../../shared/crawler/turn/page-hooks.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { type Answer, page, redirect } from '../../worker/scripted-fetcher.ts';
import { said } from '../../worker/world.ts';
import { strikeEach } from '../struck-turn.ts';
import { driven, link, OPEN_ROBOTS, type OpenTurn, openTurn, type TurnSituation } from '../turn-bench.ts';
import { HOST, ORIGIN } from '../turn-fakes.ts';

const PAGE = `${ORIGIN}/page`;
const TOOK = 50;

interface Visit extends TurnSituation {
  readonly url?: string;
  readonly kind?: UrlRecord['kind'];
  readonly attempts?: number;
  readonly answer?: Answer;
  readonly crawlDelayMs?: number;
  /** Before the visit begins. */
  readonly prepare?: (turn: OpenTurn) => void;
}

/** Visits a URL that was taken from the ledger, and for which a page is begun unless it is a requisite. */
async function visit({ url = PAGE, kind, attempts = 0, answer = page(), prepare, ...situation }: Visit = {}) {
  const turn = await openTurn({
    head: OPEN_ROBOTS,
    site: { [url]: answer },
    links: [link('', { url, kind, ...(kind === 'requisite' && { depth: 2 }) })],
    tookMs: TOOK,
    ...situation,
  });
  const { ledger, allowance } = turn.parts;
  const taken = (await ledger.next(T0, kind === 'sitemap', kind === 'requisite')) as UrlRecord;
  if (kind !== 'requisite') {
    await allowance.reserve();
    allowance.begin();
  }
  prepare?.(turn);
  const record = { ...taken, attempts };
  const settled = await driven(
    turn,
    new UrlVisit(turn.services, turn.parts, record).run(situation.crawlDelayMs),
  );
  const known = await ledger.outcome(url);
  // Whatever came of it, the URL was given back: otherwise no turn could be committed.
  await ledger.prepareCommit('1');
  return { ...turn, settled, known, ...turn.parts };
}
const recordsIn = ({ calls }: Pick<OpenTurn, 'calls'>) => calls.filter((call) => call.startsWith('append'));

describe('the use of content', () => {
  const robots = {
    origin: ORIGIN,
    kind: 'rules' as const,
    expiresAt: T0 + 86_400_000,
    rules: '1\nu/page train-ai=n\nu/ train-ai=y',
  };
  const usageOf = async (more: Visit) => {
    const given: (DocumentFacts['usage'] | 'none')[] = [];
    const hooks = {
      extract: async ({ facts }: HookedPage) => ({ facts }),
      onPage: async ({ facts }: HookedPage) => {
        given.push(facts.usage ?? 'none');
        return { items: [] };
      },
      onError: async () => {},
    };
    await visit({ hooks, ...more });
    return given;
  };
  const stated = { signal: 'content-usage', source: 'robots.txt', value: 'train-ai=n' };
  const header = { signal: 'tdm-reservation', source: 'header', value: '1' };
  const answer: Answer = {
    body: '<p>text</p>',
    headers: { 'Content-Type': 'text/html', 'TDM-Reservation': '1' },
  };

  test('is what robots.txt states for the URL, then what the response does', async () => {
    expect(await usageOf({ head: { robots: [robots] }, answer })).toEqual([[stated, header]]);
    expect(await usageOf({ head: { robots: [robots] } })).toEqual([[stated]]);
    expect(await usageOf({ answer })).toEqual([[header]]);
  });

  test('is stated by a robots.txt that has grown old meanwhile', async () => {
    expect(await usageOf({ head: { robots: [{ ...robots, expiresAt: T0 }] } })).toEqual([[stated]]);
  });

  test('is what robots.txt and the files beside it state when it is fetched, also if it was tried before in the turn', async () => {
    const stated: string[] = [];
    let value = 'as it was at the try that failed';
    const hooks = {
      extract: async ({ facts }: HookedPage) => ({ facts }),
      onPage: async ({ facts }: HookedPage) => {
        stated.push(...(facts.usage ?? []).map((one) => one.value));
        return { items: [] };
      },
      onError: async () => {},
    };
    const usage = {
      mayState: () => true,
      ofRobots: async () => [{ signal: 'content-usage', source: 'robots.txt', value }],
      ofFiles: async () => [{ signal: 'tdm-reservation', source: 'tdmrep.json', value }],
    };
    const turn = await openTurn({
      head: OPEN_ROBOTS,
      site: { [PAGE]: (before) => (before === 0 ? { status: 503 } : page()) },
      links: [link('', { url: PAGE })],
      hooks,
    });
    const { ledger, allowance } = turn.parts;
    for (let tries = 0; tries < 2; tries++) {
      const taken = (await ledger.next(T0 + tries * 86_400_000, false, false)) as UrlRecord;
      await allowance.reserve();
      allowance.begin();
      const parts = { ...turn.parts, usage: usage as never };
      await driven(turn, new UrlVisit(turn.services, parts, taken).run(undefined));
      value = 'now';
    }
    expect(stated).toEqual(['now', 'now']);
  });

  test('is not stated by a robots.txt that is ignored, or is not there', async () => {
    expect(await usageOf({ head: { robots: [robots] }, config: { robots: 'ignore' } })).toEqual(['none']);
    expect(await usageOf({})).toEqual(['none']);
  });
});

describe('a page', () => {
  test('is fetched, archived, settled and counted', async () => {
    const done = await visit({ answer: { body: '<p>text</p>' } });
    expect(done.requests).toMatchObject([{ url: PAGE, method: undefined, body: undefined }]);
    expect(done.settled).toMatchObject({
      url: PAGE,
      state: 'fetched',
      attempts: 1,
      dueAt: 0,
      result: {
        fetchedAt: T0,
        httpStatus: 200,
        contentType: 'text/html',
        bodyBytes: 11,
        tookMs: TOOK,
        location: { file: 'memory.warc.gz', offset: 0 },
        cause: undefined,
        duplicateOf: undefined,
      },
    });
    expect(done.settled.result?.digest).toHaveLength(20);
    expect(done.known).toMatchObject({ state: 'fetched' });
    expect(done.ledger.counts).toMatchObject({ waiting: 0, fetched: 1 });
    expect(done.counters.totals).toMatchObject({ pages: 1, requests: 1, bytes: 11, httpStatus: { 200: 1 } });
    expect(done.services.stats).toMatchObject({ pages: 1, bytes: 11, errors: 0, failures: {} });
    expect(recordsIn(done)).toEqual(['append 3']);
    expect(done.disposed).toEqual([PAGE]);
  });

  test('counts against the bytes of the crawl when it is received', async () => {
    const metBy = async (maxBytes: number) =>
      (await visit({ config: { maxBytes }, answer: { body: '<p>text</p>' } })).crawl.budget.metLimit();
    expect(await metBy(11)).toMatchObject({ status: 'limited' });
    expect(await metBy(12)).toBeUndefined();
  });

  test('gives its links to the crawl', async () => {
    const done = await visit({ answer: page('/next', 'http://b.test/'), config: { scope: 'any' } });
    expect(done.ledger.has(`${ORIGIN}/next`)).toBe(true);
    expect([...done.intake.outLinks.keys()]).toEqual(['http://b.test/']);
    expect(done.work).toEqual(expect.arrayContaining([`parse ${PAGE}`, `links ${PAGE}`]));
  });

  test('moves the clock of its host by the delay after its answer', async () => {
    const config = { delayMs: 1000 };
    expect((await visit({ config })).pace.nextFetchAt).toBe(T0 + TOOK + 1000);
    expect((await visit({ config, crawlDelayMs: 4000 })).pace.nextFetchAt).toBe(T0 + TOOK + 4000);
  });

  test('is read and parsed up to the limits of the crawl', async () => {
    const config = { maxBodyBytes: 5000, maxLinksPerPage: 2 };
    const done = await visit({ config, answer: page('/1', '/2', '/3') });
    expect(done.requests[0]?.maxBodyBytes).toBe(5000);
    expect(done.ledger.has(`${ORIGIN}/2`)).toBe(true);
    expect(done.ledger.has(`${ORIGIN}/3`)).toBe(false);
    expect(done.counters.totals.skipped).toEqual({ linksPerPage: 1 });
    const short = await visit({ config: { maxDecodedBytes: 10 }, answer: page('/1') });
    expect(short.ledger.has(`${ORIGIN}/1`)).toBe(false);
  });

  test('whose links were left out says so', async () => {
    const done = await visit({ config: { maxLinksPerPage: 1 }, answer: page('/1', '/2') });
    expect(said(done.settled)).toMatch(/link/);
  });

  test('has the media type that its response says where nothing is parsed', async () => {
    const typed = async (type: string) =>
      (await visit({ answer: { status: 404, headers: { 'Content-Type': type } } })).settled.result
        ?.contentType;
    expect(await typed(' Text/HTML ; charset=x')).toBe('text/html');
    expect(await typed('')).toBeUndefined();
    expect(await typed(`a/${'x'.repeat(200)}`)).toHaveLength(100);
    expect(await typed('text/plain; a; b')).toBe('text/plain');
  });

  test('has the media type as the parser found it', async () => {
    const headers = { 'Content-Type': `application/${'X'.repeat(150)}` };
    const found = (await visit({ answer: { headers, body: 'x' } })).settled.result?.contentType;
    expect(found).toBe(`application/${'x'.repeat(150)}`.slice(0, 100));
  });

  test('that answers 404 is gone: a page, with nothing parsed', async () => {
    const done = await visit({ answer: { ...page('/next'), status: 404 } });
    expect(done.settled).toMatchObject({ state: 'gone', dueAt: 0, result: { httpStatus: 404 } });
    expect(done.ledger.has(`${ORIGIN}/next`)).toBe(false);
    expect(done.counters.totals.pages).toBe(1);
    expect(recordsIn(done)).toEqual(['append 3']);
  });

  test.each([199, 301, 304])('with status %i gives no links', async (status) => {
    const done = await visit({ answer: { ...page('/next'), status } });
    expect(done.ledger.has(`${ORIGIN}/next`)).toBe(false);
  });

  test.each([200, 299, 300])('with status %i gives its links', async (status) => {
    const done = await visit({ answer: { ...page('/next'), status } });
    expect(done.ledger.has(`${ORIGIN}/next`)).toBe(true);
  });

  test('that redirects is no page, and its target is taken in', async () => {
    const done = await visit({ answer: redirect('/next') });
    expect(done.settled).toMatchObject({ state: 'redirect', result: { httpStatus: 301 } });
    expect(done.ledger.has(`${ORIGIN}/next`)).toBe(true);
    expect(done.counters.totals.pages).toBe(0);
    expect(recordsIn(done)).toEqual(['append 3']);
  });

  test('has its last head parsed where the request was made again', async () => {
    const turn = await openTurn({ head: OPEN_ROBOTS, links: [link('/page')] });
    const { ledger, allowance } = turn.parts;
    const record = (await ledger.next(T0, false, false)) as UrlRecord;
    await allowance.reserve();
    allowance.begin();
    const fetch = turn.services.fetcherOf(turn.parts.crawl.everywhere);
    const services = {
      ...turn.services,
      fetcherOf: () => ({
        ...fetch,
        async fetch(request: Parameters<typeof fetch.fetch>[0]) {
          const headers: [string, string][] = [['Content-Type', 'text/html']];
          request.onHead?.({ httpStatus: 200, statusText: '', headers })?.(Buffer.from('<a href="/first">'));
          request.onHead?.({ httpStatus: 404, statusText: '', headers });
          return fetch.fetch({ ...request, onHead: undefined });
        },
      }),
    };
    await driven(turn, new UrlVisit(services, turn.parts, record).run(undefined));
    expect(ledger.has(`${ORIGIN}/first`)).toBe(false);
  });
});

test('each page of a turn gives its own links', async () => {
  const paths = ['/1', '/2', '/3'];
  const turn = await openTurn({
    head: OPEN_ROBOTS,
    site: Object.fromEntries(paths.map((path) => [ORIGIN + path, page(`${path}/next`)])),
    links: paths.map((path) => link(path)),
  });
  const { ledger, allowance } = turn.parts;
  for (const _ of paths) {
    const record = (await ledger.next(T0, false, false)) as UrlRecord;
    await allowance.reserve();
    allowance.begin();
    await driven(turn, new UrlVisit(turn.services, turn.parts, record).run(undefined));
  }
  for (const path of paths) expect((await ledger.lookUp(`${ORIGIN}${path}/next`))?.via).toBe(ORIGIN + path);
});

describe('what fails', () => {
  const config = { retryMs: 1000, maxAttempts: 3, backoffMs: 5000, maxBackoffMs: 60_000 };

  test('waits for another try, after the rest of the host', async () => {
    const done = await visit({ config, answer: { fails: 'timeout' }, attempts: 1 });
    const { settled, pace, services } = done;
    expect(settled).toMatchObject({ state: 'waiting', attempts: 2 });
    expect(pace.nextFetchAt).toBeGreaterThan(T0 + TOOK);
    expect(settled.dueAt).toBeGreaterThanOrEqual(pace.nextFetchAt + 1000);
    expect(settled.result).toMatchObject({ fetchedAt: T0, httpStatus: undefined, cause: expect.anything() });
    expect(recordsIn(done)).toEqual([]);
    expect(services.stats).toMatchObject({ errors: 1, failures: { timeout: 1 }, bytes: 0 });
    expect(done.counters.totals).toMatchObject({ pages: 0, requests: 1, errors: { timeout: 1 } });
  });

  test('has failed after as many tries as the configuration says', async () => {
    const done = await visit({ config, answer: { fails: 'timeout' }, attempts: 2 });
    expect(done.settled).toMatchObject({ state: 'failed', attempts: 3, dueAt: 0 });
    expect(done.ledger.counts).toMatchObject({ failed: 1, waiting: 0 });
  });

  test('with an answer is not archived before its last try, and its body is disposed of', async () => {
    const done = await visit({ config, answer: { status: 503, body: 'later' } });
    expect(done.settled).toMatchObject({ state: 'waiting', result: { httpStatus: 503 } });
    expect(done.settled.result).toMatchObject({ digest: undefined, bodyBytes: undefined, tookMs: undefined });
    expect(recordsIn(done)).toEqual([]);
    expect(done.disposed).toEqual([PAGE]);
    expect(done.counters.totals.pages).toBe(0);
    const last = await visit({ config, answer: { status: 503, body: 'later' }, attempts: 2 });
    expect(last.settled).toMatchObject({ state: 'failed', result: { httpStatus: 503, bodyBytes: 5 } });
    expect(recordsIn(last)).toEqual(['append 3']);
    expect(last.counters.totals.pages).toBe(1);
  });

  test('makes its host rest as long as the answer asks for', async () => {
    const answer = { status: 503, headers: { 'Retry-After': '600' } };
    const done = await visit({ config: { ...config, maxRetryAfterMs: 3_600_000 }, answer });
    expect(done.pace.nextFetchAt).toBeGreaterThanOrEqual(T0 + TOOK + 600_000);
  });

  test('because the worker is stopped waits as before, without a try', async () => {
    const done = await visit({ config, attempts: 1, prepare: ({ stopping }) => stopping.abort() });
    expect(done.settled).toMatchObject({ state: 'waiting', attempts: 1, dueAt: 0 });
    expect(done.ledger.counts.waiting).toBe(1);
    expect(recordsIn(done)).toEqual([]);
    expect(done.counters.totals.pages).toBe(0);
  });

  test('throws what the archive throws, and gives its page back', async () => {
    const turn = await openTurn({
      head: OPEN_ROBOTS,
      site: { [PAGE]: page() },
      links: [link('/page')],
      config: { maxPages: 1 },
    });
    const { ledger, allowance, crawl } = turn.parts;
    const record = (await ledger.next(T0, false, false)) as UrlRecord;
    await allowance.reserve();
    allowance.begin();
    turn.engine.archiveOf('c').append = () => Promise.reject(new Error('disk full'));
    await expect(
      driven(turn, new UrlVisit(turn.services, turn.parts, record).run(undefined)),
    ).rejects.toThrow('disk full');
    expect(crawl.budget.tryReserve()).toBe(true);
    expect(turn.parts.counters.totals.pages).toBe(0);
  });
});

describe('a visit waits for each of its calls, and fails if one does:', () => {
  const DAY = 86_400_000;
  const take = async ({ parts: { ledger, allowance } }: OpenTurn) => {
    const record = (await ledger.next(T0, false, false)) as UrlRecord;
    await allowance.reserve();
    allowance.begin();
    return record;
  };
  const takeAgain = async ({ parts: { ledger, recrawl } }: OpenTurn) => {
    await recrawl.times.load();
    const record = (await ledger.next(T0, false, false)) as UrlRecord;
    const fetchedAt = T0 - DAY;
    ledger.settle({
      ...record,
      state: 'fetched',
      dueAt: T0,
      result: { fetchedAt, httpStatus: 200, digest: new Uint8Array(20) },
      recrawl: { history: 1, rate: 100, changedAt: fetchedAt, misses: 0, capturedAt: fetchedAt },
    });
    return (await ledger.nextRefetch(T0)) as UrlRecord;
  };
  const stopped = { extract: async () => undefined, onPage: async () => undefined, onError: async () => {} };
  const config = { recrawl: 'changes', recrawlPerDay: 10 } as const;
  // The scope is drawn around its target, too.
  const seed: TurnSituation = { links: [link('/page', { isSeed: true, depth: 0 })] };

  test.each<[string, Answer, TurnSituation, typeof take]>([
    ['of a page', page('/next', 'http://b.test/'), {}, take],
    ['of a redirect', redirect('/next'), {}, take],
    ['of a page that is tried again', { status: 503, body: 'later' }, {}, take],
    ['of a page whose hook does not end', page('/next'), { hooks: stopped as never }, take],
    ['of a known page', page('/next'), { config }, takeAgain],
    ['of a known page that stays as it was', { status: 503, body: 'later' }, { config }, takeAgain],
    ['of a seed that leads elsewhere', redirect('http://b.test/'), seed, take],
  ])('%s', async (_what, answer, situation, takeFrom) => {
    let taken: UrlRecord | undefined;
    const made = await strikeEach({
      // So long that the crawl is loaded again.
      situation: {
        head: OPEN_ROBOTS,
        site: { [PAGE]: answer },
        links: [link('/page')],
        tookMs: 3000,
        ...situation,
      },
      async prepare(turn) {
        taken = await takeFrom(turn);
      },
      run: (turn) => new UrlVisit(turn.services, turn.parts, taken as UrlRecord).run(undefined),
    });
    expect(made).toEqual(expect.arrayContaining(['registry.load', 'body.dispose']));
    expect(made.includes('registry.addScopeSeeds')).toBe(situation === seed);
  });

  test('of a page whose failure cannot be reported', async () => {
    const hooks = {
      async onError() {
        await new Promise((resolve) => setImmediate(resolve));
        throw new Error('no hook');
      },
    };
    const failed = visit({ config: { maxAttempts: 1 }, answer: { fails: 'timeout' }, hooks: hooks as never });
    await expect(failed).rejects.toThrow('no hook');
  });

  test('of a page whose links cannot be taken in', async () => {
    const failed = visit({
      answer: page('/next'),
      prepare({ parts }) {
        parts.links.take = () => Promise.reject(new Error('no parts'));
      },
    });
    await expect(failed).rejects.toThrow('no parts');
  });

  test('of a URL that is settled already', async () => {
    const turn = await openTurn({ head: OPEN_ROBOTS, site: { [PAGE]: page() }, links: [link('/page')] });
    const record = await take(turn);
    await driven(turn, new UrlVisit(turn.services, turn.parts, record).run(undefined));
    turn.parts.allowance.begin();
    const second = new UrlVisit(turn.services, turn.parts, record).run(undefined);
    await expect(driven(turn, second)).rejects.toThrow('is settled already');
    expect(turn.parts.ledger.counts).toMatchObject({ waiting: 0, fetched: 1 });
  });
});

test('an answer that a hook did not end with is given back, and its body disposed of', async () => {
  const hooks = { extract: async () => undefined, onPage: async () => undefined, onError: async () => {} };
  const done = await visit({ hooks: hooks as never, answer: page('/next') });
  expect(done.settled).toMatchObject({ state: 'waiting', attempts: 0 });
  expect(done.disposed).toEqual([PAGE]);
  expect(done.ledger.has(`${ORIGIN}/next`)).toBe(false);
  expect(recordsIn(done)).toEqual([]);
  expect(done.counters.totals.pages).toBe(0);
});

describe('a URL that was fetched before', () => {
  const url = `${ORIGIN}/item/12`;
  /** Fetches it again in a crawl that recrawls. */
  async function again(state: UrlRecord['state'], httpStatus: number | undefined) {
    const turn = await openTurn({
      head: OPEN_ROBOTS,
      site: { [url]: page() },
      links: [link('/item/12')],
      config: { recrawl: 'changes', recrawlPerDay: 10, maxPagesPerTemplate: 1 },
    });
    const { ledger, recrawl } = turn.parts;
    await recrawl.times.load();
    const taken = (await ledger.next(T0, false)) as UrlRecord;
    const location = state === 'failed' ? undefined : { file: 'before.warc.gz', offset: 0, length: 1 };
    const result = { fetchedAt: T0 - 86_400_000, httpStatus, digest: new Uint8Array(20), location };
    ledger.settle({ ...taken, state, attempts: 3, dueAt: T0, result });
    const record = (await ledger.nextRefetch(T0)) as UrlRecord;
    const settled = await driven(turn, new UrlVisit(turn.services, turn.parts, record).run(undefined));
    expect(settled.state).toBe('fetched');
    return turn.parts;
  }

  test('and had failed or redirected is a page now, for its host and its template', async () => {
    for (const state of ['failed', 'redirect'] as const) {
      const { counters, templates } = await again(state, state === 'redirect' ? 301 : undefined);
      expect(counters.totals.pages, state).toBe(1);
      expect(templates.fullTemplateOf({ url, depth: 1, kind: undefined }), state).toBeDefined();
    }
  });

  test('and was a page counts no second time', async () => {
    const { counters, templates } = await again('fetched', 200);
    expect(counters.totals.pages).toBe(0);
    expect(templates.fullTemplateOf({ url, depth: 1, kind: undefined })).toBeUndefined();
  });
});

describe('a requisite', () => {
  const url = `${ORIGIN}/a.css`;
  const css: Answer = { headers: { 'Content-Type': 'text/css' }, body: 'a { background: url(b.png) }' };
  const config = { requisites: true };

  test('is no page; it is counted beside, and its own parts are taken in', async () => {
    const done = await visit({ url, kind: 'requisite', answer: css, config });
    expect(done.settled).toMatchObject({ state: 'fetched', kind: 'requisite' });
    expect(done.counters.totals).toMatchObject({ pages: 0, requisites: { fetched: 1 } });
    expect(done.ledger.has(`${ORIGIN}/b.png`)).toBe(true);
  });

  test('that redirects is not counted', async () => {
    const done = await visit({ url, kind: 'requisite', answer: redirect('/b.css'), config });
    expect(done.counters.totals.requisites?.fetched).toBeUndefined();
  });

  test('that is a document of the crawl becomes a page', async () => {
    const done = await visit({ url: `${ORIGIN}/frame`, kind: 'requisite', answer: page('/next'), config });
    expect(done.settled.kind).toBeUndefined();
    expect(done.counters.totals).toMatchObject({ pages: 1 });
    expect(done.counters.totals.requisites?.fetched).toBeUndefined();
    expect(done.ledger.has(`${ORIGIN}/next`)).toBe(true);
    expect(done.allowance.tryBegin()).toBe(true);
  });

  test('stays one where the limits allow no further page', async () => {
    const done = await visit({
      url: `${ORIGIN}/frame`,
      kind: 'requisite',
      answer: page('/next'),
      config: { ...config, maxPages: 1 },
      prepare: ({ parts }) => void parts.allowance.tryBegin(),
    });
    expect(done.settled.kind).toBe('requisite');
    expect(done.counters.totals).toMatchObject({ pages: 0, requisites: { fetched: 1 } });
  });

  test('that stays one leaves its place among the pages of its template to others', async () => {
    const done = await visit({
      url: `${ORIGIN}/frame/12`,
      kind: 'requisite',
      answer: page('/next'),
      config: { ...config, maxPages: 1, maxPagesPerTemplate: 1 },
      prepare: ({ parts }) => void parts.allowance.tryBegin(),
    });
    expect(done.settled.kind).toBe('requisite');
    const other = { url: `${ORIGIN}/frame/13`, depth: 2, kind: undefined };
    expect(done.templates.tryReserve(other)).toBe(true);
    expect(done.templates.tryReserve(other)).toBe(false);
  });
});

test('a sitemap may be larger than a page, is no page, and has no metadata', async () => {
  const body = `<urlset>${[1, 2, 3].map((i) => `<url><loc>${ORIGIN}/${i}</loc></url>`).join('')}</urlset>`;
  const done = await visit({
    url: `${ORIGIN}/sitemap.xml`,
    kind: 'sitemap',
    answer: { headers: { 'Content-Type': 'application/xml' }, body },
    config: { maxBodyBytes: 2000, maxLinksPerPage: 1, maxDecodedBytes: 10 },
  });
  expect(done.requests[0]?.maxBodyBytes).toBe(50 * 1024 * 1024);
  expect(done.counters.totals.pages).toBe(0);
  expect(recordsIn(done)).toEqual(['append 2']);
  for (const i of [1, 2, 3]) expect(done.ledger.has(`${ORIGIN}/${i}`)).toBe(true);
});

test('a request of the project is made as it was asked for, and settled under its own name', async () => {
  const request = { method: 'POST', headers: { 'X-A': '1' }, body: 'q=1' };
  const name = requestUrl(PAGE, request as never);
  const turn = await openTurn({
    head: OPEN_ROBOTS,
    site: { [PAGE]: page('/next') },
    links: [link('', { url: name })],
  });
  const { ledger, allowance } = turn.parts;
  const record = (await ledger.next(T0, false, false)) as UrlRecord;
  await allowance.reserve();
  allowance.begin();
  const settled = await driven(turn, new UrlVisit(turn.services, turn.parts, record).run(undefined));
  expect(turn.requests).toMatchObject([{ url: PAGE, method: 'POST', body: expect.anything() }]);
  expect(JSON.stringify(turn.requests[0]?.headers)).toContain('X-A');
  expect(settled).toMatchObject({ url: name, state: 'fetched' });
  expect(ledger.has(`${ORIGIN}/next`)).toBe(true);
  expect((await ledger.lookUp(`${ORIGIN}/next`))?.via).toBe(PAGE);
});

test('links are judged by the scope as it is when the answer is there', async () => {
  const done = await visit({
    answer: page('http://b.test/'),
    tookMs: 3000,
    config: { scope: 'host' },
    prepare: ({ engine }) => void engine.registry.addScopeSeeds('c', ['http://b.test/']),
  });
  expect([...done.intake.outLinks.keys()]).toEqual(['http://b.test/']);
});

test('the text is asked for while traps are watched, signs of few pages', async () => {
  const counts: number[] = [];
  const done = await visit({
    answer: { body: '<p>some text</p>' },
    config: { trapAfterPages: 1 },
    sizes: { minTrapPages: 1, minTextPages: 1 },
    prepare({ parts }) {
      parts.counters.countPage();
      const { count } = parts.traps;
      parts.traps.wantsText = () => true;
      parts.traps.count = (url, brought) => {
        counts.push(brought.textHash as number);
        count(url, brought);
      };
    },
  });
  expect(counts).toEqual([expect.any(Number)]);
  expect(done.settled.state).toBe('fetched');
});

test('a seed that led to a login page is counted as that', async () => {
  const body = '<form><input type="password"></form>';
  const done = await visit({
    url: `${ORIGIN}/login`,
    answer: { body },
    links: [link('', { url: `${ORIGIN}/login`, isSeed: true, depth: 0, redirects: 1, via: `${ORIGIN}/` })],
  });
  expect(done.settled.state).toBe('fetched');
  expect(Object.keys(done.counters.totals.seeds ?? {})).toHaveLength(1);
});

test('a base of its own holds for the links after it', async () => {
  const body = `<base href="/dir/"><a href="x">x</a><a href="y">y</a>`;
  const done = await visit({ answer: { body } });
  expect(done.ledger.has(`${ORIGIN}/dir/x`)).toBe(true);
  expect(done.ledger.has(`${ORIGIN}/dir/y`)).toBe(true);
  expect(HOST).toBe('a.test');
});

describe('a body whose content coding is broken', () => {
  const html = `<title>T</title>${Array.from({ length: 400 }, (_, i) => `<a href="/${(i * 7919) % 10007}">${i}</a>`).join('')}`;
  const whole = zlib.gzipSync(html);
  const wrongSum = Buffer.from(whole);
  wrongSum[whole.length - 8]! ^= 1;
  const coded = (coding: string, body: Uint8Array, type = 'text/html'): Answer => ({
    headers: { 'Content-Type': type, 'Content-Encoding': coding },
    body,
  });

  test.each([
    ['deflate', whole],
    ['br', whole],
    ['gzip', zlib.brotliCompressSync(html)],
    ['compress', whole],
    ['gzip', whole.subarray(0, 12)],
  ])(
    'in %s of which nothing can be read: the URL has failed, with its first try (%#)',
    async (coding, body) => {
      for (const kind of [undefined, 'requisite'] as const) {
        const { settled, totals, calls, ledger } = await visited({ answer: coded(coding, body), kind });
        expect(settled).toMatchObject({
          state: 'failed',
          attempts: 1,
          result: { httpStatus: 200, cause: { code: 'bodyUndecoded', isAll: true } },
        });
        expect(totals.hints).toEqual({ undecoded: 1 });
        expect(recordsIn({ calls })).not.toEqual([]);
        expect(ledger.counts.waiting).toBe(0);
      }
    },
  );

  test('the part that is there is read, with its links', async () => {
    const answer = coded('gzip', whole.subarray(0, whole.length * 0.6));
    const { settled, totals, ledger } = await visited({ answer });
    expect(settled).toMatchObject({
      state: 'fetched',
      result: { cause: { code: 'bodyUndecoded', detail: 'gzip: unexpected end of file' } },
    });
    expect(totals.hints).toEqual({ brokeOff: 1 });
    expect(ledger.counts.waiting).toBeGreaterThan(100);
  });

  test('that is gzip with a wrong sum is whole, as for browsers', async () => {
    const { settled, totals, ledger } = await visited({ answer: coded('gzip', wrongSum) });
    expect(settled).toMatchObject({ state: 'fetched' });
    expect(settled.result?.cause).toBeUndefined();
    expect([totals.hints, ledger.counts.waiting]).toEqual([undefined, 400]);
  });

  test('of a sitemap: what is there is read, and counted', async () => {
    const urls = Array.from(
      { length: 300 },
      (_, i) => `<url><loc>${ORIGIN}/${(i * 7919) % 10007}</loc></url>`,
    );
    const sitemap = zlib.gzipSync(`<urlset>${urls.join('')}</urlset>`);
    const { settled, totals } = await visited({
      kind: 'sitemap',
      answer: coded('gzip', sitemap.subarray(0, sitemap.length / 2), 'text/xml'),
    });
    expect(settled).toMatchObject({ state: 'fetched', result: { cause: { code: 'bodyUndecoded' } } });
    expect(totals.hints).toEqual({ brokeOff: 1 });
  });

  test('of a body that broke off: that is the cause', async () => {
    const answer = { ...coded('gzip', whole.subarray(0, 900)), truncated: 'disconnect' as const };
    const { settled, totals } = await visited({ answer, attempts: 2 });
    expect(settled).toMatchObject({ state: 'fetched', result: { cause: { code: 'bodyBrokeOff' } } });
    expect(totals.hints).toEqual({ brokeOff: 1 });
  });

  test('of a body that was cut for its length: that is counted', async () => {
    const answer = { ...coded('gzip', whole.subarray(0, 900)), truncated: 'length' as const };
    const { settled, totals } = await visited({ answer });
    expect(settled.result?.cause).toBeUndefined();
    expect(totals.hints).toEqual({ cutPage: 1 });
  });

  async function visited(situation: Visit) {
    const turn = await visit(situation);
    return { ...turn, totals: turn.counters.totals };
  }
});
