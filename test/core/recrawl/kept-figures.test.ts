/** The figures by which known pages are fetched again: the same observations give the same ones in each version. */
import { expect, test } from 'vitest';
import type { HashedBlocks } from '../../../shared/core/parser/hashed-blocks.ts';
import { changeDigest, hasChanged } from '../../../shared/core/recrawl/change-digest.ts';
import {
  NO_HISTORY,
  observe,
  observePacked,
  packHistory,
  unpackHistory,
} from '../../../shared/core/recrawl/change-history.ts';
import {
  changeRate,
  EMPTY_POOL,
  observePool,
  priorRate,
  rateCode,
  rateOfCode,
} from '../../../shared/core/recrawl/change-rate.ts';
import {
  addDemand,
  capDemand,
  curveOf,
  demandAt,
  demandOf,
  hostPrice,
  NO_DEMAND,
  PRICES,
  perDayOf,
  priceFor,
  subtractDemand,
} from '../../../shared/core/recrawl/demand-curve.ts';
import { daysUntilDue, firstIntervalDays } from '../../../shared/core/recrawl/due-time.ts';
import { fetchIntervalDays, OBJECTIVES } from '../../../shared/core/recrawl/fetch-interval.ts';
import {
  countHint,
  hintCountsOf,
  hintedDays,
  hintTrust,
  isBuildTime,
  isHint,
  NO_HINTS,
} from '../../../shared/core/recrawl/hints.ts';
import {
  factorCode,
  factorOf,
  newLinksOf,
  pageImportance,
  withNewLinks,
} from '../../../shared/core/recrawl/page-importance.ts';
import { createRepeatedBlocks } from '../../../shared/core/recrawl/repeated-blocks.ts';
import { createTemplatePools } from '../../../shared/core/recrawl/template-pools.ts';
import {
  countOwnWords,
  shortSimilarity,
  shortSketch,
  similarity,
  textSketch,
} from '../../../shared/core/recrawl/text-sketch.ts';
import { countVanishing, isVanished, NOTHING_VANISHED } from '../../../shared/core/recrawl/vanished-site.ts';
import { openGolden } from '../../golden.ts';
import { type Draw, draws, inPieces, shown } from '../../long-trace.ts';

const golden = openGolden('kept-figures.txt', import.meta.url);
const DAY = 86_400_000;

/** Pages of a site: blocks of navigation that most of them have, some that few have, and their own. */
function blocksOf(draw: Draw, page: number): number[] {
  const blocks: number[] = [];
  for (let n = 0; n < 12; n++) if (draw.chance(0.8)) blocks.push(1000 + n * 77_777_777);
  for (let n = 0; n < draw.int(4); n++) blocks.push(5000 + draw.int(40) * 99_999_989);
  // A page of many blocks, now and then.
  const own = draw.chance(0.08) ? draw.of([170, 330, 700]) : draw.int(25);
  for (let n = 0; n < own; n++) blocks.push((page * 7919 + n * 104_729 + draw.int(3)) * 2_654_435 + n);
  return blocks.map((block) => block | 0);
}

test('blocks that repeat on pages of a host', () => {
  const draw = draws(1);
  let known = createRepeatedBlocks();
  const lines: string[] = [];
  for (let page = 0; page < 700; page++) {
    const name = draw.chance(0.1) ? draw.int(page + 1) : page;
    const blocks = blocksOf(draw, name);
    known.countPage(name, Int32Array.from(blocks));
    const repeated = blocks.filter((block) => known.has(block)).length;
    if (draw.chance(0.05)) known = createRepeatedBlocks(known.bytes);
    lines.push(`${name}: ${repeated} of ${blocks.length}, ${shown(known.bytes)}`);
  }
  golden.compare('repeated blocks', inPieces(lines, 50));
});

test('blocks of one bucket that come on more pages than the table counts', () => {
  const draw = draws(2);
  const known = createRepeatedBlocks();
  const lines: string[] = [];
  for (let page = 0; page < 900; page++) {
    // All of one bucket: their 16 high bits are the same.
    const blocks = Array.from({ length: 9 }, () => 0x1234_0000 | (draw.int(page < 450 ? 24 : 60) << 4));
    known.countPage(page * 31, blocks);
    const repeated = Array.from({ length: 60 }, (_, n) => known.has(0x1234_0000 | (n << 4)));
    lines.push(`${page}: ${repeated.map(Number).join('')} ${shown(known.bytes)}`);
  }
  golden.compare('one bucket', inPieces(lines, 100));
});

