/** A host's share of its domain's budget: what it asks for, takes, keeps and gives back. */
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import { parseConfig } from '../../../../shared/core/crawl/config.ts';
import { periodAt, periodEnd } from '../../../../shared/core/frontier/domain-state.ts';
import type { DomainShareState } from '../../../../shared/core/frontier/head.ts';
import { StaleTurn } from '../../../../shared/crawler/ports/stale-turn.ts';
import { DomainShare } from '../../../../shared/crawler/turn/links/domain-share.ts';
import { createFakeClock } from '../../worker/fake-clock.ts';

const DAY = 86_400_000;
const HOST = 'www.a.test';

interface Situation {
  readonly config?: Partial<CrawlOptions>;
  readonly share?: DomainShareState | ((period: number) => DomainShareState);
  readonly waiting?: number;
  /** Pages of the domain that were granted in this period. */
  readonly granted?: number;
}

function setUp({ config = { domainBudget: 100 }, share, waiting = 50, granted = 0 }: Situation = {}) {
  const clock = createFakeClock();
  const parsed = parseConfig({ scope: 'any', domainBudgetEveryMs: DAY, ...config });
  const period = () => periodAt('a.test', clock.now(), DAY);
  let state = { hosts: '', granted: { [period()]: granted } as Record<string, number> };
  const asked: { crawl: string; domain: string; tries: number | undefined }[] = [];
  const counted: Record<string, unknown> = {};
  const ledger = { counts: { waiting }, waitingRequisites: 3 };
  let hold: Promise<void> | undefined;
  let fails: Error | undefined;
  const domains = {
    async change(
      crawl: string,
      domain: string,
      change: (before: typeof state) => { state?: typeof state; result: unknown },
      tries?: number,
    ) {
      asked.push({ crawl, domain, tries });
      await new Promise((resolve) => setImmediate(resolve));
      await hold;
      if (fails) throw fails;
      const changed = change(state);
      state = changed.state ?? state;
      return changed.result;
    },
  };
  const totals: { overBudget?: object } = {};
  const counters = {
    totals,
    set(name: string, value: object) {
      counted[name] = value;
    },
  };
  const pages = new DomainShare(
    { engine: { clock }, domains, medians: { of: async () => 1 } } as never,
    {
      crawl: { id: 'c', host: HOST, config: parsed },
      ledger,
      counters,
      share: typeof share === 'function' ? share(period()) : share,
    } as never,
  );
  return {
    pages,
    clock,
    asked,
    counted,
    ledger,
    totals,
    period,
    granted: () => state.granted[period()] ?? 0,
    hosts: () => state.hosts,
    holdUntil(promise: Promise<void>) {
      hold = promise;
    },
    fail(error: Error | undefined) {
      fails = error;
    },
    async take(count: number): Promise<number> {
      let taken = 0;
      while (taken < count && (await pages.reserve())) taken++;
      return taken;
    },
  };
}

describe('a crawl without budgets', () => {
  test('asks nobody, and keeps nothing', async () => {
    const { pages, asked, take } = setUp({ config: { scope: 'host' } });
    expect([pages.isOn, pages.tryReserve(), await take(5)]).toEqual([false, true, 5]);
    await pages.prepare();
    pages.cancel();
    await pages.giveBack();
    expect([asked, pages.state(), pages.outUntil]).toEqual([[], undefined, undefined]);
  });
});

describe('the pages of a host', () => {
  test('are granted some at a time, by its domain, which opens it', async () => {
    const { pages, asked, granted, hosts, period } = setUp();
    expect([pages.isOn, pages.tryReserve()]).toEqual([true, false]);
    expect(await pages.reserve()).toBe(true);
    // A twentieth of the budget.
    expect([granted(), hosts().length]).toEqual([5, 4]);
    expect(asked).toEqual([{ crawl: 'c', domain: 'a.test', tries: undefined }]);
    expect(pages.state()).toEqual({ period: period(), left: 4 });
    for (let i = 0; i < 4; i++) expect(pages.tryReserve()).toBe(true);
    expect(pages.tryReserve()).toBe(false);
    expect(pages.isOut).toBe(false);
    expect(await pages.reserve()).toBe(true);
    expect([granted(), asked.length]).toEqual([10, 2]);
  });

  test('are as many as wait, and one where none does', async () => {
    for (const [waiting, pages] of [
      [3, 3],
      [0, 1],
    ]) {
      const one = setUp({ waiting: waiting as number });
      await one.pages.prepare();
      expect(one.granted()).toBe(pages);
    }
  });

  test('are those of its head in the same period, and none of an earlier one', async () => {
    const same = setUp({ share: (period) => ({ period, left: 2 }) });
    expect([await same.take(2), same.asked]).toEqual([2, []]);
    const earlier = setUp({ share: (period) => ({ period: period - 1, left: 2, isOut: true }) });
    expect([earlier.pages.tryReserve(), earlier.pages.isOut]).toEqual([false, false]);
  });

  test('are asked for once by lanes that need them at once, and again later', async () => {
    const { pages, asked } = setUp();
    await Promise.all([pages.prepare(), pages.prepare(), pages.prepare()]);
    expect(asked).toHaveLength(1);
    await pages.prepare();
    expect(asked).toHaveLength(1);
    for (let i = 0; i < 5; i++) pages.tryReserve();
    await pages.prepare();
    expect(asked).toHaveLength(2);
  });

  test('can be asked for again after the domain could not be read', async () => {
    const { pages, fail } = setUp();
    fail(new Error('no table'));
    await expect(pages.reserve()).rejects.toThrow('no table');
    fail(undefined);
    expect(await pages.reserve()).toBe(true);
  });

  test('that were not requested come back, but no more than were taken', async () => {
    const { pages, take, period } = setUp();
    await take(2);
    pages.cancel();
    expect(pages.state()).toEqual({ period: period(), left: 4 });
    pages.cancel();
    pages.cancel();
    expect(pages.state()).toEqual({ period: period(), left: 5 });
  });
});

