import { describe, expect, test } from 'vitest';
import { errorFields } from '../../functions/log.ts';
import { functionStack, invoked } from '../../functions/stack.ts';
import { createMeter } from '../../shared/engines/aws/cost/meter.ts';
import { createSteadyClock } from '../../shared/engines/steady-clock.ts';
import { createFakeClock } from '../worker/fake-clock.ts';
import { SETTINGS } from './fake-stack.ts';

test('handlers can be imported without settings; each function has one', async () => {
  for (const name of ['worker', 'router', 'waker', 'api', 'compactor'])
    expect(await import(`../../functions/${name}.ts`)).toMatchObject({ handler: expect.any(Function) });
});

test('settings are read at the first invocation, and again if they were not valid', () => {
  delete process.env.STRAND_SETTINGS;
  expect(() => functionStack()).toThrow('Expected the settings of a stack in STRAND_SETTINGS, got nothing');
  process.env.STRAND_SETTINGS = JSON.stringify(SETTINGS);
  try {
    expect(functionStack().settings).toEqual(SETTINGS);
    expect(functionStack()).toBe(functionStack());
    const { open } = functionStack();
    const [first, second] = SETTINGS.turnQueueUrls;
    const stack = open(first);
    expect(open(first)).toBe(stack);
    expect(open(second)).not.toBe(stack);
  } finally {
    delete process.env.STRAND_SETTINGS;
  }
});

describe('an invocation', () => {
  test('begins with the time of the machine, also if that was set back since the last one', async () => {
    let wall = 1_000_000;
    const clock = createSteadyClock(
      () => wall,
      () => 0,
    );
    wall -= 600_000;
    expect(clock.now()).toBe(1_000_000);
    const meter = createMeter({ clock, memoryMb: 100 });
    const now = await invoked({ meter, flushMeter: async () => {} }, { clock, log: () => {} }, async () =>
      clock.now(),
    );
    expect(now).toBe(400_000);
  });

  test('has a clock that measures durations by passing time, whatever the machine’s clock is set to', () => {
    process.env.STRAND_SETTINGS = JSON.stringify(SETTINGS);
    try {
      const { clock } = functionStack();
      expect(clock.elapsed?.()).toBeCloseTo(performance.now(), -3);
    } finally {
      delete process.env.STRAND_SETTINGS;
    }
  });

  test('that fails is paid for anyway, and what it used is stored', async () => {
    const clock = createFakeClock();
    const meter = createMeter({ clock, memoryMb: 100 });
    const stored: unknown[] = [];
    const flushMeter = async () => void stored.push(...meter.take());
    const work = async () => {
      meter.add('s3Puts', 1, 'news');
      await clock.advance(2000);
      throw new Error('it fails');
    };
    await expect(invoked({ meter, flushMeter }, { clock, log: () => {} }, work)).rejects.toThrow('it fails');
    expect(stored).toEqual([['news', { s3Puts: 1, lambdaRequests: 1, lambdaMbMs: 200_000 }]]);
  });
});

test.each([
  [new TypeError('no', { cause: new Error('deep') }), { message: 'TypeError: no', cause: 'Error: deep' }],
  [new Error('no', { cause: 5 }), { message: 'Error: no', cause: '5' }],
  ['text', { message: 'text' }],
])('an error is logged with name, message and cause: %s', (error, fields) => {
  expect(errorFields(error)).toEqual(fields);
});
