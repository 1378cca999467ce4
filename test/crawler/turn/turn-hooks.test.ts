import { expect, test } from 'vitest';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import type { Link } from '../../../shared/core/frontier/message.ts';
import type { DocumentFacts } from '../../../shared/core/parser/document.ts';
import { requestUrl } from '../../../shared/core/url/request-url.ts';
import { TurnCounters } from '../../../shared/crawler/turn/counters.ts';
import type { VisitState } from '../../../shared/crawler/turn/page/visit-state.ts';
import type { HookedPage, PageAnswer, PageHooks } from '../../../shared/crawler/turn/page-hooks.ts';
import type { TurnServices } from '../../../shared/crawler/turn/services.ts';
import { StoredHead } from '../../../shared/crawler/turn/stored-head.ts';
import { TurnHooks, type TurnHooksOptions } from '../../../shared/crawler/turn/turn-hooks.ts';
import { newStats } from '../../../shared/crawler/turn/worker-stats.ts';
import { createFakeClock, T0 } from '../worker/fake-clock.ts';
import { crawlOfTurn, HOST, ORIGIN, recordOf } from './turn-fakes.ts';

const PAGE = recordOf(`${ORIGIN}/page`, { depth: 2, via: `${ORIGIN}/` });
const FACTS = { title: 'found' } as DocumentFacts;
const RESPONSE = { httpStatus: 200, body: { size: 100 } } as never;

interface Situation {
  readonly hasHooks?: boolean;
  readonly extractionError?: string;
  readonly answer?: PageAnswer | 'never';
  readonly isHeard?: boolean;
  readonly hooks?: Partial<PageHooks>;
  readonly state?: unknown;
}

function open({
  hasHooks = true,
  extractionError,
  answer = { items: [] },
  isHeard = true,
  hooks: own,
  state,
}: Situation = {}) {
  const clock = createFakeClock();
  const stopping = new AbortController();
  const called: [string, unknown][] = [];
  const items: string[] = [];
  const events: unknown[] = [];
  const taken: [Link, number][] = [];
  let hooksOpen = 0;
  const counters = new TurnCounters(NO_TOTALS, newStats());
  const hooks: PageHooks = {
    async extract(page) {
      called.push(['extract', page]);
      return {
        facts: { ...page.facts, title: 'extracted' },
        ...(extractionError && { error: extractionError }),
      };
    },
    onPage(page) {
      called.push(['onPage', page]);
      return answer === 'never' ? new Promise(() => {}) : Promise.resolve(answer);
    },
    async onError(url, message) {
      called.push(['onError', [url, message]]);
    },
    ...own,
  };
  const services = {
    engine: { clock, state },
    stats: newStats(),
    stopping: stopping.signal,
    work: {
      run: (crawl: string, url: string, step: string, work: () => unknown) => [crawl, url, step, work()],
      beginHook() {
        hooksOpen++;
        return () => {
          hooksOpen--;
        };
      },
    },
    ...(hasHooks && { hooks }),
    ...(isHeard && { onEvent: (event: unknown) => events.push(event) }),
  } as unknown as TurnServices;
  const output: { addItems: (lines: string[]) => number; state?: VisitState } = {
    addItems: (lines) => items.push(...lines),
  };
  const options = {
    crawl: crawlOfTurn({ nameOf: (url) => `${url}?named` }),
    counters,
    output,
    intake: { take: (link: Link, now: number) => taken.push([link, now]) },
  } as unknown as TurnHooksOptions;
  const turnHooks = new TurnHooks(services, options);
  const call = async (forItems = true, request?: { method: string }) =>
    turnHooks.callForPage(PAGE, { response: RESPONSE, facts: FACTS, forItems, request });
  return {
    turnHooks,
    call,
    clock,
    stopping,
    called,
    items,
    output,
    events,
    taken,
    counters,
    hooksOpen: () => hooksOpen,
  };
}

