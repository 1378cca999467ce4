import { expect, test } from 'vitest';
import { createAddressLines } from '../../../shared/crawler/worker/address-lines.ts';
import { createFakeClock, T0 } from './fake-clock.ts';

const LATE = T0 + 3_600_000;
const SPACING = { delayMs: 250, latestAt: LATE };
const asked = () => true;

function open(tookMs = 100) {
  const clock = createFakeClock();
  const lines = createAddressLines(clock, 1);
  const log: [name: string, startedAt: number][] = [];
  const request = (name: string) => async () => {
    log.push([name, clock.now() - T0]);
    await clock.sleep(tookMs);
    return name;
  };
  return { clock, lines, log, request };
}

test('requests to an address follow one another, each after the delay that counts from the end of the last one', async () => {
  const { clock, lines, log, request } = open();
  const runs = ['a', 'b', 'c'].map((name) => lines.run(['1.1.1.1'], SPACING, request(name), asked));
  expect(await clock.drive(Promise.all(runs))).toEqual(['a', 'b', 'c']);
  expect(log).toEqual([
    ['a', 0],
    ['b', 350],
    ['c', 700],
  ]);
});

test('hosts with several addresses wait for all of them, in any order, and never for each other', async () => {
  const { clock, lines, log, request } = open();
  const runs = [['1.1.1.1', '2.2.2.2'], ['2.2.2.2', '1.1.1.1'], ['3.3.3.3'], ['2.2.2.2']].map(
    (addresses, i) => lines.run(addresses, SPACING, request(String(i)), asked),
  );
  await clock.drive(Promise.all(runs));
  expect(log.slice(0, 2).map(([name]) => name)).toEqual(['0', '2']);
  expect(log.slice(2).map(([, at]) => at)).toEqual([350, 700]);
});

test('a request that would begin too late is not made, and one that the cache answered makes nobody wait', async () => {
  const { clock, lines, log, request } = open();
  await clock.drive(lines.run(['1.1.1.1'], SPACING, request('a'), () => false));
  const late = { delayMs: 250, latestAt: T0 + 300 };
  const runs = [
    lines.run(['1.1.1.1'], SPACING, request('b'), asked),
    lines.run(['1.1.1.1'], late, request('c'), asked),
  ];
  expect(await clock.drive(Promise.all(runs))).toEqual(['b', undefined]);
  expect(log).toEqual([
    ['a', 0],
    ['b', 100],
  ]);
});

test('places in the line are given one after the other, kept for a host, and given back', async () => {
  const { clock, lines, request } = open();
  await clock.drive(lines.run(['1.1.1.1'], SPACING, request('a'), asked));
  const elapsed = clock.elapsed ?? clock.now;
  const now = elapsed();
  const join = (host: string) => lines.join(host, ['1.1.1.1'], 250) - now;
  // A request took 100 ms, of which a fifth counts.
  expect([join('x'), join('y'), join('z')]).toEqual([250, 520, 790]);
  lines.keep('z', now + 790);
  expect(join('z')).toBe(790);
  lines.leave(['1.1.1.1'], 250);
  expect(join('v')).toBe(790);
  expect(lines.join('w', ['9.9.9.9'], 250) - now).toBe(0);
});

test('a host with several addresses is in the line of each of them', () => {
  const { clock, lines } = open();
  const now = (clock.elapsed ?? clock.now)();
  const join = (host: string, ...addresses: string[]) => lines.join(host, addresses, 250) - now;
  expect(join('x', '1.1.1.1', '2.2.2.2')).toBe(0);
  expect(join('y', '2.2.2.2')).toBe(250);
  expect(join('z', '1.1.1.1')).toBe(250);
});

test('addresses that have rested for long are forgotten, with how long their requests took', async () => {
  const { clock, lines, request } = open();
  // The place of the second host is later by the time that a request takes, if that is known.
  const second = (address: string) => {
    const first = lines.join(`a.${address}`, [address], 250);
    return lines.join(`b.${address}`, [address], 250) - first;
  };
  const fail = () => Promise.reject(new Error('broken'));
  for (const last of [request('c'), fail]) {
    await clock.drive(lines.run(['1.1.1.1'], SPACING, request('a'), asked));
    await clock.advance(200_000);
    await clock.drive(lines.run(['2.2.2.2'], SPACING, request('b'), asked));
    await clock.advance(200_000);
    await clock.drive(lines.run(['3.3.3.3'], SPACING, last, asked).catch(() => {}));
    expect([second('1.1.1.1'), second('2.2.2.2')]).toEqual([250, 270]);
    await clock.advance(1_000_000);
  }
});
