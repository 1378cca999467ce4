import { describe, expect, test } from 'vitest';
import { createBudget, type Limits } from '../../../shared/crawler/crawl-state/budget.ts';
import type { Used } from '../../../shared/crawler/crawl-state/tally.ts';

const USED: Used = { pages: 0, bytes: 0, activeMs: 0 };

function open(limits: Partial<Limits>, { used = USED, isShared = false } = {}) {
  const clock = { now: 1_000_000 };
  const budget = createBudget(limits as Limits, used, () => clock.now, { isShared });
  return { clock, budget, limits: limits as Limits };
}

describe('a limit of pages', () => {
  test('lets as many be reserved, made pages, and no more', async () => {
    const { budget } = open({ maxPages: 2 });
    expect([await budget.reserve(), await budget.reserve()]).toEqual([true, true]);
    budget.settle(true);
    expect(budget.metLimit()).toBeUndefined();
    budget.settle(true);
    expect(budget.metLimit()).toEqual({ status: 'limited', reason: { code: 'maxPages', text: '2 pages' } });
    expect(await budget.reserve()).toBe(false);
  });

  test('lets one wait for the last page until it is given back, or made', async () => {
    const { budget } = open({ maxPages: 1 });
    await budget.reserve();
    const [second, third] = [budget.reserve(), budget.reserve()];
    budget.settle(false);
    expect(await second).toBe(true);
    budget.settle(true);
    expect(await third).toBe(false);
  });

  test('counts what other processes have made', async () => {
    const { budget, limits } = open({ maxPages: 5 }, { used: { ...USED, pages: 4 } });
    expect(budget.metLimit()).toBeUndefined();
    await budget.refresh(limits, async () => ({ ...USED, pages: 5 }));
    expect(budget.metLimit()?.reason.text).toBe('5 pages');
  });

  test('is met again by less when a turn is thrown away', async () => {
    const { budget } = open({ maxPages: 1 });
    await budget.reserve();
    budget.settle(true);
    const next = budget.reserve();
    expect(await next).toBe(false);
    budget.giveBack(1, 0);
    expect(await budget.reserve()).toBe(true);
  });

  test('is finally reached by committed pages only', async () => {
    const { budget } = open({ maxPages: 1 });
    await budget.reserve();
    budget.settle(true);
    expect(budget.metFinally()).toBeUndefined();
    budget.commit(1, 10, budget.reads());
    expect(budget.metFinally()?.reason.text).toBe('1 pages');
  });
});

test('what was committed before a reading is not counted twice, and what was committed during it may be', async () => {
  const { budget, limits } = open({ maxPages: 4 });
  for (let i = 0; i < 2; i++) {
    await budget.reserve();
    budget.settle(true);
  }
  budget.commit(1, 0, budget.reads());
  await budget.refresh(limits, async () => {
    budget.commit(1, 0, budget.reads());
    return { ...USED, pages: 1 };
  });
  // One that the reading has, one that it may have: three and the fourth may still come.
  expect([await budget.reserve(), await budget.reserve()]).toEqual([true, true]);
  budget.settle(true);
  expect(budget.metFinally()).toBeUndefined();
  budget.settle(true);
  expect(budget.metLimit()?.reason.text).toBe('4 pages');
});

test('a limit of bytes is met by what was received, and not by what was given back', () => {
  const { budget } = open({ maxBytes: 100 });
  budget.receive(99);
  expect(budget.metLimit()).toBeUndefined();
  budget.receive(1);
  expect(budget.metLimit()).toEqual({ status: 'limited', reason: { code: 'maxBytes', text: '100 bytes' } });
  expect(budget.metFinally()).toBeUndefined();
  budget.giveBack(0, 1);
  expect(budget.metLimit()).toBeUndefined();
  budget.receive(1);
  budget.commit(0, 100, budget.reads());
  expect(budget.metFinally()?.reason.text).toBe('100 bytes');
});

test('a limit of time counts the time of all processes, and then this one’s', async () => {
  const { clock, budget, limits } = open(
    { maxTimeMs: 10_000 },
    { used: { ...USED, activeMs: 4000 }, isShared: true },
  );
  clock.now += 5999;
  expect(budget.metLimit()).toBeUndefined();
  clock.now += 1;
  expect(budget.metLimit()).toEqual({ status: 'limited', reason: { code: 'maxTime', text: '10 seconds' } });
  // The crawl was paused meanwhile.
  await budget.refresh(limits, async () => ({ ...USED, activeMs: 9000 }));
  expect(budget.metLimit()).toBeUndefined();
  expect(budget.ageMs()).toBe(9000);
  clock.now += 1000;
  expect(budget.metLimit()?.reason.text).toBe('10 seconds');
});

