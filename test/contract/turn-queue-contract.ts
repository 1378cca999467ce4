import { expect, test } from 'vitest';
import type { Engine } from '../../shared/crawler/ports/engine.ts';
import { StaleTurn } from '../../shared/crawler/ports/stale-turn.ts';
import { testIf } from './capabilities.ts';
import type { Subject } from './subject.ts';
import { CRAWL, drain, LONG_MS, linkTo, ODD_HOSTS, receiveOne, token, tokensOf } from './subjects.ts';

const A = 'a.test';
const B = 'b.test';
/** How long a receive looks that is to find nothing. */
const LOOK_MS = 20;
/** On a busy machine a test takes more than a second until it looks. */
const PARK_MS = 2500;
const LEASE_MS = 60;
/** Much longer than a lease, also where time is rounded to seconds. */
const HOLD_MS = 5000;

export function turnQueueContract(subject: Subject): void {
  const { until } = subject;
  const queue = () => subject.engine.queue;
  const send = (host: string, ...tokens: string[]) =>
    queue().send(tokens.map((text) => ({ host, message: token(text) })));
  const hostsNow = async (engine: Engine = subject.engine) =>
    (await until(engine.queue.receive(100, LOOK_MS))).map(({ host }) => host);

  test('gives what was sent to a host, whole and in the order sent', async () => {
    const links = {
      kind: 'links' as const,
      crawl: CRAWL,
      links: [{ url: `http://${A}/x?y=%20`, depth: 3, via: 'http://b.test/', redirects: 2, isSeed: true }],
    };
    const wake = { kind: 'wake' as const, crawl: 'other', resume: 1 };
    await queue().send([
      { host: A, message: token('1') },
      { host: A, message: links },
      { host: A, message: wake },
    ]);
    const got: unknown[] = [];
    while (got.length < 3) {
      const received = await until(receiveOne(queue(), LONG_MS));
      expect(received.host).toBe(A);
      expect(received.deliveries.map(({ receiveCount }) => receiveCount)).toContain(1);
      got.push(...received.deliveries.map(({ message }) => message));
      await queue().acknowledge(received, received.deliveries);
    }
    expect(got).toEqual([token('1'), links, wake]);
    expect(await hostsNow()).toEqual([]);
  });

  test('locks a group while a message of it is received; other groups flow', async () => {
    await send(A, '1', '2');
    const received = await until(receiveOne(queue(), LONG_MS));
    expect(received.leaseUntil).toBeGreaterThan(subject.engine.clock.now());
    await send(A, '3');
    await send(B, '4');
    expect(await hostsNow()).toEqual([B]);
    expect(await hostsNow()).toEqual([]);
  });

  test('unlocks a group when all that was received is acknowledged', async () => {
    await send(A, '1');
    const received = await until(receiveOne(queue(), LONG_MS));
    await send(A, '2', '3');
    await queue().acknowledge(received, received.deliveries);
    expect(await until(drain(queue(), LOOK_MS))).toEqual(new Map([[A, ['2', '3']]]));
  });

  test('keeps a group locked while only a part of what was received is acknowledged', async () => {
    await send(A, '1', '2', '3');
    const received = await until(receiveOne(queue(), LONG_MS));
    const [first, ...rest] = received.deliveries;
    await queue().acknowledge(received, [first!]);
    // An engine that hands out one message at a time has acknowledged all that it gave.
    expect(await hostsNow()).toEqual(rest.length > 0 ? [] : [A]);
    await queue().acknowledge(received, rest);
  });

  testIf(
    subject,
    'shortPark',
    'hides a parked group for the time, then gives what is left of it in order',
    async () => {
      await send(A, '1', '2', '3');
      const received = await until(receiveOne(queue(), LONG_MS));
      const { deliveries } = received;
      await queue().acknowledge(received, deliveries.slice(0, -1));
      await queue().park(received, PARK_MS);
      await send(A, '4');
      await send(B, '5');
      // Where time is real, the sends take it.
      if (subject.opened.advance) await subject.pass(PARK_MS - 1000);
      expect(await hostsNow()).toEqual([B]);
      const left = ['1', '2', '3', '4'].slice(deliveries.length - 1);
      const again = await until(receiveOne(queue(), LONG_MS));
      expect(again.host).toBe(A);
      expect(tokensOf(again.deliveries)).toEqual(left.slice(0, again.deliveries.length));
      expect(again.deliveries[0]).toMatchObject({ receiveCount: 2 });
      if (again.deliveries.length > 1) expect(again.deliveries.at(-1)?.receiveCount).toBe(1);
    },
  );

  test('gives a group parked for no time again at once, counting on', async () => {
    await send(A, '1');
    for (let count = 1; count <= 4; count++) {
      const received = await until(receiveOne(queue(), LONG_MS));
      expect(received.deliveries).toMatchObject([{ receiveCount: count }]);
      await queue().park(received, 0);
    }
  });

  testIf(subject, 'shortPark', 'neither acknowledges nor unlocks by what was parked before', async () => {
    await send(A, '1');
    const received = await until(receiveOne(queue(), LONG_MS));
    await queue().park(received, 0);
    const again = await until(receiveOne(queue(), LONG_MS));
    await queue().park(received, 0);
    expect(await hostsNow()).toEqual([]);
    await queue().acknowledge(again, again.deliveries);
    expect(await hostsNow()).toEqual([]);
  });

  testIf(
    subject,
    'shortLease',
    'hands a group out again when the lease has run out, and a late word of its holder does not unlock it',
    async () => {
      const { queue: leased } = await subject.openWith({ leaseMs: LEASE_MS });
      await leased.send(['1', '2'].map((text) => ({ host: A, message: token(text) })));
      const late = await until(receiveOne(leased, LONG_MS));
      const again = await until(receiveOne(leased, LONG_MS));
      expect(tokensOf(again.deliveries)[0]).toBe('1');
      expect(again.deliveries[0]?.receiveCount).toBe(2);
      await leased.acknowledge(late, late.deliveries.slice(0, 1));
      await leased.park(late, 0);
      expect((await until(leased.receive(10, 0))).map(({ host }) => host)).toEqual([]);
      await leased.acknowledge(again, again.deliveries);
      expect(await until(drain(leased, LOOK_MS))).toEqual(
        again.deliveries.length === 2 ? new Map() : new Map([[A, ['2']]]),
      );
    },
  );

  testIf(
    subject,
    'shortLease',
    'keeps a group locked for as long as it is held beyond its lease',
    async () => {
      const { queue: leased, clock } = await subject.openWith({ leaseMs: LEASE_MS });
      await leased.send([{ host: A, message: token('1') }]);
      const held = await until(receiveOne(leased, LONG_MS));
      const end = held.leaseUntil + HOLD_MS;
      await until(leased.hold(held, end));
      await leased.send([{ host: A, message: token('2') }]);
      while (clock.now() < held.leaseUntil + LEASE_MS) await subject.pass(LEASE_MS);
      expect(await until(leased.receive(10, 0))).toEqual([]);
      await until(leased.acknowledge(held, held.deliveries));
      expect((await until(receiveOne(leased, LONG_MS))).deliveries).toMatchObject([{ receiveCount: 1 }]);
    },
  );

  testIf(subject, 'shortLease', 'does not hold what was handed out again since', async () => {
    const { queue: leased } = await subject.openWith({ leaseMs: LEASE_MS });
    await leased.send([{ host: A, message: token('1') }]);
    const late = await until(receiveOne(leased, LONG_MS));
    const again = await until(receiveOne(leased, LONG_MS));
    await expect(until(leased.hold(late, again.leaseUntil + HOLD_MS))).rejects.toThrow(StaleTurn);
  });

  testIf(subject, 'reopen', 'keeps messages, received or not, through an abrupt end', async () => {
    await send(A, '1', '2');
    await send(B, '3', '4');
    const groups = await until(queue().receive(1, LONG_MS));
    const [done] = groups[0]!.deliveries;
    await queue().acknowledge(groups[0]!, [done!]);
    const { queue: reopened } = await subject.opened.reopen();
    const first = groups[0]!.host;
    const left = await until(drain(reopened, LOOK_MS));
    const expected = new Map([
      [A, ['1', '2']],
      [B, ['3', '4']],
    ]);
    expected.set(first, expected.get(first)!.slice(1));
    expect(left).toEqual(expected);
  });

  testIf(subject, 'reopen', 'counts receives on after an abrupt end', async () => {
    await send(A, '1');
    await until(receiveOne(queue(), LONG_MS));
    const { queue: reopened } = await subject.opened.reopen();
    expect((await until(receiveOne(reopened, LONG_MS))).deliveries).toMatchObject([{ receiveCount: 2 }]);
  });

  test('a receive that waits is woken by a send', async () => {
    const receiving = queue().receive(10, LONG_MS);
    await send(A, '1');
    expect((await until(receiving)).map(({ host }) => host)).toEqual([A]);
  });

  test('an aborted signal ends a wait, one that has begun and one that has not', async () => {
    const stopping = new AbortController();
    const receiving = queue().receive(10, 10 * LONG_MS, stopping.signal);
    stopping.abort();
    expect(await receiving).toEqual([]);
    expect(await queue().receive(10, 10 * LONG_MS, stopping.signal)).toEqual([]);
  });

  test('a receive gives no more groups than requested', async () => {
    await queue().send(Array.from({ length: 8 }, (_, i) => ({ host: `h${i}.test`, message: token('1') })));
    expect((await until(queue().receive(3, LONG_MS))).length).toBeLessThanOrEqual(3);
  });

  test('two receivers never hold one group', async () => {
    await queue().send(Array.from({ length: 100 }, (_, i) => ({ host: `h${i}.test`, message: token('1') })));
    const both = await until(Promise.all([1, 2, 3].map(() => queue().receive(30, LONG_MS))));
    const hosts = both.flat().map(({ host }) => host);
    expect(new Set(hosts).size).toBe(hosts.length);
  });

  test('sending nothing is nothing', async () => {
    await queue().send([]);
    expect(await hostsNow()).toEqual([]);
  });

  test('knows hosts of any name apart', async () => {
    await queue().send(ODD_HOSTS.map((host) => ({ host, message: token(host) })));
    expect(await until(drain(queue(), LOOK_MS))).toEqual(new Map(ODD_HOSTS.map((host) => [host, [host]])));
  });

  test('holds more groups than a receive asks for, and gives each of them', async () => {
    const hosts = Array.from({ length: 1500 }, (_, i) => `h${i}.test`);
    await queue().send(hosts.map((host) => ({ host, message: token('1') })));
    await queue().send(hosts.map((host) => ({ host, message: token('2') })));
    const all = await until(drain(queue(), LOOK_MS));
    expect(all.size).toBe(hosts.length);
    for (const tokens of all.values()) expect(tokens).toEqual(['1', '2']);
  });

  test('carries thousands of links in a message', async () => {
    const links = Array.from({ length: 2000 }, (_, i) => linkTo(`http://${A}/${String(i).padStart(5, '0')}`));
    await queue().send([{ host: A, message: { kind: 'links', crawl: CRAWL, links } }]);
    const { deliveries } = await until(receiveOne(queue(), LONG_MS));
    expect(deliveries[0]?.message).toEqual({ kind: 'links', crawl: CRAWL, links });
  });
}