test('change rates of templates', () => {
  const draw = draws(3);
  let pools = createTemplatePools();
  const lines: string[] = [];
  for (let fetch = 0; fetch < 1500; fetch++) {
    const template = draw.chance(0.7) ? draw.int(20) * 214_748_364 : -draw.int(2 ** 31);
    pools.observe(template, draw.int(3000) / 100, draw.chance(0.3));
    if (fetch % 4 !== 0) pools = createTemplatePools(pools.bytes);
    lines.push(`${shown(pools.of(template))} ${shown(pools.of(template + 1))} ${shown(pools.bytes)}`);
  }
  golden.compare('template pools', inPieces(lines, 100));
});

test('change rates of templates that cannot be read are left out', () => {
  const pools = createTemplatePools();
  for (let template = 1; template <= 3; template++) pools.observe(template, template, template === 2);
  const { bytes } = pools;
  const known = (stored: Uint8Array) => [1, 2, 3].map((template) => createTemplatePools(stored).of(template));
  golden.compare(
    'template pools that are damaged',
    [
      known(bytes),
      known(bytes.slice(0, 32)),
      known(bytes.slice(0, 31)),
      known(new Uint8Array(16 * 32)),
      known(new Uint8Array(16 * 33).fill(1)),
      ...[-1, Number.NaN, Number.POSITIVE_INFINITY, 0].flatMap((days) =>
        [4, 8].map((at) => {
          const damaged = bytes.slice();
          new DataView(damaged.buffer).setFloat32(16 + at, days);
          return known(damaged);
        }),
      ),
      // In the middle of a larger buffer.
      known(new Uint8Array([...new Uint8Array(5), ...bytes]).subarray(5)),
    ].map(shown),
  );
});

test('histories of changes', () => {
  const draw = draws(4);
  const lines: string[] = [];
  let history = NO_HISTORY;
  let packed = 0;
  for (let fetch = 0; fetch < 1200; fetch++) {
    const days = draw.of([0, 0.0001, 0.001, 0.02, 1, 1, 7, 30, 365, 5000]);
    const isChange = draw.chance(fetch % 300 < 100 ? 0.9 : 0.1);
    history = observe(history, days, isChange);
    packed = observePacked(packed, days, isChange, draw.bits());
    const again = packHistory(history, draw.bits());
    lines.push(shown([history, packed, unpackHistory(packed), again, packHistory(unpackHistory(again), 7)]));
  }
  golden.compare('histories', inPieces(lines, 100));
  const all = [0, 1, 0x0000ff, 0x00ff00, 0xff0000, 0xffffff, 0x010100, 0x800180, 0x00017f];
  golden.compare(
    'unpacked histories',
    all.map((code) => `${code} ${shown(unpackHistory(code))}`),
  );
});

test('rates of change', () => {
  const draw = draws(5);
  const lines: string[] = [];
  let pool = EMPTY_POOL;
  let host = EMPTY_POOL;
  for (let fetch = 0; fetch < 600; fetch++) {
    const [days, isChange] = [draw.int(4000) / 100, draw.chance(0.4)];
    pool = observePool(pool, days, isChange);
    host = observePool(host, days * 3, draw.chance(0.1));
    const rate = changeRate(pool, draw.of([1e-9, 0.0005, 0.1, 3, 24, 99]));
    lines.push(shown([pool, rate, priorRate(), priorRate(host), priorRate(host, pool), rateCode(rate)]));
  }
  golden.compare('rates', inPieces(lines, 100));
  const extreme = [0, 1e-9, 0.0005, 0.00051, 0.1, 1, 23, 24, 25, 1e9];
  golden.compare(
    'codes of rates',
    extreme.map((rate) => shown([rate, rateCode(rate), rateOfCode(rateCode(rate))])),
  );
});

