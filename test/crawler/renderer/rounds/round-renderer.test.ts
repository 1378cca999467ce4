/** The worker's side of rounds, with a function that is a table: no browser. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { FetchedResponse } from '../../../../shared/core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../../shared/core/outcome/memory-body.ts';
import type { Clock } from '../../../../shared/crawler/ports/clock.ts';
import type { FetchPart, RenderJob } from '../../../../shared/crawler/ports/renderer.ts';
import type { RoundAsk } from '../../../../shared/crawler/renderer/rounds/round-messages.ts';
import { decodeAsk } from '../../../../shared/crawler/renderer/rounds/round-messages.ts';
import { createRoundRenderer } from '../../../../shared/crawler/renderer/rounds/round-renderer.ts';
import { systemClock } from '../../../../shared/engines/system-clock.ts';

const job: RenderJob = {
  crawl: 'c',
  url: 'https://example.org/',
  document: { httpStatus: 200, headers: [['Content-Type', 'text/html']], body: Buffer.from('<p>x') },
  userAgent: 'Strand/0.1',
  cookies: [],
  limits: { ms: 20_000, requests: 5, bytes: 1e6, links: 10, htmlBytes: 1000 },
  behaviours: { scroll: false, more: false },
};

const used = { requests: 0, bytes: 0, ms: 1, cpuMs: 10 };
const done = {
  state: 'rendered',
  html: ['plain', Buffer.from('<p>y').toString('base64')],
  links: [],
  cookies: [],
  used,
};
const need = (url: string, more: object = {}) => ({
  url,
  method: 'GET',
  headers: {},
  kind: 'xhr',
  documentUrl: 'https://example.org/',
  ...more,
});
const withNeeds = (needs: object[], usedAnswers = 0) => ({ ...done, needs, usedAnswers });

/** Renders by a function that gives these replies, the last one again and again. */
async function render(replies: (object | Error)[], own: Partial<RenderJob> = {}, clock: Clock = systemClock) {
  const asked: RoundAsk[] = [];
  const fetched: Parameters<FetchPart>[0][] = [];
  const renderer = createRoundRenderer({
    clock,
    ask: async (message) => {
      asked.push(decodeAsk(JSON.parse(message)));
      const reply = replies[Math.min(asked.length, replies.length) - 1]!;
      if (reply instanceof Error) throw reply;
      return JSON.stringify(reply);
    },
  });
  const fetchPart: FetchPart = async (request) => {
    fetched.push(request);
    if (request.url.includes('slow')) return new Promise(() => {});
    if (request.url.includes('refused')) return { status: 'refused', reason: 'robots.txt' };
    return answerOf(request.url);
  };
  const rendering = await renderer.render({ ...job, ...own }, fetchPart);
  return { rendering, asked, fetched };
}