test('a limit of time is not met by the minutes in which the process stood still: the crawl may have been paused', async () => {
  const { clock, budget, limits } = open({ maxTimeMs: 60_000 }, { isShared: true });
  clock.now += 600_000;
  expect(budget.metFinally()).toBeUndefined();
  await budget.refresh(limits, async () => ({ ...USED, activeMs: 50_000 }));
  clock.now += 10_000;
  expect(budget.metFinally()?.reason.code).toBe('maxTime');
});

test('the age of a crawl that no other process works for is this process’s', () => {
  const { clock, budget } = open({}, { used: { ...USED, activeMs: 4000 } });
  clock.now += 700;
  expect(budget.ageMs()).toBe(700);
});

describe('a limit of money', () => {
  /** A crawl on a stack, with what it has cost by several seconds. */
  async function spend(...readings: readonly (readonly [afterS: number, cost: number])[]) {
    const { clock, budget, limits } = open({ maxCost: 1 }, { used: { ...USED, cost: 0 }, isShared: true });
    const beganAt = clock.now;
    for (const [afterS, cost] of readings) {
      clock.now = beganAt + afterS * 1000;
      await budget.refresh(limits, async () => ({ ...USED, cost }));
    }
    return { clock, budget };
  }

  test('pauses the crawl half a minute before it is met, at the rate of the last minute', async () => {
    const minute = [60, 0.6] as const;
    // 0.01 dollars a second.
    expect((await spend(minute, [65, 0.65])).budget.metLimit()).toBeUndefined();
    expect((await spend(minute, [65, 0.65], [69, 0.69])).budget.metLimit()).toBeUndefined();
    expect((await spend(minute, [65, 0.65], [71, 0.71])).budget.metLimit()).toMatchObject({
      status: 'paused',
      reason: { code: 'maxCost', text: expect.stringContaining('1 US dollars') },
    });
  });

  test('reckons with what the crawl has cost since the last reading', async () => {
    const { clock, budget } = await spend([60, 0.6], [65, 0.65]);
    clock.now += 6000;
    expect(budget.metFinally()?.status).toBe('paused');
  });

  test('is not met by the minutes in which the process stood still: what they cost is not known', async () => {
    const { clock, budget } = await spend([60, 0.3]);
    clock.now += 600_000;
    expect(budget.metFinally()).toBeUndefined();
  });

  test('is not met by counters that grew by much in one moment', async () => {
    const { budget } = await spend([60, 0.1], [65, 0.15], [65.2, 0.25]);
    expect(budget.metFinally()).toBeUndefined();
  });

  test('is met at once where it has been spent', () => {
    const { budget } = open({ maxCost: 1 }, { used: { ...USED, cost: 1 } });
    expect(budget.metLimit()?.status).toBe('paused');
  });
});

test('limits are those of the last reading', async () => {
  const { budget } = open({ maxPages: 5 }, { used: { ...USED, pages: 4 } });
  await budget.refresh({ maxPages: 4 } as Limits, async () => ({ ...USED, pages: 4 }));
  expect(budget.metLimit()?.reason.text).toBe('4 pages');
  await budget.refresh({} as Limits, async () => ({ ...USED, pages: 4 }));
  expect(budget.metLimit()).toBeUndefined();
});

test('a waiting caller learns of a limit that was raised', async () => {
  const { budget } = open({ maxPages: 1 });
  await budget.reserve();
  const waiting = budget.reserve();
  await budget.refresh({ maxPages: 2 } as Limits, async () => USED);
  expect(await waiting).toBe(true);
});

test('a turn may make a twentieth of what is left where others work for the crawl, at least one page', () => {
  const at = (pages: number, isShared = true) =>
    open({ maxPages: 100 }, { used: { ...USED, pages }, isShared }).budget.turnPages();
  expect([at(0), at(1), at(80), at(81), at(99), at(100)]).toEqual([5, 5, 1, 1, 1, 1]);
  expect(at(0, false)).toBe(Number.POSITIVE_INFINITY);
  expect(open({}, { isShared: true }).budget.turnPages()).toBe(Number.POSITIVE_INFINITY);
});