function hashed(draw: Draw, blocks: number, wordsOfBlock: number, base: number): HashedBlocks {
  const words: number[] = [];
  const ends: number[] = [];
  for (let n = 0; n < blocks; n++) {
    for (let w = draw.int(wordsOfBlock + 1); w > 0; w--) words.push((base + draw.int(40)) * 2_654_435_761);
    ends.push(words.length);
  }
  return {
    blocks: Int32Array.from({ length: blocks }, (_, n) => base * 100 + n * 3),
    words: Int32Array.from(words),
    ends: Uint32Array.from(ends),
  };
}

test('digests and sketches of texts', () => {
  const draw = draws(6);
  const lines: string[] = [];
  let before = hashed(draw, 10, 12, 1);
  for (let n = 0; n < 400; n++) {
    const text = hashed(draw, draw.int(12), draw.of([1, 3, 12, 60]), draw.of([1, 1, 2]));
    const repeated = { has: (block: number) => block % draw.of([2, 3, 1000]) === 0 };
    const none = { has: () => false };
    const all = { has: () => true };
    for (const known of [repeated, none, all]) {
      const [a, b] = [textSketch(before, none), textSketch(text, known)];
      const [digest, former] = [changeDigest(text, known), changeDigest(before, none)];
      const isChange = digest && former && [hasChanged(digest, former), hasChanged(digest, digest)];
      const alike = a && b && [similarity(a, b), similarity(b, b)];
      const [c, d] = [a && shortSketch(a), b && shortSketch(b)];
      const shortAlike = c && d && [shortSimilarity(c, d), shortSimilarity(d, d)];
      lines.push(shown([digest, isChange, countOwnWords(text, known), b, alike, d, shortAlike]));
    }
    before = text;
  }
  golden.compare('texts', inPieces(lines, 100));
});

test('a text is changed only if both of its digests are', () => {
  const is = (all: number, own: number) => hasChanged({ all: 1, own: 2 }, { all, own });
  expect([is(1, 2), is(1, 3), is(9, 2), is(9, 3)]).toEqual([false, false, false, true]);
});

test('the demand for fetches, and its price', () => {
  const draw = draws(7);
  const lines: string[] = [];
  let curve = NO_DEMAND;
  for (let n = 0; n < 250; n++) {
    const page = { importance: draw.of([0.001, 1, 2, 32, 128]), changeRate: draw.of([0.0005, 0.1, 1, 24]) };
    const one = demandOf(draw.of(OBJECTIVES), page);
    curve = n % 5 === 4 ? subtractDemand(curve, one) : addDemand(curve, one);
    const perDay = draw.of([0, 0.001, 0.5, 3, 40, 1e4]);
    const price = draw.of([1e-6, ...PRICES, 0.03, 7, 1e7]);
    const capped = capDemand(curve, perDay);
    const prices = [priceFor(curve, perDay), hostPrice(price, curve, perDay), priceFor(capped, perDay / 2)];
    lines.push(shown([curve, capped, prices, demandAt(curve, price), demandAt(capped, price)]));
  }
  lines.push(shown([priceFor(NO_DEMAND, 0), priceFor(NO_DEMAND, 1), demandAt(NO_DEMAND, 1), PRICES]));
  lines.push(shown([perDayOf([5, 0, 2e6]), curveOf(undefined), curveOf({ 0: 1e6, 17: 3, 18: 9, x: 1 })]));
  golden.compare('demand', inPieces(lines, 25));
});

test('the interval at which a fetch is worth its price', () => {
  const lines: string[] = [];
  for (const objective of OBJECTIVES)
    for (const importance of [0.001, 1, 128, 1e4])
      for (const changeRate of [0.0005, 0.1, 3, 24])
        for (const price of [1e-16, 1e-9, 1e-4, 0.1, 2, 900, 1e6]) {
          const page = { importance, changeRate };
          const days = fetchIntervalDays(objective, page, price);
          lines.push(shown([objective, importance, changeRate, price, days]));
        }
  golden.compare('intervals', inPieces(lines, 28));
});

test('hints of changes', () => {
  const draw = draws(8);
  const lines: string[] = [];
  let counts = NO_HINTS;
  for (let fetch = 0; fetch < 500; fetch++) {
    counts = countHint(counts, draw.chance(0.4), draw.chance(fetch < 250 ? 0.8 : 0.1));
    const trust = hintTrust(counts);
    lines.push(shown([counts, trust, hintedDays(draw.int(4), trust, draw.of([0.001, 0.1, 3]))]));
  }
  golden.compare('hints', inPieces(lines, 50));
  golden.compare(
    'hints as stored',
    [undefined, [], [1], [1, 2, 3], [1, 2, 3, 4]].map((stored) => shown(hintCountsOf(stored))),
  );
});

