import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMeter, type Meter } from '../../../../shared/engines/aws/cost/meter.ts';
import { LINE_ITEMS, type LineItem, type Usage } from '../../../../shared/engines/aws/cost/prices.ts';

/** A clock that the tests set, and a meter of a function with 512 MB. */
function setUp(memoryMb = 512) {
  const clock = { at: 1000, now: () => clock.at };
  return { clock, meter: createMeter({ clock, memoryMb }) };
}

const take = (meter: Meter): Record<string, Usage> => Object.fromEntries(meter.take());

function sumOf(usages: Iterable<Usage>): Usage {
  const sum: Partial<Record<LineItem, number>> = {};
  for (const usage of usages)
    for (const item of LINE_ITEMS) if (usage[item]) sum[item] = (sum[item] ?? 0) + usage[item];
  return sum;
}

describe('whose usage it is', () => {
  test('what runs for a crawl is that crawl’s, also after it waited, and beside others', async () => {
    const { meter } = setUp();
    const workFor = (crawl: string, units: number) =>
      meter.run(crawl, async () => {
        meter.add('s3Puts', units);
        await new Promise(setImmediate);
        meter.add('s3Gets', units);
      });
    await Promise.all([workFor('a', 1), workFor('b', 10), meter.run('c', () => workFor('a', 100))]);
    expect(take(meter)).toEqual({ a: { s3Puts: 101, s3Gets: 101 }, b: { s3Puts: 10, s3Gets: 10 } });
    expect(take(meter)).toEqual({});
  });

  test('what is nobody’s is shared out by how often each crawl used something', () => {
    const { meter } = setUp();
    for (let i = 0; i < 3; i++) meter.add('dynamoReadUnits', 0.5, 'a');
    meter.add('dynamoReadUnits', 100, 'b');
    meter.add('sqsFifoRequests', 8);
    meter.add('s3Puts', 1);
    expect(take(meter)).toEqual({
      a: { dynamoReadUnits: 1.5, sqsFifoRequests: 6 },
      b: { dynamoReadUnits: 100, sqsFifoRequests: 2, s3Puts: 1 },
    });
  });

  test('what is nobody’s goes to those of earlier in the invocation, else it waits for the first crawl', () => {
    const { meter } = setUp();
    meter.beginInvocation();
    meter.add('sqsFifoRequests', 1);
    expect(take(meter)).toEqual({});
    meter.add('s3Gets', 1, 'a');
    expect(take(meter)).toEqual({ a: { lambdaRequests: 1, sqsFifoRequests: 1, s3Gets: 1 } });
    meter.add('sqsFifoRequests', 1);
    expect(take(meter)).toEqual({ a: { sqsFifoRequests: 1 } });
    meter.endInvocation();
    meter.beginInvocation();
    expect(take(meter)).toEqual({});
    meter.add('s3Gets', 1, 'b');
    expect(take(meter)).toEqual({ b: { lambdaRequests: 1, s3Gets: 1 } });
  });
});

describe('time', () => {
  test('is paid for from the beginning of an invocation to its end, and not between two', () => {
    const { clock, meter } = setUp();
    meter.add('s3Gets', 1, 'a');
    clock.at = 5000;
    meter.beginInvocation(4700);
    clock.at = 5500;
    expect(take(meter)).toEqual({ a: { s3Gets: 1, lambdaRequests: 1, lambdaMbMs: 800 * 512 } });
    clock.at = 6000;
    meter.endInvocation();
    clock.at = 90_000;
    meter.add('s3Gets', 1, 'a');
    expect(take(meter)).toEqual({ a: { s3Gets: 1, lambdaMbMs: 500 * 512 } });
    meter.beginInvocation();
    meter.endInvocation();
    meter.add('s3Gets', 1, 'a');
    expect(take(meter)).toEqual({ a: { s3Gets: 1, lambdaRequests: 1 } });
  });

  test('that an earlier invocation has paid for is not paid for again', () => {
    const { clock, meter } = setUp();
    meter.beginInvocation(0);
    meter.endInvocation();
    clock.at = 3000;
    meter.beginInvocation(0);
    meter.add('s3Gets', 1, 'a');
    expect(take(meter)).toEqual({ a: { s3Gets: 1, lambdaRequests: 2, lambdaMbMs: 3000 * 512 } });
  });

  test('of an invocation that nobody ended is paid for as far as it was taken', () => {
    const { clock, meter } = setUp();
    meter.beginInvocation();
    clock.at += 100;
    meter.add('s3Gets', 1, 'a');
    meter.take();
    clock.at += 60_000;
    meter.beginInvocation();
    meter.add('s3Gets', 1, 'a');
    expect(take(meter)).toEqual({ a: { s3Gets: 1, lambdaRequests: 1 } });
  });

  test('is paid for by milliseconds that have begun, each of them once', () => {
    const { clock, meter } = setUp();
    meter.beginInvocation();
    const paid: unknown[] = [];
    for (const at of [1000.4, 1000.9, 1001.2]) {
      clock.at = at;
      meter.add('s3Gets', 1, 'a');
      paid.push(take(meter).a?.lambdaMbMs);
    }
    expect(paid).toEqual([512, undefined, 512]);
  });

  test('costs nothing where there is no function', () => {
    const { clock, meter } = setUp(0);
    meter.beginInvocation();
    clock.at += 1000;
    meter.add('s3Gets', 1, 'a');
    expect(take(meter)).toEqual({ a: { s3Gets: 1, lambdaRequests: 1 } });
  });
});

