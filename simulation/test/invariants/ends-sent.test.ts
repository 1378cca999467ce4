import { expect, test } from 'vitest';
import { endsSent } from '../../invariants/ends-sent.ts';
import { T0 } from '../../models/virtual-time.ts';
import { crawlFacts, makeFacts, struck } from './made-facts.ts';

const change = (seconds: number, status: string, code?: string) =>
  ({ at: T0 + seconds * 1000, status, code }) as never;

const event = (seconds: number, type = 'crawlFinished', more = {}) => ({
  at: T0 + seconds * 1000,
  crawl: 'crawl',
  type,
  id: 'a',
  isReceived: true,
  ...more,
});

const found = (
  statuses: readonly never[],
  events: readonly ReturnType<typeof event>[],
  strikes = struck(),
) => {
  const crawl = { ...crawlFacts(), id: 'crawl', statuses };
  return endsSent({ ...makeFacts(), crawls: [crawl], events, strikes }).map(({ message }) => message);
};

const RUN = change(0, 'running');

test('each end has its event, repeated or not', () => {
  const statuses = [RUN, change(10, 'finished'), change(500, 'running'), change(900, 'limited')];
  const events = [event(20), event(80), event(910, 'crawlLimited', { id: 'b' })];
  expect(found(statuses, events)).toEqual([]);
  expect(found([RUN, change(10, 'paused', 'maxCost')], [event(20, 'crawlLimited')])).toEqual([]);
  for (const status of ['paused', 'stopped']) expect(found([RUN, change(10, status)], [])).toEqual([]);
});

test('an end without a received event is found, but for a waker whose clock was set', () => {
  const statuses = [RUN, change(10, 'finished')];
  const missing = ['crawl is finished T0+10.000 s, and no crawlFinished was received'];
  expect(found(statuses, [])).toEqual(missing);
  expect(found(statuses, [event(20, 'crawlFinished', { isReceived: false })])).toEqual(missing);
  expect(found(statuses, [], struck('clockStepped'))).toEqual([]);
});

test('an event of a waker that stood still for minutes is excused, and none after that', () => {
  const statuses = [RUN, change(10, 'finished'), change(20, 'running')];
  const excusesOf = (seconds: number, ...names: Parameters<typeof struck>) =>
    endsSent({
      ...makeFacts(),
      crawls: [{ ...crawlFacts(), id: 'crawl', statuses }],
      events: [event(seconds)],
      strikes: struck(...names),
    }).map(({ excuse, at }) => [excuse, at]);
  expect(excusesOf(260, 'workerFrozen')).toEqual([['lateHearing', T0 + 260_000]]);
  expect(excusesOf(261, 'workerFrozen')).toEqual([[undefined, T0 + 261_000]]);
  expect(excusesOf(260)).toEqual([[undefined, T0 + 260_000]]);
});

test('an event without an end is found, and so are two ids of one end', () => {
  expect(found([RUN, change(900, 'stopped')], [event(20)])).toEqual([
    'crawl: crawlFinished was sent T0+20.000 s, and there was no such end',
  ]);
  expect(found([RUN, change(10, 'finished'), change(20, 'running')], [event(30)])).toEqual([]);
  expect(found([RUN, change(10, 'finished'), change(20, 'running')], [event(90)])).toHaveLength(1);
  expect(found([RUN, change(10, 'finished')], [event(20), event(80, 'crawlFinished', { id: 'c' })])).toEqual([
    'crawl: the end T0+10.000 s was announced with different ids',
  ]);
});

const finishesOf = (
  statuses: readonly never[],
  seconds: readonly number[],
  ...names: Parameters<typeof struck>
) => {
  const crawl = { ...crawlFacts(), id: 'crawl', statuses };
  const finishes = seconds.map((at) => ({ crawl: 'crawl', at: T0 + at * 1000 }));
  const ends = statuses.flatMap((_, i) => (i > 0 ? [event(10)] : []));
  const facts = { ...makeFacts(), crawls: [crawl], events: ends, finishes, strikes: struck(...names) };
  return endsSent(facts).filter(({ message }) => message.includes('onFinish'));
};

test('`onFinish` is called once to three times after an end, and at no other time', () => {
  const statuses = [RUN, change(10, 'finished')];
  expect(finishesOf(statuses, [11])).toEqual([]);
  expect(finishesOf(statuses, [11, 80, 150])).toEqual([]);
  expect(finishesOf(statuses, []).map(({ message }) => message)).toEqual([
    'crawl is finished T0+10.000 s, and onFinish was called 0 times',
  ]);
  expect(finishesOf(statuses, [], 'clockStepped')).toEqual([]);
  expect(finishesOf(statuses, [11, 80, 150, 210])).toHaveLength(1);
  expect(finishesOf([RUN, change(10, 'stopped')], [12])).toEqual([]);
  expect(finishesOf([RUN, change(10, 'stopped')], [])).toHaveLength(1);
  expect(finishesOf([RUN, change(10, 'limited'), change(20, 'stopped')], [12])).toEqual([]);
  const resumed = [...statuses, change(20, 'running')];
  expect(finishesOf(resumed, [11])).toEqual([]);
  expect(finishesOf(resumed, [90]).map(({ excuse }) => excuse)).toEqual([undefined]);
  expect(finishesOf(resumed, [90], 'workerFrozen').map(({ excuse }) => excuse)).toEqual(['lateHearing']);
});
