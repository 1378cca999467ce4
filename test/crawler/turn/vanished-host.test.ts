/** A host that suddenly answers 404 everywhere keeps its copies. */
import { expect, test } from 'vitest';
import type { HostRecrawl } from '../../../shared/core/frontier/head.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { rateCode } from '../../../shared/core/recrawl/change-rate.ts';
import { UrlVisit } from '../../../shared/crawler/turn/page/visit.ts';
import { T0 } from '../worker/fake-clock.ts';
import type { Answer } from '../worker/scripted-fetcher.ts';
import { driven, link, OPEN_ROBOTS, openTurn } from './turn-bench.ts';
import { ORIGIN } from './turn-fakes.ts';

const DAY = 86_400_000;
const PATHS = Array.from({ length: 16 }, (_, n) => `/${n}`);

/** Fetches known pages again, one after the other. Returns their records, and the turn's state of the host. */
async function refetched(answer: (n: number) => Answer, vanishing?: HostRecrawl['vanishing']) {
  const turn = await openTurn({
    config: { recrawlEveryMs: DAY },
    head: { ...OPEN_ROBOTS, recrawl: { pool: [0, 0, 0], ...(vanishing && { vanishing }) } },
    site: Object.fromEntries(PATHS.map((path, n) => [ORIGIN + path, answer(n)])),
    links: PATHS.map((path) => link(path)),
    tookMs: 1,
  });
  const { ledger, recrawl } = turn.parts;
  for (const _ of PATHS) {
    const record = (await ledger.next(T0)) as UrlRecord;
    const fetchedAt = T0 - DAY;
    ledger.settle({
      ...record,
      state: 'fetched',
      dueAt: T0 - 1,
      result: { fetchedAt, httpStatus: 200, digest: new Uint8Array(20) },
      recrawl: { history: 1, rate: rateCode(0.1), changedAt: fetchedAt, misses: 0, capturedAt: fetchedAt },
    });
  }
  const records: UrlRecord[] = [];
  for (const _ of PATHS) {
    const record = (await ledger.nextRefetch(T0)) as UrlRecord;
    records.push(await driven(turn, new UrlVisit(turn.services, turn.parts, record).run(undefined)));
  }
  return { records, state: recrawl.state(), totals: turn.parts.counters.totals };
}

const states = (records: readonly UrlRecord[]): string => records.map(({ state }) => state[0]).join('');

test('after a few 404 the others show nothing of their pages: copies stay, and are tried again after a day', async () => {
  const { records, state, totals } = await refetched(() => ({ status: 404 }));
  expect(states(records)).toMatch(/^g{4,7}f{9,12}$/);
  const kept = records.at(-1) as UrlRecord;
  expect(kept).toMatchObject({ state: 'fetched', result: { httpStatus: 200 } });
  expect(Math.round((kept.dueAt - T0) / DAY)).toBe(1);
  expect(state?.vanishing?.since).toBeGreaterThanOrEqual(T0);
  expect(totals.recrawl?.failed).toBeGreaterThan(8);
});

test('a page here and there that is gone is gone, and nothing is kept of a host without such', async () => {
  const { records } = await refetched((n) => (n % 3 === 0 ? { status: 404 } : { body: 'text' }));
  expect([...states(records)].sort().join('')).toBe('ffffffffffgggggg');
  expect((await refetched(() => ({ body: 'text' }))).state?.vanishing).toBeUndefined();
});

test('410 is meant, and after four weeks a 404 is', async () => {
  expect(states((await refetched(() => ({ status: 410 }))).records)).toBe('g'.repeat(16));
  const vanishing = { gone: 9, there: 0, since: T0 - 29 * DAY };
  expect(states((await refetched(() => ({ status: 404 }), vanishing)).records)).toBe('g'.repeat(16));
});
