import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTemplateNeeds, renderTemplateOf } from '../../../shared/core/render/template-needs.ts';

const DAY = 86_400_000;
const SIGN = { hasScripts: true, isUnfilled: () => true };
const SCRIPTS = { hasScripts: true, isUnfilled: () => false };
const PLAIN = { hasScripts: false, isUnfilled: () => true };
const page = (n: number, folder = 'a') => `http://a.test/${folder}/${n}`;

test.each([
  ['http://a.test/', '/'],
  ['http://a.test/shop/item-4711', '/shop/*'],
  ['http://a.test/shop/red-shoes', '/shop/*'],
  ['http://a.test/shop/red-shoes.html?b=1&a=2', '/shop/*.html?a&b'],
  ['http://a.test/2026/11/a-title', '/0/0/*'],
  ['http://a.test/shop/', '/shop/'],
  ['http://a.test/#/guide/start', '/#/*'],
  ['http://a.test/app/index.html?a=1#!/x?b=2', '/app/*.html?a#/*'],
])('%s is rendered as %s', (url, template) => {
  expect(renderTemplateOf(url)).toBe(template);
});

describe('the mode of a page', () => {
  test('the first three pages with a sign are trials, and the middle one decides', () => {
    for (const [gains, mode] of [
      [[500, 0, 30], 'rendered'],
      [[500, 0, 20], 'plain'],
    ] as const) {
      const needs = createTemplateNeeds();
      for (const [i, gain] of gains.entries()) {
        expect(needs.modeOf(page(i), SIGN, 0)).toBe('trial');
        needs.learn(page(i), gain, 0);
      }
      expect(needs.modeOf(page(9), SIGN, 0)).toBe(mode);
      expect(needs.of(page(1))).toMatchObject({ mode, pages: 4 });
    }
  });

  test('without a sign, the 2nd, 20th, 200th and 2,000th page of a template are trials', () => {
    const needs = createTemplateNeeds();
    const trials: number[] = [];
    for (let n = 1; n <= 3000; n++)
      if (needs.modeOf(page(n), SCRIPTS, 0) === 'trial') {
        trials.push(n);
        // So that it is never decided.
        if (trials.length % 2 === 0) needs.learn(page(n), 0, 0);
      }
    expect(trials).toEqual([2, 20, 200, 2000]);
  });

  test('a gain at such a page makes the next ones trials', () => {
    const needs = createTemplateNeeds();
    const modes = [1, 2, 3, 4, 5].map((n) => {
      const mode = needs.modeOf(page(n), SCRIPTS, 0);
      if (mode === 'trial') needs.learn(page(n), 100, 0);
      return mode;
    });
    expect(modes).toEqual(['plain', 'trial', 'trial', 'trial', 'rendered']);
  });

  test('a page without scripts is plain, also in a template that is rendered', () => {
    const needs = createTemplateNeeds();
    for (let n = 0; n < 3; n++) {
      needs.modeOf(page(n), SIGN, 0);
      needs.learn(page(n), 100, 0);
    }
    expect([needs.modeOf(page(3), PLAIN, 0), needs.modeOf(page(4), SCRIPTS, 0)]).toEqual([
      'plain',
      'rendered',
    ]);
  });

  test('a failed trial teaches nothing; after three in a row there are no trials for a while', () => {
    const needs = createTemplateNeeds();
    const fail = () => {
      const mode = needs.modeOf(page(1), SIGN, 0);
      if (mode === 'trial') needs.learn(page(1), undefined, 0);
      return mode;
    };
    expect([fail(), fail()]).toEqual(['trial', 'trial']);
    expect(needs.modeOf(page(1), SIGN, 0)).toBe('trial');
    needs.learn(page(1), 100, 0);
    expect(needs.of(page(1))).toEqual({ pages: 3, gains: [100], failed: 0 });
    expect([fail(), fail(), fail(), fail()]).toEqual(['trial', 'trial', 'trial', 'plain']);
    expect(needs.modeOf(page(1), SIGN, 31 * DAY)).toBe('trial');
  });

  test.each(['rendered', 'plain'] as const)('%s is tried again after 200 pages or 30 days', (mode) => {
    const [same, other] = mode === 'rendered' ? [100, 0] : [0, 100];
    for (const days of [0, 30]) {
      const needs = createTemplateNeeds();
      for (let n = 0; n < 3; n++) {
        needs.modeOf(page(n), SIGN, 0);
        needs.learn(page(n), same, 0);
      }
      const next = () => needs.modeOf(page(0), SIGN, days * DAY);
      let pages = 0;
      while (next() === mode) pages++;
      expect(pages).toBe(days === 0 ? 199 : 0);
      needs.learn(page(0), same, days * DAY);
      expect(next()).toBe(mode);
      needs.learn(page(0), other, days * DAY);
      // A single page decides nothing.
      for (let trial = 0; trial < 2; trial++) {
        expect(next()).toBe('trial');
        needs.learn(page(0), same, days * DAY);
      }
      expect(next()).toBe(mode);
    }
  });
});

test('what is known is stored in 12 to 18 bytes a template, of 64 templates at most', () => {
  const needs = createTemplateNeeds();
  for (let folder = 0; folder < 1000; folder++)
    for (let n = 0; n < 3; n++) {
      needs.modeOf(page(n, `f${'x'.repeat(folder % 60)}${'y'.repeat(folder / 60)}`), SIGN, 20_000 * DAY);
      needs.learn(page(n, `f${'x'.repeat(folder % 60)}${'y'.repeat(folder / 60)}`), n, 20_000 * DAY);
    }
  const { length } = Buffer.from(needs.state()!, 'base64');
  expect(needs.all()).toHaveLength(64);
  expect(length / 64).toBeGreaterThanOrEqual(12);
  expect(length / 64).toBeLessThanOrEqual(18);
  expect(createTemplateNeeds().state()).toBeUndefined();
});

test('stored and read again, it decides as before', () => {
  const step = fc.tuple(
    fc.integer({ min: 0, max: 3 }),
    fc.option(fc.integer({ min: 0, max: 300 })),
    fc.nat(60),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const whole = createTemplateNeeds();
      let stored = createTemplateNeeds();
      for (const [folder, gain, day] of steps) {
        const url = page(1, 'abcd'[folder]);
        const now = (20_000 + day) * DAY;
        const mode = whole.modeOf(url, SIGN, now);
        expect(stored.modeOf(url, SIGN, now)).toBe(mode);
        if (mode === 'trial') for (const one of [whole, stored]) one.learn(url, gain ?? undefined, now);
        stored = createTemplateNeeds(stored.state());
      }
    }),
  );
});
