import { describe, expect, test } from 'vitest';
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import { changeRate, EMPTY_POOL, observePool, priorRate } from '../../../shared/core/recrawl/change-rate.ts';
import { createTemplatePools, MAX_TEMPLATES } from '../../../shared/core/recrawl/template-pools.ts';

const NEWS = 0xf1234567;
const ABOUT = 17;

describe('the pools of templates', () => {
  test('learn the rate of each, though the state is stored after each fetch', () => {
    let pools = createTemplatePools();
    let host = EMPTY_POOL;
    for (let fetch = 0; fetch < 4000; fetch++) {
      const isNews = fetch % 2 === 0;
      const random = mixHash(fetch) / 2 ** 32;
      const hasChanged = random < -Math.expm1(-(isNews ? 1 : 0.01));
      pools.observe(isNews ? NEWS : ABOUT, 1, hasChanged);
      host = observePool(host, 1, hasChanged);
      pools = createTemplatePools(pools.bytes);
    }
    expect(priorRate(host, pools.of(NEWS) ?? EMPTY_POOL)).toBeCloseTo(1, 0.5);
    expect(priorRate(host, pools.of(ABOUT) ?? EMPTY_POOL)).toBeLessThan(0.03);
    expect(changeRate(host, 0.1), 'of both together').toBeGreaterThan(0.2);
  });

  test.each([
    ['kept', false],
    ['stored after each fetch', true],
  ])('keep the templates that are fetched often, whatever comes once, if they are %s', (_, isStored) => {
    let pools = createTemplatePools();
    for (let fetch = 0; fetch < 20_000; fetch++) {
      pools.observe(fetch % 3 === 0 ? NEWS : mixHash(fetch), 1, true);
      if (isStored) pools = createTemplatePools(pools.bytes);
    }
    expect(pools.of(NEWS)?.changes).toBeGreaterThan(1000);
    expect(pools.bytes.length).toBe(16 * MAX_TEMPLATES);
  });

  test.each([
    ['kept', false],
    ['stored after each fetch', true],
  ])('forget a template that is fetched no more when others come, if they are %s', (_, isStored) => {
    let pools = createTemplatePools();
    const observe = (template: number) => {
      pools.observe(template, 1, true);
      if (isStored) pools = createTemplatePools(pools.bytes);
    };
    for (let fetch = 0; fetch < 1000; fetch++) observe(NEWS);
    for (let fetch = 0; fetch < 10_000; fetch++) observe(fetch % 100);
    expect(pools.of(NEWS)).toBeUndefined();
  });

  test.each([1, 0.1, 0.01, 0.001])(
    'have seen %d changes a fetch after many fetches, as if their state was never stored',
    (share) => {
      let pools = createTemplatePools();
      let host = EMPTY_POOL;
      let [exact, stored] = [0, 0];
      for (let fetch = 0; fetch < 60_000; fetch++) {
        const hasChanged = mixHash(fetch) / 2 ** 32 < share;
        pools.observe(ABOUT, 1, hasChanged);
        host = observePool(host, 1, hasChanged);
        pools = createTemplatePools(pools.bytes);
        exact += host.changes;
        stored += pools.of(ABOUT)?.changes ?? Number.NaN;
      }
      expect(stored / exact).toBeGreaterThan(0.85);
      expect(stored / exact).toBeLessThan(1.15);
    },
  );

  test('are known again as they were', () => {
    const pools = createTemplatePools();
    for (let fetch = 0; fetch < 200; fetch++) {
      pools.observe(NEWS, 3, fetch % 4 === 0);
      pools.observe(ABOUT, 7, fetch % 50 === 0);
    }
    const again = createTemplatePools(pools.bytes);
    for (const template of [NEWS, ABOUT]) {
      const { changes = 0, changedDays = 0, unchangedDays = 0 } = pools.of(template) ?? {};
      const found = again.of(template);
      expect(found?.changedDays).toBeCloseTo(changedDays, 3);
      expect(found?.unchangedDays).toBeCloseTo(unchangedDays, 3);
      expect(Math.abs((found?.changes ?? 0) - changes)).toBeLessThan(1 / 32);
    }
  });

  test('do not take the most frequent template for a rare one, however often it was fetched', () => {
    const pools = createTemplatePools();
    for (let fetch = 0; fetch < 5000; fetch++) pools.observe(NEWS, 1, true);
    for (let template = 1; template < MAX_TEMPLATES; template++)
      for (let fetch = 0; fetch < 1000; fetch++) pools.observe(template, 1, true);
    const again = createTemplatePools(pools.bytes);
    again.observe(ABOUT + 1000, 1, true);
    expect(again.of(NEWS)).toBeDefined();
    expect(again.bytes.length).toBe(pools.bytes.length);
  });

  test('are the same bytes each time that they are stored', () => {
    const pools = createTemplatePools();
    for (let fetch = 0; fetch < 100; fetch++) pools.observe(fetch % 7, 1, fetch % 3 === 0);
    expect(pools.bytes).toEqual(pools.bytes);
  });

  test.each([
    ['of another length', new Uint8Array(17)],
    ['of too many', new Uint8Array(16 * 33)],
    ['with times that are none', new Uint8Array(16).fill(0xff)],
  ])('begin without bytes %s', (_, bytes) => {
    expect(createTemplatePools(bytes).bytes.length).toBe(0);
  });
});
