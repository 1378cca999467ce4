import { expect, test } from 'vitest';
import { watchProxy } from '../../../../shared/crawler/turn/page/proxy-watch.ts';
import type { TurnServices } from '../../../../shared/crawler/turn/services.ts';
import { createFakeClock } from '../../worker/fake-clock.ts';

const FAILS = { status: 'failed', reason: 'proxy', message: 'no route' } as never;
const ANSWER = { status: 'response' } as never;

/** A process that has had this number of answers. `isShared`: others work for the crawl, too. */
function processWith({ answers = 0, isShared = false, keepTrying = false } = {}) {
  const clock = createFakeClock();
  const done: unknown[] = [];
  const stats: { answers: number; proxyFailures?: { since: number; count: number } | undefined } = {
    answers,
  };
  const services = {
    engine: { clock, registry: { isShared, setStatus: async (...args: unknown[]) => done.push(args) } },
    stats,
    crawls: { refresh: (id: string) => done.push(`refresh ${id}`) },
  } as unknown as TurnServices;
  return {
    clock,
    done,
    stats,
    async see(...outcomes: never[]) {
      for (const outcome of outcomes)
        await watchProxy(services, { id: 'c', config: { keepTrying } } as never, outcome);
    },
  };
}

const PAUSED = [
  ['c', 'paused', { code: 'proxy', text: 'proxy: no route' }, { from: ['running'] }],
  'refresh c',
];

test('a proxy that fails three times before anything was answered pauses the crawl', async () => {
  const { see, done, stats } = processWith();
  await see(FAILS, FAILS);
  expect(done).toEqual([]);
  await see(FAILS);
  expect(done).toEqual(PAUSED);
  expect(stats.proxyFailures).toBeUndefined();
  await see(FAILS, FAILS);
  expect(done).toEqual(PAUSED);
});

test.each([{ answers: 1 }, { isShared: true }, { keepTrying: true }])(
  'with %j it takes five failures, and a minute',
  async (given) => {
    const { see, done, clock } = processWith(given);
    await see(FAILS);
    await clock.advance(59_999);
    await see(FAILS, FAILS, FAILS, FAILS);
    expect(done).toEqual([]);
    await clock.advance(1);
    await see(FAILS);
    expect(done).toEqual(PAUSED);
    const slow = processWith(given);
    await slow.see(FAILS);
    await slow.clock.advance(3_600_000);
    await slow.see(FAILS, FAILS, FAILS);
    expect(slow.done).toEqual([]);
    await slow.see(FAILS);
    expect(slow.done).toEqual(PAUSED);
  },
);

test('an answer forgives all failures, and what else fails says nothing of the proxy', async () => {
  const { see, done, stats } = processWith();
  const other = { status: 'failed', reason: 'timeout', message: 'it took long' } as never;
  await see(FAILS, FAILS, other, ANSWER, FAILS, FAILS);
  expect(done).toEqual([]);
  expect(stats.proxyFailures).toMatchObject({ count: 2 });
  await see(other, FAILS);
  expect(done).toEqual(PAUSED);
});
