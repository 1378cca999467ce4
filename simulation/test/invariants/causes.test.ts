import { expect, test } from 'vitest';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import type { Message } from '../../../shared/core/frontier/message.ts';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import { createFakeClock, T0 } from '../../../test/crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../../../test/crawler/worker/memory-engine.ts';
import { createCauseProbe } from '../../invariants/cause-probe.ts';

const HOST = 'a.test';
const token = (name: string): Message => ({ kind: 'token', crawl: 'crawl', token: name });
const wake: Message = { kind: 'wake', crawl: 'crawl' };

/** A worker that receives what is sent and commits the next version, which names a token of its own. */
function setUp() {
  const engine = createMemoryEngine(createFakeClock());
  const probe = createCauseProbe(() => T0);
  // The memory engine has no events of functions.
  const watched = probe.wrap(engine as Engine);
  async function turn(version: number, ...messages: readonly Message[]): Promise<void> {
    await watched.queue.send(messages.map((message) => ({ host: HOST, message })));
    const [received] = await watched.queue.receive(1, 0);
    await watched.ledgers.commit('crawl', HOST, { ...NEW_HEAD, version, token: `${version}-x` });
    if (received) await watched.queue.acknowledge(received, received.deliveries);
  }
  return { turn, probe, watched };
}

test('links, wake-ups and the token that the head names may begin a turn', async () => {
  const { turn, probe } = setUp();
  await turn(1, { kind: 'links', crawl: 'crawl', links: [] });
  await turn(2, token('1-x'));
  await turn(3, wake);
  await turn(4, token('1-x'), token('3-x'));
  expect(probe.violations).toEqual([]);
});

test('a turn begun by a token that does not count is found, and one of another crawl’s message', async () => {
  const { turn, probe } = setUp();
  await turn(1, wake);
  await turn(2, token('0-x'));
  await turn(3, { kind: 'wake', crawl: 'other' });
  expect(probe.violations.map(({ message }) => message)).toEqual([
    'T0+0.000 s, version 2 of crawl a.test was begun by 0-x, its head named 1-x',
    'T0+0.000 s, version 3 of crawl a.test was begun by nothing, its head named 2-x',
  ]);
});

test('a token that is dropped before the head that names it is committed is known; one that is served is not', async () => {
  const { turn, probe, watched } = setUp();
  await turn(1, wake);
  await turn(2, token('1-x'));
  expect(probe.wasDroppedEarly('1-x')).toBe(false);
  // Another worker is given the host, while the sender of this token freezes.
  await watched.queue.send([{ host: HOST, message: token('3-x') }]);
  const [received] = await watched.queue.receive(1, 0);
  await watched.queue.acknowledge(received!, received!.deliveries);
  await turn(3, wake);
  expect(probe.wasDroppedEarly('3-x')).toBe(true);
});
