/** The limits of crawls and their watches over long series of events: each answer is the same in each version. */
import { expect, test } from 'vitest';
import { BEING_DELETED } from '../../../shared/core/causes/status-reason.ts';
import { createBudget } from '../../../shared/crawler/crawl-state/budget.ts';
import { CostRate } from '../../../shared/crawler/crawl-state/cost-rate.ts';
import { type Crawl, createCrawls } from '../../../shared/crawler/crawl-state/crawls.ts';
import { FirstPassWatch, withFirstPass } from '../../../shared/crawler/crawl-state/first-pass.ts';
import { LateWatch } from '../../../shared/crawler/crawl-state/late-watch.ts';
import { meetsCondition } from '../../../shared/crawler/crawl-state/status-condition.ts';
import { createTally } from '../../../shared/crawler/crawl-state/tally.ts';
import type {
  CrawlRecord,
  CrawlRegistry,
  CrawlTotals,
} from '../../../shared/crawler/ports/crawl-registry.ts';
import { openGolden } from '../../golden.ts';
import { draws, inPieces, shown } from '../../long-trace.ts';
import { createFakeClock, T0 } from '../worker/fake-clock.ts';

const golden = openGolden('kept-limits.txt', import.meta.url);

test.each([false, true])('the budget of a crawl for which others work, too: %s', async (isShared) => {
  const draw = draws(isShared ? 1 : 2);
  const lines: string[] = [];
  for (let crawl = 0; crawl < 12; crawl++) {
    let now = T0;
    let used = {
      pages: draw.int(9),
      bytes: draw.int(900),
      activeMs: draw.int(9000),
      cost: draw.of([undefined, 0.1]),
    };
    const limitsNow = () => ({
      ...{ maxPages: draw.of([undefined, 12, 40, 300]), maxBytes: draw.of([undefined, 20_000]) },
      ...{ maxTimeMs: draw.of([undefined, 200_000]), maxCost: draw.of([undefined, undefined, 1.5]) },
      ...{ requisites: draw.of([undefined, true]), recrawl: draw.of([undefined, 'changes'] as const) },
      ...{ recrawlEveryMs: draw.of([undefined, undefined, 1000]), recrawlSchedule: undefined },
    });
    const tally = createTally(used as never);
    const budget = createBudget(limitsNow() as never, used as never, () => now, {
      isShared,
      ...(draw.chance(0.5) && { tally }),
    });
    let answered: boolean[] = [];
    for (let n = 0; n < 60; n++) {
      now += draw.of([0, 900, 14_999, 15_001, 40_000]);
      const steps: Record<string, () => unknown> = {
        reserve: () => void budget.reserve().then((is) => answered.push(is)),
        tryReserve: () => budget.tryReserve(),
        page: () => budget.settle(true),
        none: () => budget.settle(false),
        receive: () => budget.receive(draw.int(900)),
        giveBack: () => budget.giveBack(draw.int(2), draw.int(300)),
        commit: () => budget.commit(draw.int(3), draw.int(500), budget.reads() - draw.int(2)),
        refresh: () => {
          used = { ...used, pages: used.pages + draw.int(6), activeMs: used.activeMs + 9000 };
          used.cost = used.cost === undefined ? draw.of([undefined, 0.01]) : used.cost + draw.of([0, 0.3]);
          const read = async () => {
            if (draw.chance(0.5)) budget.commit(1, 9, budget.reads());
            return used as never;
          };
          return budget.refresh(limitsNow() as never, read);
        },
      };
      const name = draw.of([...Object.keys(steps), 'reserve', 'page', 'refresh']);
      const result = await steps[name]?.();
      for (let tick = 0; tick < 9; tick++) await undefined;
      const limits = [budget.metLimit(), budget.metFinally(), budget.turnPages(), budget.ageMs()];
      lines.push(shown([name, result, answered, limits, budget.reads(), budget.isInDoubt(), budget.used()]));
      answered = [];
    }
  }
  golden.compare(`a budget, shared: ${isShared}`, inPieces(lines, 60));
});

