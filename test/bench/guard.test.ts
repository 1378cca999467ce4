import { expect, test } from 'vitest';
import { judgeFigures } from '../../bench/claims/guard/judge-figures.ts';

const figures = (promises: number, crawlRatio: number) => ({
  promises: { value: promises, unit: 'promises a page' },
  crawlRatio: { value: crawlRatio, unit: 'x the fixed work' },
});

test.each([
  ['as recorded', 100, 2, false, ['+0.0 %', '+0.0 %']],
  ['less', 50, 1, false, ['-50.0 %', '-50.0 %']],
  ['within the limit of a count', 102, 2.16, false, ['+2.0 %', '+8.0 %']],
  ['a count above its limit', 102.1, 2, true, ['+2.1 %: too much', '+0.0 %']],
  ['a ratio that is to be looked at', 100, 2.2, false, ['+0.0 %', '+10.0 %: look at it']],
  ['a ratio above its limit', 100, 2.6, true, ['+0.0 %', '+30.0 %: too much']],
])('figures beside those of the record: %s', (_, promises, ratio, hasFailed, ends) => {
  const judged = judgeFigures(figures(promises, ratio), { promises: 100, crawlRatio: 2 });
  expect(judged.hasFailed).toBe(hasFailed);
  expect(judged.lines.map((line) => line.replace(/.*recorded \d+: /, ''))).toEqual(ends);
});

test('a figure without a record is new, and holds', () => {
  expect(judgeFigures(figures(100, 2), { promises: 100 })).toEqual({
    lines: ['100 promises a page, recorded 100: +0.0 %', '2 x the fixed work: no record'],
    hasFailed: false,
  });
});

test('a ratio is judged on such a machine as that of the record alone', () => {
  const judged = judgeFigures(figures(100, 2.6), { promises: 100, crawlRatio: 2 }, false);
  expect(judged).toEqual({
    lines: [
      '100 promises a page, recorded 100: +0.0 %',
      '2.6 x the fixed work, recorded on another machine 2: +30.0 %: look at it',
    ],
    hasFailed: false,
  });
  expect(judgeFigures(figures(103, 2), { promises: 100, crawlRatio: 2 }, false).hasFailed).toBe(true);
});
