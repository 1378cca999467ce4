import { expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { firstPass } from '../../invariants/first-pass.ts';
import { T0 } from '../../models/virtual-time.ts';
import { crawlFacts, hostFacts, makeFacts, struck } from './made-facts.ts';

const MINUTE = 60_000;
const at = (minutes: number): number => T0 + minutes * MINUTE;

/** A head, with the numbers of its URLs. */
const head = (minutes: number, waiting: number, fetched: number) => ({
  at: at(minutes),
  head: {
    ...NEW_HEAD,
    ledger: { ...NEW_HEAD.ledger, counts: { ...NEW_HEAD.ledger.counts, waiting, fetched } },
  },
});

const event = (minutes: number, more = {}) => ({
  at: at(minutes),
  crawl: 'crawl',
  type: 'firstPassFinished',
  id: 'a',
  isReceived: true,
  ...more,
});

interface Given {
  /** Minutes. */
  readonly noted?: number;
  readonly events?: readonly ReturnType<typeof event>[];
  readonly strikes?: ReturnType<typeof struck>;
  readonly heads?: readonly ReturnType<typeof head>[];
  readonly config?: object;
}

/** The host has nothing left from minute 5 on, and the operator stops the crawl after 100 minutes. */
function found({
  noted,
  events = noted === undefined ? [] : [event(noted + 1)],
  strikes = struck(),
  heads = [head(1, 3, 0), head(3, 2, 3), head(5, 0, 5)],
  config = { recrawl: 'changes' },
}: Given) {
  const crawl = {
    ...crawlFacts(),
    id: 'crawl',
    config: parseConfig(config),
    firstPassAt: noted === undefined ? undefined : at(noted),
    hosts: new Map([['a.test', { ...hostFacts('a.test', []), heads }]]),
    statuses: [
      { at: T0, status: 'running' },
      { at: at(100), status: 'stopped' },
    ] as never,
  };
  return firstPass({ ...makeFacts(), crawls: [crawl], events, strikes }).map(({ message }) => message);
}

test('a first pass that is reported once, when nothing is left, is right', () => {
  expect(found({ noted: 15 })).toEqual([]);
  expect(found({ noted: 40, events: [event(41, { isReceived: false }), event(43)] })).toEqual([]);
  expect(found({ config: {} })).toEqual([]);
});

test('one that is reported while URLs wait is found', () => {
  const early = (noted: number) => found({ noted }).filter((message) => /and URLs waited/.test(message));
  expect(early(4)).toEqual(['crawl: its first pass was called complete T0+240.000 s, and URLs waited']);
  expect(early(6)).toEqual([]);
});

test('one that is reported late, or never, is found, but for wakers whose clock was set', () => {
  expect(found({ noted: 41 })).toEqual([
    'crawl: nothing of its first pass was left T0+300.000 s, and it was called complete T0+2460.000 s',
  ]);
  expect(found({})).toHaveLength(1);
  expect(found({ strikes: struck('clockStepped') })).toEqual([]);
  // Faults end after 45 minutes.
  expect(found({ noted: 79, strikes: struck('workerKilled') })).toEqual([]);
  expect(found({ noted: 81, strikes: struck('workerKilled') })).toHaveLength(1);
  // A URL was found later.
  const heads = [head(5, 0, 5), head(50, 0, 6)];
  expect(found({ noted: 84, heads })).toEqual([]);
  expect(found({ noted: 86, heads })).toHaveLength(1);
  expect(found({ heads: [head(5, 0, 5), head(50, 1, 6)] })).toEqual([]);
});

test('one that is announced twice as another event, never, or before it was noted is found', () => {
  expect(found({ noted: 15, events: [event(16), event(17, { id: 'b' })] })).toHaveLength(1);
  expect(found({ noted: 15, events: [event(16, { isReceived: false })] })).toHaveLength(1);
  expect(found({ noted: 15, events: [event(10)] })).toHaveLength(1);
  expect(found({ events: [event(10)], heads: [head(5, 1, 5)] })).toHaveLength(1);
});