test('without hooks a page is what was found, and nothing is counted', async () => {
  const { call, turnHooks, called, counters } = open({ hasHooks: false });
  expect(await call()).toEqual({ facts: FACTS });
  await turnHooks.reportFailure('u', 'm');
  expect([called, counters.totals.hooks]).toEqual([[], undefined]);
});

test('the extraction gives the facts, and onPage sees them', async () => {
  const { call, called, counters, hooksOpen } = open();
  expect(await call(true, { method: 'POST' })).toEqual({ facts: { title: 'extracted' }, error: undefined });
  const page = { url: PAGE.url, depth: 2, via: PAGE.via, response: RESPONSE, request: { method: 'POST' } };
  expect(called).toMatchObject([
    ['extract', { ...page, facts: { title: 'found' } }],
    ['onPage', { ...page, facts: { title: 'extracted' } }],
  ]);
  const [, extracted] = called[0] as [string, HookedPage];
  expect(extracted.around?.(() => 5)).toEqual(['c', PAGE.url, 'hook', 5]);
  expect(counters.totals.hooks).toEqual({ pages: 1 });
  expect(hooksOpen()).toBe(0);
});

test('a page that is for no items goes to the extraction alone, and is not counted', async () => {
  const { call, called, counters } = open();
  expect(await call(false)).toMatchObject({ facts: { title: 'extracted' } });
  expect(called.map(([name]) => name)).toEqual(['extract']);
  expect(counters.totals.hooks).toBeUndefined();
});

test('items go to the output and to who listens; requests are links one hop further', async () => {
  const request = { label: 'x' };
  const own = { url: `${ORIGIN}/api`, request, level: 6 };
  const answer = { items: ['{"a":1}', '{"a":2}'], requests: [own] };
  const { call, items, events, taken, counters } = open({ answer });
  await call();
  expect(items).toEqual(answer.items);
  expect(events).toEqual(answer.items.map((line) => ({ type: 'item', url: PAGE.url, line })));
  expect(taken).toMatchObject([
    [{ url: requestUrl(`${ORIGIN}/api?named`, request), depth: 3, via: PAGE.url, level: 6 }, T0],
  ]);
  expect(counters.totals.hooks).toEqual({ pages: 1, items: 2 });
  const unheard = open({ answer, isHeard: false });
  await unheard.call();
  expect([unheard.items, unheard.events]).toEqual([answer.items, []]);
});

test('a hook that fails is counted and reported; onPage’s error comes first', async () => {
  const extraction = open({ extractionError: 'E' });
  expect(await extraction.call(false)).toMatchObject({ error: 'E' });
  expect(extraction.counters.totals).toMatchObject({
    errors: { extraction: 1 },
    hooks: { pages: 1, failed: 1 },
  });
  const page = open({ answer: { items: [], error: 'P' } });
  expect(await page.call()).toMatchObject({ error: 'P' });
  expect(page.counters.totals.errors).toEqual({ onPage: 1 });
  expect(page.counters.totals.hooks).toEqual({ pages: 1, failed: 1 });
  const both = open({ extractionError: 'E', answer: { items: ['{}'], error: 'P' } });
  expect(await both.call()).toMatchObject({ error: 'P' });
  expect(both.counters.totals).toMatchObject({
    errors: { extraction: 1, onPage: 1 },
    hooks: { pages: 1, failed: 1, items: 1 },
  });
});

test('a hook that has not ended when the worker stops is left, and nothing is counted', async () => {
  const { call, clock, stopping, counters, items, hooksOpen } = open({ answer: 'never' });
  const calling = call();
  await clock.advance(60_000);
  expect(hooksOpen()).toBe(1);
  stopping.abort();
  expect(await clock.drive(calling)).toBeUndefined();
  expect(clock.now()).toBe(T0 + 63_000);
  expect([counters.totals.hooks, items]).toEqual([undefined, []]);
});