test('the rate at which a crawl costs money', () => {
  const draw = draws(3);
  const lines: string[] = [];
  for (const cost of [undefined, 0, 2]) {
    let at = T0;
    const rate = new CostRate({ at, ...(cost !== undefined && { cost }) });
    let sum = cost ?? 1;
    for (let n = 0; n < 60; n++) {
      at += draw.of([0, 2000, 30_000, 60_000, 60_001, 200_000]);
      sum += draw.of([0, 0.5, 0.01, -0.2]);
      rate.add({ at, ...(draw.chance(0.8) && { cost: sum }) });
      lines.push(shown(rate.perMs() * 1e9));
    }
  }
  golden.compare('cost rates', inPieces(lines, 30));
});

test('the watch for the end of a first pass', () => {
  const draw = draws(4);
  const lines: string[] = [];
  for (let crawl = 0; crawl < 60; crawl++) {
    const watch = new FirstPassWatch({ settleMs: 1000 });
    const budget = { metLimit: () => (draw.chance(0.1) ? { allowsRecrawl: true } : undefined) };
    const config = { recrawl: crawl % 10 === 0 ? 'off' : 'changes' };
    let now = T0;
    let fetched = draw.of([0, 1, 99, 1000]);
    let waiting = draw.int(4);
    for (let n = 0; n < 30; n++) {
      now += draw.of([0, 1, 400, 999, 1000, 1001, 3000, -500]);
      fetched += draw.of([0, 0, 0, 1, 10, 11]);
      if (draw.chance(0.2)) waiting = draw.int(4);
      const hostsWaiting = draw.chance(0.1) ? draw.int(2) : Number(waiting > 0);
      const totals = { urls: { fetched, waiting }, hostsWaiting } as unknown as CrawlTotals;
      const look = watch.look({ budget, config } as unknown as Crawl, totals, now);
      if (look !== 'goesOn' && draw.chance(0.7)) watch.contradict(now);
      lines.push(shown([now - T0, fetched, waiting, hostsWaiting, look]));
    }
  }
  golden.compare('first passes', inPieces(lines, 150));
  const record = { status: 'running' } as CrawlRecord;
  const noted = withFirstPass(record, { at: 5 });
  const announced = withFirstPass(noted, { at: 9, isAnnounced: true });
  expect([noted, announced]).toEqual([
    { status: 'running', firstPass: { at: 5 } },
    { status: 'running', firstPass: { at: 5, isAnnounced: true } },
  ]);
  expect(withFirstPass(record, { at: 6, isAnnounced: true }).firstPass).toEqual({ at: 6, isAnnounced: true });
  for (const first of [{ at: 7 }, { at: 7, isAnnounced: true as const }])
    expect(withFirstPass(announced, first)).toBe(announced);
  expect(withFirstPass(noted, { at: 7 })).toBe(noted);
});

test('the watch for pages that skip a time of the schedule', () => {
  const draw = draws(5);
  const lines: string[] = [];
  for (const recrawlTimeZone of [undefined, 'Europe/Berlin'])
    for (const recrawlSchedule of [undefined, '0 4 * * *', '*/30 * * * *']) {
      const watch = new LateWatch();
      let [late, now] = [draw.int(3), T0];
      for (let n = 0; n < 40; n++) {
        late += draw.of([0, 0, 1, 2, 500, -1]);
        now += draw.of([60_000, 1_800_000, 43_200_000]);
        lines.push(shown(watch.look({ config: { recrawlSchedule, recrawlTimeZone } } as never, late, now)));
      }
    }
  golden.compare('late pages', inPieces(lines, 40));
});