test('whether a list says something new of a page', () => {
  const now = 20_000 * DAY + 5 * 3_600_000;
  const times = [-2 * DAY, -DAY, -1, 0, 1, DAY - 1, DAY, DAY + 1, 2 * DAY].flatMap((ms) => [
    now + ms,
    Math.floor((now + ms) / DAY) * DAY,
  ]);
  const last = [now - DAY, now - 1, now, Math.floor(now / DAY) * DAY];
  golden.compare(
    'times that hint',
    times.map((modifiedAt) =>
      last
        .flatMap((fetchedAt) =>
          [undefined, modifiedAt - 1, modifiedAt, modifiedAt + 1].map((hintedAt) =>
            Number(isHint(modifiedAt, { fetchedAt, hintedAt }, now)),
          ),
        )
        .join(''),
    ),
  );
  const times10 = (equal: number, count: number) =>
    isBuildTime(Array.from({ length: count }, (_, n) => (n < equal ? 1 : n)));
  expect([times10(9, 9), times10(9, 10), times10(10, 10), times10(18, 20), times10(19, 20)]).toEqual([
    ...[false, false, true, false, true],
  ]);
});

test('the importance of pages, and links that their changes bring', () => {
  const lines: string[] = [];
  for (const isSitemap of [false, true])
    for (const isSeed of [false, true])
      for (const level of [0, 1, 3, 7])
        for (const newLinks of [undefined, 0, 1, 40, 193, 255])
          for (const factor of [undefined, 9, 128, 140, 247])
            lines.push(shown(pageImportance({ isSitemap, isSeed, level, newLinks, factor })));
  golden.compare('importance', inPieces(lines, 60));
  let code: number | undefined;
  golden.compare(
    'new links',
    [0, 1, 0, 5, 64, 65, 1000, 3, 0, 0, 0].map((links) => {
      code = withNewLinks(code, links);
      return shown([links, code, newLinksOf(code), withNewLinks(undefined, links)]);
    }),
  );
  golden.compare(
    'factors',
    [0, 0.0009, 0.001, 0.5, 1, 1.03, 2, 999, 1000, 1001].map((factor) =>
      shown([factor, factorCode(factor), factorOf(factorCode(factor))]),
    ),
  );
});

test('the days until a page is fetched again', () => {
  const intervals = [0.01, 0.99, 1, 1.5, 60, 61];
  const lines = intervals.flatMap((days) => [
    shown([days, daysUntilDue({ kind: 'fetched' }, days), daysUntilDue({ kind: 'moved' }, days)]),
    shown([1, 2, 3, 5, 6, 7, 20].map((failures) => daysUntilDue({ kind: 'failed', failures }, days))),
    shown([1, 2, 3, 4, 5].map((misses) => daysUntilDue({ kind: 'missing', misses }, days))),
    shown([1, 2, 3, 4].map((misses) => daysUntilDue({ kind: 'gone', misses }, days))),
    shown([0, 1, 2 ** 31, -1, -(2 ** 31)].map((hash) => firstIntervalDays(days, hash))),
  ]);
  golden.compare('days until due', lines);
});

test('a site that answers 404 to all', () => {
  const draw = draws(9);
  const lines: string[] = [];
  let known = NOTHING_VANISHED;
  let now = 1_800_000_000_000;
  for (let fetch = 0; fetch < 300; fetch++) {
    now += draw.int(DAY);
    known = countVanishing(known, draw.chance(fetch % 100 < 50 ? 0.97 : 0.4), now);
    const limits = [0, 27 * DAY, 28 * DAY - 1, 28 * DAY].map((ms) => isVanished(known, now + ms));
    const since = known.since ?? 0;
    const exact = [since + 28 * DAY - 1, since + 28 * DAY].map((at) => isVanished(known, at));
    lines.push(shown([known, limits, exact]));
  }
  golden.compare('vanished sites', inPieces(lines, 25));
});