describe('a budget that is used up', () => {
  test('is out until the next period, and then there is another one', async () => {
    const { pages, take, clock, period, asked } = setUp({ granted: 93 });
    expect(await take(50)).toBe(7);
    const until = periodEnd('a.test', period(), DAY);
    expect([pages.isOut, pages.outUntil]).toEqual([true, until]);
    expect(pages.state()).toEqual({ period: period(), left: 0, isOut: true });
    const questions = asked.length;
    expect([await pages.reserve(), asked.length]).toEqual([false, questions]);
    await clock.advance(until - clock.now() - 1);
    expect(pages.isOut).toBe(true);
    await clock.advance(1);
    expect([pages.isOut, pages.outUntil, await pages.reserve()]).toEqual([false, undefined, true]);
    // Pages of the period before are not given back to this one.
    pages.cancel();
    pages.cancel();
    expect(pages.state()?.left).toBe(5);
  });

  test('is out as the head says, unless it grows by links or the operator may have raised it', async () => {
    const share = (period: number) => ({ period, left: 0, isOut: true as const });
    const fixed = setUp({ share });
    expect([fixed.pages.isOut, await fixed.pages.reserve(), fixed.asked]).toEqual([true, false, []]);
    fixed.pages.forget();
    expect(await fixed.pages.reserve()).toBe(true);
    const growing = setUp({ share, config: { domainBudget: 'links:100' } });
    expect([growing.pages.isOut, await growing.pages.reserve()]).toEqual([false, true]);
  });

  test('is not that of a period that begins while it is asked for', async () => {
    const { pages, clock, period, holdUntil, asked } = setUp({ granted: 100 });
    const released = Promise.withResolvers<void>();
    holdUntil(released.promise);
    const reserved = pages.reserve();
    await clock.advance(periodEnd('a.test', period(), DAY) - clock.now());
    released.resolve();
    expect(await reserved).toBe(true);
    expect(asked).toHaveLength(2);
  });

  test('counts the pages that wait for it, without requisites', async () => {
    const { pages, take, counted } = setUp({ granted: 100, waiting: 50 });
    pages.countWaiting();
    expect(counted).toEqual({});
    await take(1);
    pages.countWaiting();
    expect(counted).toEqual({ overBudget: { urls: 47, hosts: 1 } });
    const none = setUp({ waiting: 50 });
    none.totals.overBudget = {};
    none.pages.countWaiting();
    expect(none.counted).toEqual({ overBudget: { urls: 0, hosts: 0 } });
  });
});

describe('pages for which a host has no use', () => {
  test('go back to its domain once, and are not in its head', async () => {
    const { pages, take, ledger, granted, asked, period } = setUp();
    await take(2);
    await pages.giveBack();
    expect([granted(), pages.state()?.left]).toEqual([5, 3]);
    ledger.counts.waiting = 0;
    expect(pages.state()).toEqual({ period: period(), left: 0 });
    await pages.giveBack();
    expect([granted(), asked.at(-1)?.tries]).toEqual([2, 1]);
    const questions = asked.length;
    await pages.giveBack();
    expect([granted(), asked.length]).toEqual([2, questions]);
  });

  test('are lost where the domain is written by others, and no other failure is hidden', async () => {
    const { pages, take, ledger, fail, granted } = setUp();
    await take(1);
    ledger.counts.waiting = 0;
    fail(new StaleTurn('another one'));
    await pages.giveBack();
    fail(undefined);
    await pages.giveBack();
    expect(granted()).toBe(5);

    const broken = setUp();
    await broken.take(1);
    broken.ledger.counts.waiting = 0;
    broken.fail(new Error('no table'));
    await expect(broken.pages.giveBack()).rejects.toThrow('no table');
  });
});
