import { describe, expect, test } from 'vitest';
import { type CallFault, callFaultText, createCallFaults, parseCallFault } from '../../models/call-faults.ts';
import { NO_FAULTS } from '../../models/faults.ts';
import { createProcess } from '../../models/process.ts';
import { randomOf } from '../../models/random.ts';
import { createVirtualTime, T0 } from '../../models/virtual-time.ts';

const LEASE_MS = 100_000;

/**
 * Three calls of the second invocation of a worker, with that fault; `ended` says when each had its answer.
 */
async function threeCalls(fault: Omit<CallFault, 'actor' | 'invocation'>) {
  const time = createVirtualTime(randomOf(1, 'ties'));
  const process = createProcess({
    name: 'worker-1',
    time,
    random: randomOf(1, 'process'),
    faults: NO_FAULTS,
  });
  const calls = createCallFaults({
    time,
    faults: { strikes: () => true, random: () => 0 },
    planned: [{ actor: 'worker', invocation: 2, ...fault }],
    leaseMs: () => LEASE_MS,
  });
  const tookEffect: number[] = [];
  const ended: (number | string)[] = [];
  async function invocation(): Promise<void> {
    calls.begin('worker', process);
    for (let call = 1; call <= 3; call++) {
      try {
        await calls.call(process, 'PutItem', () =>
          process.io(async () => void tookEffect.push(time.now() - T0)),
        );
        ended.push(time.now() - T0);
      } catch (error) {
        ended.push((error as Error).message);
      }
    }
  }
  await invocation();
  tookEffect.length = 0;
  ended.length = 0;
  void invocation();
  await time.advance(10 * LEASE_MS);
  return { tookEffect, ended, made: Object.fromEntries(calls.made) };
}

describe('a struck call', () => {
  test('of a process that dies before it takes no effect, and nothing follows', async () => {
    expect(await threeCalls({ call: 2, moment: 'before', kind: 'dies' })).toEqual({
      tookEffect: [0],
      ended: [0],
      made: { 'worker/1': 'ccc', 'worker/2': 'cc' },
    });
  });

  test('of a process that dies after it takes effect, and nothing follows', async () => {
    expect(await threeCalls({ call: 2, moment: 'after', kind: 'dies' })).toMatchObject({
      tookEffect: [0, 0],
      ended: [0],
    });
  });

  test.each([
    { moment: 'before' as const, first: [0] },
    { moment: 'after' as const, first: [0, 0] },
  ])('of a process that freezes $moment it continues when the lease has ended', async ({ moment, first }) => {
    const { tookEffect, ended } = await threeCalls({ call: 2, moment, kind: 'freezes' });
    expect(tookEffect).toHaveLength(3);
    expect(tookEffect.filter((at) => at === 0)).toEqual(first);
    for (const at of [...tookEffect.slice(first.length), ...ended.slice(1)])
      expect(at).toBeGreaterThanOrEqual(LEASE_MS);
  });

  test.each([
    { moment: 'before' as const, effects: 2 },
    { moment: 'after' as const, effects: 3 },
  ])('that fails $moment it took effect returns an error to its caller', async ({ moment, effects }) => {
    const { tookEffect, ended } = await threeCalls({ call: 2, moment, kind: 'fails' });
    expect(tookEffect).toHaveLength(effects);
    expect(ended[1]).toMatch(/hang up/);
    expect(ended).toHaveLength(3);
  });
});

describe('its text', () => {
  const fault: CallFault = { actor: 'worker', invocation: 3, call: 17, moment: 'before', kind: 'dies' };

  test('says it, and is read', () => {
    expect(callFaultText(fault)).toBe('worker/3/17/before/dies');
    expect(parseCallFault('worker/3/17/before/dies')).toEqual(fault);
  });

  test.each([
    '',
    'worker',
    'worker/0/17/before/dies',
    'worker/3/x/before/dies',
    'worker/3/17/during/dies',
    'worker/3/17/before/dies/2',
  ])('%j is none', (text) => expect(parseCallFault(text)).toBeUndefined());
});