test('requests that take too long leave the last round its time', async () => {
  let now = 0;
  const clock = {
    ...systemClock,
    now: () => now,
    elapsed: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const { rendering, asked } = await render(
    [withNeeds([need('https://example.org/slow'), need('https://example.org/a')]), withNeeds([])],
    {},
    clock,
  );
  expect(asked.map(({ isLast, job }) => [isLast, job.limits.ms >= 5000])).toEqual([
    [false, true],
    [true, true],
  ]);
  expect(rendering.state).toBe('rendered');
});

const answerOf = (url: string): FetchedResponse => ({
  status: 'response',
  url,
  httpStatus: 200,
  statusText: 'OK',
  headers: [],
  body: memoryBody(Buffer.from('answer')),
  requestHead: Buffer.from(''),
  ipAddress: '',
  startedAt: 0,
  endedAt: 0,
});

test('a page that needs nothing takes one round', async () => {
  const { rendering, asked } = await render([withNeeds([])]);
  expect(asked).toHaveLength(1);
  expect(rendering).toMatchObject({ state: 'rendered', html: '<p>y', used: { requests: 0, cpuMs: 10 } });
});

test('each request is made once, and its answer is in all later rounds', async () => {
  const { rendering, asked, fetched } = await render([
    withNeeds([need('https://example.org/a'), need('https://example.org/refused')]),
    withNeeds([need('https://example.org/b')], 2),
    withNeeds([], 3),
  ]);
  expect(fetched.map(({ url }) => url)).toEqual([
    'https://example.org/a',
    'https://example.org/refused',
    'https://example.org/b',
  ]);
  expect(asked.map(({ answers }) => answers.map(({ answer }) => answer.status))).toEqual([
    [],
    ['response', 'refused'],
    ['response', 'refused', 'response'],
  ]);
  expect(rendering.used).toMatchObject({ requests: 3, bytes: 12, cpuMs: 30 });
});

test('a page that uses no answer, as it asks for something else each time, has a last round', async () => {
  const { rendering, asked, fetched } = await render([withNeeds([need('https://example.org/r')])]);
  expect(asked.map(({ isLast }) => isLast)).toEqual([false, false, true]);
  expect(fetched).toHaveLength(2);
  expect(rendering).toMatchObject({
    state: 'rendered',
    detail: 'it made further requests, for which no time was left',
  });
});

test('without time for a further round the first one is the last', async () => {
  const { asked } = await render([withNeeds([])], { limits: { ...job.limits, ms: 5000 } });
  expect(asked.map(({ isLast }) => isLast)).toEqual([true]);
});

test('no more requests are made than a page may have', async () => {
  const many = Array.from({ length: 5 }, (_, i) => need(`https://example.org/${i}`));
  const { fetched } = await render([withNeeds(many), withNeeds(many, 5), withNeeds([], 5)]);
  expect(fetched).toHaveLength(5);
});

test('scripts of a page are sent with the first round of the next pages of its kind', async () => {
  const script = (url: string) => need(url, { kind: 'script' });
  const asked: RoundAsk[] = [];
  const renderer = createRoundRenderer({
    clock: systemClock,
    ask: async (message) => {
      const ask = decodeAsk(JSON.parse(message));
      asked.push(ask);
      const needs = [
        script('https://example.org/app.js'),
        script('https://example.org/0.12345678.js'),
        need('https://example.org/data'),
      ];
      return JSON.stringify(withNeeds(ask.answers.length === 0 ? needs : [], ask.answers.length));
    },
  });
  const now = Date.now();
  let headers: readonly (readonly [string, string])[] = [];
  const fetchPart: FetchPart = async ({ url }) => ({ ...answerOf(url), headers, endedAt: now });
  const cookies = [{ name: 'session', value: '1', url: 'https://example.org/' }];
  // A script that was requested with cookies may be of one visitor.
  await renderer.render({ ...job, url: 'https://example.org/a/0', cookies }, fetchPart);
  headers = [
    ['Set-Cookie', 'sid=1'],
    ['Last-Modified', 'Sun, 06 Nov 1994 08:49:37 GMT'],
  ];
  for (const url of ['/a/1', '/a/2', '/b/c/d']) {
    asked.length = 0;
    await renderer.render({ ...job, url: `https://example.org${url}` }, fetchPart);
    const sent = asked[0]?.answers.map(({ request }) => request.url);
    expect(sent).toEqual(url === '/a/2' ? ['https://example.org/app.js'] : []);
    // Its cookie was for the first page: it may be of another session by now.
    const [known] = asked[0]?.answers ?? [];
    if (known) expect(known.answer).toMatchObject({ headers: [headers[1]] });
  }
});

test('a function that fails costs the page its rendering, and no more', async () => {
  const { rendering } = await render([new Error('the function failed: out of memory')]);
  expect(rendering).toMatchObject({ state: 'crashed', detail: 'the function failed: out of memory' });
});

test('an error of the project’s function is reported, and the page kept', async () => {
  const { rendering } = await render([{ ...withNeeds([]), behaviourFault: 'no such button' }]);
  expect(rendering).toMatchObject({ state: 'rendered', behaviourFault: 'no such button' });
});

test('a page whose parts are larger than a payload is too large', async () => {
  const body = Buffer.alloc(7_000_000);
  for (let i = 0; i < body.length; i += 4) body.writeUInt32LE((i * 2_654_435_761) >>> 0, i);
  const { rendering } = await render([withNeeds([])], { document: { ...job.document, body } });
  expect(rendering).toMatchObject({ state: 'tooLarge' });
});

test.each<readonly [string, object]>([
  ['is no reply', { state: 'rendered' }],
  [
    'has more requests than the page may have',
    withNeeds(Array.from({ length: 6 }, () => need('https://example.org/'))),
  ],
  ['has more links', { ...withNeeds([]), links: Array.from({ length: 11 }, () => 'https://example.org/') }],
  ['has HTML that unpacks to more than the limit', { ...withNeeds([]), html: ['gzip', packedZeros()] }],
  ['names a method that no page has', withNeeds([need('https://example.org/', { method: 'CONNECT' })])],
])('a reply that %s is not taken', async (_, reply) => {
  const { rendering, fetched } = await render([reply]);
  expect({ state: rendering.state, fetched }).toEqual({ state: 'crashed', fetched: [] });
});

test('a reply cannot set headers of the crawler, give cookies to other sites, or have pictures loaded', async () => {
  const headers = { 'User-Agent': 'x', Cookie: 'a=1', 'X-Own': '1' };
  const { fetched } = await render([
    withNeeds([
      need('https://example.org/a', { headers }),
      need('https://other.example/b', { headers }),
      need('https://example.org/c.png', { kind: 'image' }),
    ]),
    withNeeds([], 2),
  ]);
  expect(fetched.map(({ headers }) => headers)).toEqual([{ 'x-own': '1', cookie: 'a=1' }, { 'x-own': '1' }]);
});

function packedZeros(): string {
  return gzipSync(Buffer.alloc(1_000_000)).toString('base64');
}