test('changes of the state are the visit’s, but not those of a page that is to be fetched again', async () => {
  const state = { read: async () => Object.assign(new Map([['n', '1']]), { chars: 1 }) };
  const { call, output, called } = open({ state });
  const add = { key: 'n', apply: (before = '0') => String(Number(before) + 1) };
  const pageStates = () =>
    called.flatMap(([hook, page]) => (hook === 'onPage' ? (page as HookedPage).state! : []));
  await call();
  // The hook has ended.
  expect(() => pageStates()[0]!.change(add)).toThrow('until onPage has ended');

  const stopped = open({ state, answer: 'never' });
  const calling = stopped.call();
  await stopped.clock.advance(1000);
  const page = stopped.called.at(-1)![1] as HookedPage;
  expect(page.state!.change(add)).toBe('2');
  expect(stopped.output.state?.changes).toHaveLength(1);
  stopped.stopping.abort();
  expect(await stopped.clock.drive(calling)).toBeUndefined();
  expect(stopped.output.state?.changes).toEqual([]);
  expect(output.state?.changes).toEqual([]);
});

test('each page has what its own hooks give, and each turn the state as it is then', async () => {
  let reads = 0;
  const state = { read: async () => Object.assign(new Map([['n', `${++reads}`]]), { chars: 1 }) };
  const hooks: Partial<PageHooks> = {
    extract: async ({ url, facts }) => ({ facts: { ...facts, title: `of ${url}` } }),
    onPage: async ({ facts, state }) => ({ items: [`${facts.title}, n is ${state?.get('n')}`] }),
  };
  const items: string[] = [];
  for (let turn = 0; turn < 2; turn++) {
    const opened = open({ hooks, state });
    for (const path of ['/1', '/2']) {
      const page = { response: RESPONSE, facts: FACTS, forItems: true };
      const hooked = await opened.turnHooks.callForPage(recordOf(path), page);
      expect(hooked?.facts.title).toBe(`of ${path}`);
    }
    items.push(...opened.items);
  }
  expect(items).toEqual(['of /1, n is 1', 'of /2, n is 1', 'of /1, n is 3', 'of /2, n is 3']);
});

test('a URL that failed is reported to the project', async () => {
  const { turnHooks, called } = open();
  await turnHooks.reportFailure('http://a.test/x', 'HTTP 500');
  expect(called).toEqual([['onError', ['http://a.test/x', 'HTTP 500']]]);
});

test('the head is replaced by its next version, and items are staged for it', async () => {
  const calls: unknown[] = [];
  const services = {
    engine: {
      items: { stage: async (...args: unknown[]) => void calls.push(['stage', ...args]) },
      ledgers: { commit: async (...args: unknown[]) => void calls.push(['commit', ...args]) },
    },
  } as unknown as TurnServices;
  const stored = new StoredHead(services, { crawl: 'c', host: HOST, head: { ...NEW_HEAD, version: 4 } });
  await stored.stageItems(['{}']);
  const { version: _, ...next } = { ...NEW_HEAD, token: 't' };
  expect(await stored.replace(next)).toEqual({ ...next, version: 5 });
  expect([stored.head, stored.nextVersion]).toEqual([{ ...next, version: 5 }, 6]);
  expect(calls).toEqual([
    ['stage', 'c', HOST, 5, ['{}']],
    ['commit', 'c', HOST, { ...next, version: 5 }],
  ]);
});

test('a head that another worker has replaced stays as it was known', async () => {
  const services = {
    engine: { ledgers: { commit: () => Promise.reject(new Error('stale')) } },
  } as unknown as TurnServices;
  const stored = new StoredHead(services, { crawl: 'c', host: HOST, head: NEW_HEAD });
  await stored.stageItems(['{}']);
  await expect(stored.replace(NEW_HEAD)).rejects.toThrow('stale');
  expect([stored.head, stored.nextVersion]).toEqual([NEW_HEAD, 1]);
});
