import { describe, expect, test } from 'vitest';
import { TROUBLES } from '../../functions/attention.ts';
import { errorFields } from '../../functions/log.ts';
import {
  createFunctionStack,
  functionStack,
  functionStackIn,
  invoked,
  payOnceFrom,
} from '../../functions/stack.ts';
import { createMeter } from '../../shared/engines/aws/cost/meter.ts';
import { createSteadyClock } from '../../shared/engines/steady-clock.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { SETTINGS } from './fake-stack.ts';

test('handlers can be imported without settings; each function has one', async () => {
  for (const name of ['worker', 'router', 'waker', 'api', 'compactor'])
    expect(await import(`../../functions/${name}.ts`)).toMatchObject({ handler: expect.any(Function) });
});

test('settings are read at the first invocation, and have to be there', () => {
  expect(() => functionStackIn({})).toThrow(
    'Expected the settings of a stack in STRAND_SETTINGS, got nothing',
  );
  process.env.STRAND_SETTINGS = JSON.stringify(SETTINGS);
  try {
    expect(functionStack().settings).toEqual(SETTINGS);
    expect(functionStack()).toBe(functionStack());
    // Expressions of a crawl are matched in linear time, and the flag by which they are judged is known.
    expect(/^(a+)+$/.test(`${'a'.repeat(60)}b`)).toBe(false);
    const linear = 'l';
    expect(new RegExp('a', linear).flags).toBe(linear);
    const { open } = functionStack();
    const [first, second] = SETTINGS.turnQueueUrls;
    const stack = open(first);
    expect(open(first)).toBe(stack);
    expect(open(second)).not.toBe(stack);
  } finally {
    delete process.env.STRAND_SETTINGS;
  }
});

describe('a function’s stack', () => {
  test.each([
    ['as much memory as Lambda gives it', '512', 512],
    ['otherwise that of the workers', undefined, SETTINGS.workerMemoryMb],
  ])('is metered with %s', async (_what, given, memoryMb) => {
    const clock = createFakeClock();
    const { open } = createFunctionStack({
      settings: SETTINGS,
      clock,
      log: () => {},
      write: () => {},
      ...(given !== undefined && { memoryMb: Number(given) }),
    });
    const { meter } = open();
    meter.beginInvocation(clock.now());
    await clock.advance(1000);
    meter.endInvocation();
    expect(meter.takeTotal()).toMatchObject({ lambdaMbMs: 1000 * memoryMb });
  });

  test('is metered with the memory that its environment names', async () => {
    const { open } = functionStackIn({
      STRAND_SETTINGS: JSON.stringify(SETTINGS),
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
    });
    const { meter } = open();
    const before = Date.now();
    meter.beginInvocation(0);
    meter.endInvocation();
    const { lambdaMbMs = 0 } = meter.takeTotal();
    expect(lambdaMbMs / 512).toBeGreaterThanOrEqual(before);
    expect(lambdaMbMs / 512).toBeLessThanOrEqual(Date.now());
  });

  test('announces by the one that is open, and opens one if none is', async () => {
    const closed: string[] = [];
    const sent: string[] = [];
    const clientNamed = (name: string) => ({
      middlewareStack: { add() {} },
      destroy: () => void closed.push(name),
      send: async (command: object) => {
        sent.push(command.constructor.name);
        return {};
      },
    });
    const clients = { dynamo: clientNamed('dynamo'), s3: clientNamed('s3'), sqs: clientNamed('sqs') };
    const lines: string[] = [];
    const logged: object[] = [];
    const functions = createFunctionStack({
      settings: SETTINGS,
      clock: createFakeClock(),
      log: (level, fields) => void logged.push({ level, ...fields }),
      write: (line) => void lines.push(line),
      clients: clients as never,
    });
    expect(await functions.announce('Spend', { dollars: 3 })).toBe(true);
    expect(logged).toEqual([{ level: 'warn', trouble: 'Spend', message: TROUBLES.Spend, dollars: 3 }]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { stack: 'Test', Attention: 1 },
      { stack: 'Test', trouble: 'Spend', Attention: 1 },
    ]);
    expect([closed, sent]).toEqual([[], ['UpdateItemCommand']]);
    const [first, second] = SETTINGS.turnQueueUrls;
    // That which was opened for the announcement is for no turn queue in particular.
    const opened = functions.open();
    expect(functions.open()).toBe(opened);
    const ofFirst = functions.open(first);
    expect(ofFirst).not.toBe(opened);
    expect(closed.toSorted()).toEqual(['dynamo', 's3', 'sqs']);
    expect(functions.open(first)).toBe(ofFirst);
    expect(closed).toHaveLength(3);
    functions.open(second);
    expect(closed).toHaveLength(6);
  });
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
      const before = performance.now();
      const elapsed = clock.elapsed?.() ?? -1;
      expect(elapsed).toBeGreaterThanOrEqual(before);
      expect(elapsed).toBeLessThanOrEqual(performance.now());
    } finally {
      delete process.env.STRAND_SETTINGS;
    }
  });

  test.each([
    ['was started just before', 100_000, 97_000, 97_000],
    ['was started long before: Lambda ends a start after 10 s', 100_000, 3000, 90_000],
    ['was started later, by its clock', 100_000, 200_000, 100_000],
  ])(
    'of a process that %s is paid for from then on, and the next one from its own beginning',
    (_which, now, startedAt, from) => {
      const paidFrom = payOnceFrom(startedAt);
      expect([paidFrom(now), paidFrom(now + 500), paidFrom(now + 900)]).toEqual([from, now + 500, now + 900]);
    },
  );

  test('pays for no start of its process that another one has paid for', async () => {
    const clock = { now: () => performance.timeOrigin + 5000 };
    const begun: number[] = [];
    const meter = {
      ...createMeter({ clock, memoryMb: 100 }),
      beginInvocation: (at: number) => void begun.push(at),
    };
    for (let count = 0; count < 2; count++)
      await invoked({ meter, flushMeter: async () => {} }, { clock, log: () => {} }, async () => {});
    expect(begun[1]).toBe(clock.now());
  });

  test('fails if what it used cannot be stored', async () => {
    const clock = createFakeClock();
    const meter = createMeter({ clock, memoryMb: 100 });
    const flushMeter = () => Promise.reject(new Error('no table'));
    await expect(invoked({ meter, flushMeter }, { clock, log: () => {} }, async () => 1)).rejects.toThrow(
      'no table',
    );
  });

  test.each([
    ['is logged', { dynamo: 1 }, undefined, 1],
    ['of one that found nothing to do is not', { dynamo: 1 }, () => true, 0],
    ['of one that had something to do is', { dynamo: 1 }, () => false, 1],
    ['that were none are not', {}, undefined, 0],
  ])(
    'has counted its calls, which %s, after the meter has stored what it has',
    async (_what, calls, isAtRest, lines) => {
      const clock = createFakeClock();
      const steps: unknown[] = [];
      const meter = {
        ...createMeter({ clock, memoryMb: 100 }),
        endInvocation: () => void steps.push('end'),
        takeCalls: () => calls as Record<string, number>,
      };
      const flushMeter = async () => {
        await new Promise((resolve) => setImmediate(resolve));
        steps.push('flush');
      };
      const log = (level: string, fields: object) => void steps.push([level, fields]);
      const done = await invoked(
        { meter, flushMeter },
        { clock, log, ...(isAtRest && { isAtRest }) },
        async () => {
          steps.push('work');
          return 'done';
        },
      );
      expect(done).toBe('done');
      expect(steps).toEqual(['work', 'end', 'flush', ...(lines > 0 ? [['info', { calls }]] : [])]);
    },
  );

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
