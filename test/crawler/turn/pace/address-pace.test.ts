/** The pace of a host's IP addresses within one turn: which lines it joins, which leases it claims, and what it leaves. */
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../../shared/core/crawl/config.ts';
import { AddressPace } from '../../../../shared/crawler/turn/pace/address-pace.ts';
import { createLanes } from '../../../../shared/crawler/worker/lanes.ts';
import { createFakeClock, T0 } from '../../worker/fake-clock.ts';

const [ONE, TWO] = ['192.0.2.1', '192.0.2.2'];
const REST_MS = 1000;
const answer = (ipAddress = '') => ({ status: 'response', ipAddress }) as never;

interface Situation {
  readonly addresses?: readonly string[];
  readonly config?: object;
  /** When another worker's lease of an address ends. */
  readonly foreign?: Readonly<Record<string, number>>;
  /** How long each claim takes. */
  readonly claimMs?: number;
}

function setUp({ addresses = [ONE], config = {}, foreign = {}, claimMs = 0 }: Situation = {}) {
  const clock = createFakeClock();
  const lanes = createLanes(clock, 10);
  const state = { addresses, foreign };
  const calls: string[] = [];
  const terms: object[] = [];
  const slowly = () => new Promise((resolve) => setImmediate(resolve));
  const leases = {
    enter: (crawl: string, address: string) => void calls.push(`enter ${crawl} ${address}`),
    async claim(_crawl: string, address: string, given: object) {
      await (claimMs > 0 ? clock.advance(claimMs) : slowly());
      calls.push(`claim ${address}`);
      terms.push(given);
      return state.foreign[address];
    },
    async exit(crawl: string, address: string, delayMs: number) {
      await slowly();
      calls.push(`exit ${crawl} ${address} ${delayMs}`);
    },
  };
  const parsed = parseConfig({ ipDelayMs: REST_MS, totalTimeoutMs: 5000, ...config });
  const paceOf = (host: string) =>
    new AddressPace(
      {
        engine: { clock },
        lanes,
        leases,
        fetcherOf: () => ({ addressesOf: async () => state.addresses }),
        stopping: new AbortController().signal,
      } as never,
      { id: 'c', host, config: parsed, everywhere: {} } as never,
    );
  const pace = paceOf('a.test');
  const run = (ms = 100, of = pace, outcome = answer()) =>
    of.run(
      Number.MAX_SAFE_INTEGER,
      async () => {
        await clock.sleep(ms);
        return outcome;
      },
      () => true,
    );
  return { clock, lanes, pace, paceOf, run, calls, terms, state };
}

describe('without a pace of addresses', () => {
  test('nothing is looked up, claimed or waited for', async () => {
    const { pace, run, calls, clock } = setUp({ config: { ipDelayMs: 0 } });
    expect(pace.isOn).toBe(false);
    expect(await pace.next()).toBeUndefined();
    expect(await clock.drive(run())).toEqual(answer());
    await pace.end();
    expect(calls).toEqual([]);
  });

  test.each<[string, Situation]>([
    ['whose address is not known', { addresses: [] }],
    ['at a shared address', { config: { ipDelayExcept: ['192.0.2.0/24'] } }],
  ])('as for a host %s', async (_which, situation) => {
    const { pace, run, calls, clock } = setUp(situation);
    expect(await pace.next()).toBeUndefined();
    expect(await clock.drive(run())).toEqual(answer());
    expect(calls).toEqual([]);
  });
});

describe('a host at an address', () => {
  test('is asked at once if nobody else is there, and the address rests after it', async () => {
    const { pace, run, clock, terms } = setUp();
    expect(pace.isOn).toBe(true);
    expect(await pace.next()).toBeUndefined();
    await clock.drive(run(100));
    expect(await pace.next()).toEqual({ address: ONE, ms: REST_MS });
    expect(terms[0]).toEqual({ delayMs: REST_MS, requestMs: 5000 + REST_MS, isIdle: true });
  });

  test('is not asked a part of a millisecond before its moment', async () => {
    const { pace, run, clock } = setUp();
    await clock.drive(run(100));
    await clock.advance(0.25);
    expect(await pace.next()).toEqual({ address: ONE, ms: REST_MS });
    await clock.advance(REST_MS - 0.5);
    expect(await pace.next()).toEqual({ address: ONE, ms: 1 });
    await clock.advance(0.25);
    expect(await pace.next()).toBeUndefined();
  });

  test('waits behind another host of the same address, for each other’s request and rest', async () => {
    const { paceOf, pace, clock, run } = setUp();
    const other = paceOf('b.test');
    expect(await other.next()).toBeUndefined();
    const wait = await pace.next();
    expect(wait).toMatchObject({ address: ONE });
    expect(wait?.ms).toBeGreaterThan(0);
    await clock.drive(Promise.all([run(100, other), run(100)]));
    // One after the other: 100 ms, the rest, 100 ms.
    expect(clock.elapsed()).toBeGreaterThanOrEqual(100 + REST_MS + 100);
  });

  test('has one place until it has used it, and claims the address once before', async () => {
    const { pace, calls } = setUp();
    await pace.next();
    await pace.next();
    expect(calls).toEqual(['enter c 192.0.2.1', 'claim 192.0.2.1']);
  });

  test('enters each address once a turn, and claims it again before each request', async () => {
    const { pace, run, calls, clock } = setUp();
    await pace.next();
    await clock.drive(run());
    await clock.advance(REST_MS);
    await pace.next();
    await clock.drive(run());
    expect(calls.filter((call) => call.startsWith('enter'))).toHaveLength(1);
    expect(calls.filter((call) => call.startsWith('claim')).length).toBeGreaterThanOrEqual(3);
  });

  test('of several addresses claims all, in one order for all hosts', async () => {
    const { pace, calls } = setUp({ addresses: [TWO, ONE] });
    await pace.next();
    expect(calls).toEqual(['enter c 192.0.2.1', 'claim 192.0.2.1', 'enter c 192.0.2.2', 'claim 192.0.2.2']);
  });

  test('keeps the pace of its first sixteen', async () => {
    const addresses = Array.from({ length: 20 }, (_, i) => `192.0.2.${i + 1}`);
    const { pace, calls } = setUp({ addresses });
    await pace.next();
    expect(
      calls
        .filter((call) => call.startsWith('claim'))
        .map((call) => call.slice(6))
        .sort(),
    ).toEqual(addresses.slice(0, 16).sort());
  });

  test('counts the address that answered, though the name has another one now', async () => {
    const { pace, run, calls, clock, state } = setUp();
    await pace.next();
    await clock.drive(run(100, pace, answer(ONE)));
    state.addresses = [TWO];
    await clock.advance(REST_MS);
    calls.length = 0;
    await pace.next();
    expect(calls).toEqual(['claim 192.0.2.1', 'enter c 192.0.2.2', 'claim 192.0.2.2']);
  });

  test('says so if a request in the line is in flight: the lease is not to be given to others then', async () => {
    const { pace, paceOf, run, clock, terms } = setUp();
    const asked = run(100);
    await clock.drive(new Promise((resolve) => setImmediate(resolve)));
    await paceOf('b.test').next();
    expect(terms.map((one) => (one as { isIdle: boolean }).isIdle)).toEqual([true, false]);
    await clock.drive(asked);
    expect(await pace.next()).toBeDefined();
  });
});

