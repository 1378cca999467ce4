import { describe, expect, test } from 'vitest';
import {
  crawlEvents,
  type EndedCrawl,
  endedType,
  firstPassEvent,
} from '../../../shared/services/webhook/crawl-events.ts';

const COUNTS = {
  pages: 3,
  urls: 5,
  hosts: 2,
  bytes: 700,
  seconds: 9,
  byStatus: { fetched: 3, failed: 2 },
  errors: { timeout: 2 },
} as unknown as EndedCrawl;
const ENDED: EndedCrawl = {
  ...COUNTS,
  state: 'limited',
  reason: 'It has made 3 pages',
  reasonCode: 'maxPages',
  setAside: [],
};
const host = (i: number) => ({ host: `h${i}.test`, cause: 'no answer', causeCode: 'hostFailed' as const });

/** The events of an end; a second passes with each. */
function eventsOf(ended: EndedCrawl) {
  let now = Date.UTC(2026, 10, 25);
  const idOf = (subject: string) => `id of ${subject}`;
  return crawlEvents('news', ended, { now: () => (now += 1000), idOf });
}

describe('the type of an end', () => {
  test.each([
    ['finished', undefined, 'crawlFinished'],
    ['limited', 'maxPages', 'crawlLimited'],
    ['limited', undefined, 'crawlLimited'],
    ['paused', 'maxCost', 'crawlLimited'],
    ['paused', undefined, undefined],
    ['stopped', 'maxCost', undefined],
    ['running', undefined, undefined],
    ['interrupted', undefined, undefined],
  ] as const)('of a crawl that is %s (%s) is %s', (state, reasonCode, type) => {
    expect(endedType({ state, reasonCode })).toBe(type);
  });
});

test('the event of an end has its state, its reason and all counts', () => {
  expect(eventsOf(ENDED)).toEqual([
    {
      id: 'id of ',
      type: 'crawlLimited',
      time: '2026-11-25T00:00:01.000Z',
      crawl: 'news',
      data: {
        ...COUNTS,
        state: 'limited',
        reason: 'It has made 3 pages',
        reasonCode: 'maxPages',
        hostsGivenUp: 0,
      },
    },
  ]);
});

test('each host that was given up has an event before that of the crawl', () => {
  const events = eventsOf({ ...ENDED, setAside: [host(1), host(2)] });
  expect(events.slice(0, 2)).toEqual([
    {
      id: 'id of h1.test',
      type: 'hostGivenUp',
      time: '2026-11-25T00:00:01.000Z',
      crawl: 'news',
      data: host(1),
    },
    {
      id: 'id of h2.test',
      type: 'hostGivenUp',
      time: '2026-11-25T00:00:02.000Z',
      crawl: 'news',
      data: host(2),
    },
  ]);
  expect(events[2]).toMatchObject({ type: 'crawlLimited', data: { hostsGivenUp: 2 } });
});

test('at most 100 hosts have events of their own, and all are counted', () => {
  const setAside = Array.from({ length: 130 }, (_, i) => host(i));
  const events = eventsOf({ ...ENDED, setAside });
  expect(events.map(({ data }) => (data as { host?: string }).host)).toEqual([
    ...setAside.slice(0, 100).map(({ host }) => host),
    undefined,
  ]);
  expect(events.at(-1)?.data).toMatchObject({ hostsGivenUp: 130 });
});

test('a crawl that goes on has no event of its end', () => {
  expect(eventsOf({ ...ENDED, state: 'paused', reasonCode: undefined })).toEqual([]);
});

describe('the event of a first pass', () => {
  const at = Date.UTC(2026, 10, 24, 12);
  const now = Date.UTC(2026, 10, 25);
  const event = firstPassEvent('news', { at }, ENDED, now);

  test('has the time of the pass, and the counts as they are now', () => {
    expect(event).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      type: 'firstPassFinished',
      time: '2026-11-25T00:00:00.000Z',
      crawl: 'news',
      data: { at: '2026-11-24T12:00:00.000Z', ...COUNTS },
    });
  });

  test('has the same id whenever it is made, and another one for another pass or crawl', () => {
    expect(firstPassEvent('news', { at }, { ...ENDED, pages: 9 }, now + 60_000).id).toBe(event.id);
    expect(firstPassEvent('news', { at: at + 1 }, ENDED, now).id).not.toBe(event.id);
    expect(firstPassEvent('other', { at }, ENDED, now).id).not.toBe(event.id);
  });
});