test('the status of a crawl is set only under the condition', () => {
  const limits = { maxPages: 1, maxBytes: 2, maxTimeMs: 3, maxCost: 4 };
  const record = { status: 'running', config: { ...limits, delayMs: 9 } } as unknown as CrawlRecord;
  const of = (condition?: object, changed: object = {}) =>
    meetsCondition({ ...record, ...changed } as CrawlRecord, condition as never);
  expect([
    of(),
    of({ from: ['running'] }),
    of({ from: ['paused', 'running'] }),
    of({ from: ['paused'] }),
    of({ from: [] }),
  ]).toEqual([true, true, true, false, false]);
  expect(of({ from: ['running'], limits })).toBe(true);
  expect(of({ from: ['paused'], limits })).toBe(false);
  for (const limit of Object.keys(limits)) {
    expect(of({ from: ['running'], limits: { ...limits, [limit]: 99 } })).toBe(false);
    expect(of({ from: ['running'], limits: { ...limits, [limit]: undefined } })).toBe(false);
  }
  expect(of({ from: ['running'], limits: {} }, { config: {} })).toBe(true);
  const deleted = { status: 'stopped', why: BEING_DELETED, reason: BEING_DELETED.text };
  expect([of(undefined, deleted), of({ from: ['stopped'] }, deleted)]).toEqual([false, false]);
});

test.each([true, false])('crawls as a worker knows them; others work for them, too: %s', async (isShared) => {
  const draw = draws(isShared ? 6 : 7);
  const clock = createFakeClock();
  const lines: string[] = [];
  const note = (...values: unknown[]) => void lines.push(shown([clock.now() - T0, ...values]));
  const base = { scopeSeeds: ['http://a.test/'], urlRulesVersion: 1, status: 'running' };
  const record: Record<string, unknown> = { ...base, config: { maxPages: 50, scope: 'host' } };
  let pages = 0;
  let delayMs = 0;
  const registry = {
    isShared,
    async load(id: string) {
      note('load', id);
      await clock.sleep(delayMs);
      return id === 'gone' ? undefined : structuredClone(record);
    },
    async totals(id: string) {
      note('totals', id);
      await clock.sleep(2 * delayMs);
      return { pages, bytes: 3, activeMs: 5 };
    },
  } as unknown as CrawlRegistry;
  const crawls = createCrawls(registry, clock);
  for (let n = 0; n < 150; n++) {
    delayMs = draw.of([0, 0, 300, 2500]);
    pages += draw.int(3);
    const changes: Record<string, () => void> = {
      none: () => {},
      pause: () =>
        Object.assign(record, { status: 'paused', why: { code: 'maxCost', text: 'x' }, reason: 'x' }),
      resume: () => Object.assign(record, { status: 'running', why: undefined, reason: undefined }),
      widen: () =>
        Object.assign(record, { scopeSeeds: [...(record.scopeSeeds as string[]), `http://s${n}.test/`] }),
      configure: () =>
        Object.assign(record, { config: { maxPages: draw.int(400), scope: 'host', delayMs: n } }),
      refresh: () => crawls.refresh(draw.of(['a', 'b', 'gone'])),
      doubt: () => crawls.known()[0]?.budget.commit(1, 1, -1),
    };
    const change = draw.of(Object.keys(changes));
    changes[change]?.();
    note(change);
    const ids = draw.of([['a'], ['b'], ['a', 'a', 'b'], ['gone', 'a']]);
    const found = await clock.drive(Promise.all(ids.map((id) => crawls.get(id))));
    for (const crawl of found ?? []) {
      const { id, config, status, reason, budget, scope } = crawl ?? {};
      const isIn = [`http://s${n}.test/`, 'http://a.test/x', 'http://c.test/'].map((url) =>
        scope?.check(url, 1),
      );
      note(id, config?.maxPages, config?.delayMs, status, reason, budget?.used(), budget?.reads(), isIn);
      note(
        crawl?.configOf('a.test').delayMs,
        crawl?.nameOf('http://a.test/?utm_source=x'),
        crawl?.dedupeFrom,
      );
    }
    note(crawls.known().map(({ id, status }) => [id, status]));
    await clock.advance(draw.of([0, 700, 1999, 2000, 5000, 9000]));
  }
  golden.compare(`crawls of a worker, shared: ${isShared}`, inPieces(lines, 100));
});