describe('an address that another worker has', () => {
  test('is waited for until its lease ends, and no place is taken', async () => {
    const { pace, clock, lanes, state } = setUp();
    state.foreign = { [ONE]: clock.now() + 700 };
    expect(await pace.next()).toEqual({ address: ONE, ms: 700 });
    expect(lanes.addresses.isIdle(ONE)).toBe(true);
    state.foreign = { [ONE]: clock.now() - 5 };
    expect(await pace.next()).toEqual({ address: ONE, ms: 1 });
  });

  test('is waited for from when that is known, however long the claims took', async () => {
    const { pace, clock, state } = setUp({ addresses: [ONE, TWO], claimMs: 300 });
    state.foreign = { [TWO]: clock.now() + 700 };
    expect(await pace.next()).toEqual({ address: TWO, ms: 100 });
    expect(clock.now()).toBe(T0 + 600);
  });

  test('is the first one of several, and the later ones are not claimed', async () => {
    const { pace, clock, state, calls } = setUp({ addresses: [ONE, TWO] });
    state.foreign = { [ONE]: clock.now() + 700 };
    expect(await pace.next()).toEqual({ address: ONE, ms: 700 });
    expect(calls).not.toContain(`claim ${TWO}`);
  });

  test('is not asked, also if it became another’s since the host took its place', async () => {
    const { pace, run, clock, state } = setUp();
    expect(await pace.next()).toBeUndefined();
    state.foreign = { [ONE]: clock.now() + 700 };
    expect(await clock.drive(run())).toBeUndefined();
  });
});

describe('a later request of the turn', () => {
  test('is made in the lines of the addresses that the host has then', async () => {
    const { pace, run, clock, state, calls } = setUp();
    await clock.drive(run());
    state.addresses = [TWO];
    calls.length = 0;
    await clock.drive(run());
    expect(calls).toEqual([`enter c ${TWO}`, `claim ${TWO}`]);
    // One that has no address any more is asked at its own pace.
    state.addresses = [];
    calls.length = 0;
    expect(await clock.drive(run())).toEqual(answer());
    expect(calls).toEqual([]);
    await pace.end();
  });

  test('is not made if the address has become another worker’s meanwhile, and the next one is when it is free', async () => {
    const { run, clock, state } = setUp();
    expect(await clock.drive(run())).toEqual(answer());
    state.foreign = { [ONE]: clock.now() + 5000 };
    expect(await clock.drive(run())).toBeUndefined();
    state.foreign = {};
    expect(await clock.drive(run())).toEqual(answer());
  });
});

describe('the end of a turn', () => {
  test('gives back the leases of all addresses, each once, and waits for that', async () => {
    const { pace, calls, clock, run } = setUp({ addresses: [ONE, TWO] });
    await pace.next();
    await clock.drive(run());
    calls.length = 0;
    await pace.end();
    expect(calls.sort()).toEqual([`exit c ${ONE} ${REST_MS}`, `exit c ${TWO} ${REST_MS}`]);
    await pace.end();
    expect(calls).toHaveLength(2);
  });

  test('leaves a place that was not used to others', async () => {
    const { pace, paceOf } = setUp();
    expect(await pace.next()).toBeUndefined();
    await pace.end();
    expect(await paceOf('b.test').next()).toBeUndefined();
  });

  test('keeps a place that is yet to come for the host’s next turn', async () => {
    const { pace, paceOf, clock, run } = setUp();
    const other = paceOf('b.test');
    await other.next();
    await clock.drive(run(100, other));
    const wait = await pace.next();
    expect(wait).toEqual({ address: ONE, ms: REST_MS });
    await pace.end();
    await clock.advance(300);
    // Another host comes behind it.
    const third = await paceOf('c.test').next();
    expect(third?.ms).toBeGreaterThan(REST_MS - 300);
    expect(await paceOf('a.test').next()).toEqual({ address: ONE, ms: REST_MS - 300 });
  });
});