describe('all that was used is somebody’s, once', () => {
  const crawls = fc.constantFrom('a', 'b', 'c');
  const units = fc.nat({ max: 1e9 }).map((halves) => halves / 2);
  const item = fc.constantFrom(...LINE_ITEMS);
  const step = fc.oneof(
    fc.record({ kind: fc.constant('use' as const), crawl: fc.option(crawls), item, units }),
    fc.record({ kind: fc.constantFrom('take' as const, 'total' as const, 'begin' as const, 'end' as const) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 900_000 }) }),
  );

  test('whatever is used, passes and is taken in whatever order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, meter } = setUp(128);
        const used: Usage[] = [];
        const taken: Usage[] = [];
        const totals: Usage[] = [];
        let isInvoked = false;
        for (const step of steps) {
          if (step.kind === 'use') {
            meter.add(step.item, step.units, step.crawl ?? undefined);
            used.push({ [step.item]: step.units });
          } else if (step.kind === 'pass') {
            clock.at += step.ms;
            if (isInvoked) used.push({ lambdaMbMs: step.ms * 128 });
          } else if (step.kind === 'take') taken.push(...meter.take().values());
          else if (step.kind === 'total') totals.push(meter.takeTotal());
          else if (step.kind === 'end') {
            meter.endInvocation();
            isInvoked = false;
          } else {
            meter.endInvocation();
            meter.beginInvocation();
            isInvoked = true;
            used.push({ lambdaRequests: 1 });
          }
        }
        meter.add('s3Gets', 1, 'last');
        taken.push(...meter.take().values());
        totals.push(meter.takeTotal());
        expect(sumOf(taken)).toEqual(sumOf([...used, { s3Gets: 1 }]));
        expect(sumOf(totals)).toEqual(sumOf(taken));
        expect(meter.takeTotal()).toEqual({});
        for (const usage of taken) for (const item of LINE_ITEMS) expect(usage[item] ?? 1).toBeGreaterThan(0);
      }),
    );
  });

  test('however the work of crawls is interleaved, each pays for its own', async () => {
    const work = fc.record({ crawl: crawls, uses: fc.array(fc.record({ item, units }), { maxLength: 5 }) });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(work, { maxLength: 6 }), async (scheduler, works) => {
        const { meter } = setUp();
        const taken: [string, Usage][] = [];
        const running = works.map(({ crawl, uses }) =>
          meter.run(crawl, async () => {
            for (const { item, units } of uses) {
              await scheduler.schedule(Promise.resolve());
              meter.add(item, units);
            }
          }),
        );
        const taking = scheduler.schedule(Promise.resolve()).then(() => taken.push(...meter.take()));
        await scheduler.waitAll();
        await Promise.all([...running, taking]);
        taken.push(...meter.take());
        for (const crawl of ['a', 'b', 'c'])
          expect(sumOf(taken.filter(([of]) => of === crawl).map(([, usage]) => usage))).toEqual(
            sumOf(
              works
                .filter((work) => work.crawl === crawl)
                .flatMap(({ uses }) => uses.map(({ item, units }) => ({ [item]: units }))),
            ),
          );
      }),
    );
  });
});
