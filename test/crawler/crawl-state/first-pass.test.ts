import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import { EMPTY_INDEX } from '../../../shared/core/frontier/ledger-index.ts';
import { FirstPassWatch, withFirstPass } from '../../../shared/crawler/crawl-state/first-pass.ts';
import type { CrawlRecord } from '../../../shared/crawler/ports/crawl-registry.ts';

const SETTLE = 3000;
const RECRAWLING = parseConfig({ recrawl: 'changes' });

const crawl = (config = RECRAWLING, isFull = false) => ({
  config,
  budget: { metLimit: () => (isFull ? { allowsRecrawl: true } : undefined) } as never,
});
const totals = (fetched: number, hostsWaiting = 0) => ({
  ...NO_TOTALS,
  hosts: 1,
  hostsWaiting,
  urls: { ...EMPTY_INDEX.counts, fetched, waiting: 3 * hostsWaiting },
  activeMs: 0,
});

type Given = readonly (ReturnType<typeof totals> | 'contradict')[];

/** The results of looks at these totals, `SETTLE` / 2 apart. `contradict`: what was seen last is not so. */
function looks(of: Given, at = crawl()) {
  const watch = new FirstPassWatch({ settleMs: SETTLE });
  let looked = 0;
  return of.map((one) => {
    if (one === 'contradict') return watch.contradict(((looked - 1) * SETTLE) / 2);
    return watch.look(at, one, (looked++ * SETTLE) / 2);
  });
}
const times = <T>(count: number, of: T): T[] => Array.from({ length: count }, () => of);

describe('the first pass is complete', () => {
  test('when no host had a URL waiting for some time', () => {
    expect(looks([totals(5, 1), totals(8), totals(8), totals(8)])).toEqual([
      ...times(3, 'goesOn'),
      'isComplete',
    ]);
  });

  test('not if a URL was found meanwhile, or waits again', () => {
    expect(looks([totals(8), totals(8), totals(9), totals(9), totals(9)]).at(-2)).toBe('goesOn');
    expect(looks([totals(8), totals(8, 1), totals(8), totals(8)])).toEqual(times(4, 'goesOn'));
  });

  test('also if a URL in a hundred was found meanwhile, and fetched', () => {
    expect(looks([totals(200), totals(198, 1), totals(201)]).at(-1)).toBe('isComplete');
    expect(looks([totals(200), totals(198, 1), totals(203)]).at(-1)).toBe('goesOn');
    expect(looks([totals(200), totals(201), totals(198, 1)]).at(-1)).toBe('goesOn');
  });

  test('not before anything is known, and not in a crawl that ends', () => {
    expect(new Set(looks(times(9, totals(0))))).toEqual(new Set(['goesOn']));
    expect(new Set(looks(times(9, totals(8)), crawl(parseConfig({}))))).toEqual(new Set(['goesOn']));
    expect(new Set(looks(times(9, totals(8, 1)), crawl(parseConfig({}))))).toEqual(new Set(['goesOn']));
  });

  test('also if what waits is beyond the limit of pages', () => {
    expect(looks([totals(8, 1), totals(8, 1), totals(8, 1)], crawl(RECRAWLING, true)).at(-1)).toBe(
      'isComplete',
    );
  });

  test('later, not sooner, if the clock is set back', () => {
    const watch = new FirstPassWatch({ settleMs: SETTLE });
    expect(watch.look(crawl(), totals(8), 100_000)).toBe('goesOn');
    expect(watch.look(crawl(), totals(8), 0)).toBe('goesOn');
    expect(watch.look(crawl(), totals(8), SETTLE)).toBe('isComplete');
  });
});

describe('counters that may be wrong', () => {
  const stuck = totals(90, 1);

  test('are unclear when as many URLs wait as long ago', () => {
    expect(looks(times(5, stuck))).toEqual([...times(4, 'goesOn'), 'isUnclear']);
    // New URLs come and are fetched, and the same number is left each time.
    expect(looks([stuck, totals(90, 2), stuck, totals(91, 2), stuck]).at(-1)).toBe('isUnclear');
  });

  test('go on while fewer and fewer wait', () => {
    expect(new Set(looks([9, 8, 7, 6, 5, 4, 3, 2, 1].map((left) => totals(99 - left, left))))).toEqual(
      new Set(['goesOn']),
    );
  });

  test('are believed for a while when the heads say the same, then for twice as long', () => {
    const seen = looks([
      ...times(5, stuck),
      'contradict',
      ...times(2, stuck),
      'contradict',
      ...times(4, stuck),
    ]);
    const at = seen.flatMap((one, i) => (one === 'isUnclear' ? [i] : []));
    expect(at).toEqual([4, 7, 12]);
  });

  test('that have said so too early are not asked at each look', () => {
    const seen = looks([
      ...times(3, totals(8)),
      'contradict',
      ...times(2, totals(8)),
      'contradict',
      ...times(4, totals(8)),
    ]);
    const at = seen.flatMap((one, i) => (one === 'isComplete' ? [i] : []));
    expect(at).toEqual([2, 5, 10]);
  });

  test('are asked soon again after there was progress', () => {
    const watch = new FirstPassWatch({ settleMs: SETTLE });
    let now = 0;
    const nextUnclear = (of: ReturnType<typeof totals>) => {
      for (let waited = 0; waited < 1000; waited++, now += SETTLE / 2)
        if (watch.look(crawl(), of, now) === 'isUnclear') return waited;
      return undefined;
    };
    nextUnclear(totals(80, 2));
    for (let i = 0; i < 6; i++) {
      watch.contradict(now);
      nextUnclear(totals(80, 2));
    }
    watch.contradict(now);
    expect(nextUnclear(totals(83, 1))).toBeLessThan(8);
  });

  test('are asked again after a bounded time, however often they were right', () => {
    const watch = new FirstPassWatch({ settleMs: SETTLE });
    for (let i = 0; i < 50; i++) watch.contradict(0);
    const asked = Array.from({ length: 150 }, (_, i) => watch.look(crawl(), stuck, i * SETTLE));
    expect(asked.indexOf('isUnclear')).toBe(64);
  });
});

test('the first time that was noted stays; that it was announced stays, too', () => {
  const record = { status: 'running' } as CrawlRecord;
  const noted = withFirstPass(record, { at: 5 });
  expect(noted.firstPass).toEqual({ at: 5 });
  expect(withFirstPass(noted, { at: 9 })).toBe(noted);
  const announced = withFirstPass(noted, { at: 9, isAnnounced: true });
  expect(announced.firstPass).toEqual({ at: 5, isAnnounced: true });
  expect(withFirstPass(announced, { at: 9 })).toBe(announced);
  expect(withFirstPass(announced, { at: 9, isAnnounced: true })).toBe(announced);
});
