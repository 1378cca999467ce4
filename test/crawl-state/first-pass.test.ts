import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../shared/crawl/config.ts';
import { FirstPassWatch, withFirstPass } from '../../shared/crawl-state/first-pass.ts';
import { NO_TOTALS } from '../../shared/frontier/head.ts';
import { EMPTY_INDEX } from '../../shared/frontier/ledger-index.ts';
import type { CrawlRecord } from '../../shared/ports/crawl-registry.ts';

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

/** The results of looks at these totals, `SETTLE` / 2 apart. */
function looks(of: readonly ReturnType<typeof totals>[], at = crawl()) {
  const watch = new FirstPassWatch({ settleMs: SETTLE });
  return of.map((one, i) => watch.isComplete(at, one, (i * SETTLE) / 2));
}

describe('the first pass is complete', () => {
  test('when no host had a URL waiting for some time', () => {
    expect(looks([totals(5, 1), totals(8), totals(8), totals(8)])).toEqual([false, false, false, true]);
  });

  test('not if a URL was found meanwhile, or waits again', () => {
    expect(looks([totals(8), totals(8), totals(9), totals(9), totals(9)]).at(-2)).toBe(false);
    expect(looks([totals(8), totals(8, 1), totals(8), totals(8)])).toEqual([false, false, false, false]);
  });

  test('not before anything is known, and not in a crawl that ends', () => {
    expect(looks([totals(0), totals(0), totals(0), totals(0)])).not.toContain(true);
    expect(looks([totals(8), totals(8), totals(8)], crawl(parseConfig({})))).not.toContain(true);
  });

  test('also if what waits is beyond the limit of pages', () => {
    expect(looks([totals(8, 1), totals(8, 1), totals(8, 1)], crawl(RECRAWLING, true)).at(-1)).toBe(true);
  });

  test('later, not sooner, if the clock is set back', () => {
    const watch = new FirstPassWatch({ settleMs: SETTLE });
    expect(watch.isComplete(crawl(), totals(8), 100_000)).toBe(false);
    expect(watch.isComplete(crawl(), totals(8), 0)).toBe(false);
    expect(watch.isComplete(crawl(), totals(8), SETTLE)).toBe(true);
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
