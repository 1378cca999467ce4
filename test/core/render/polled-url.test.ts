import { expect, test } from 'vitest';
import { polledUrl } from '../../../shared/core/render/polled-url.ts';
import { withoutHang } from '../../hang-guard.ts';

const NOW = 1_800_000_000_000;

test.each([
  ['/poll?1800000000123', '/poll?'],
  ['/poll?a=1&_=1799999990000&b=2', '/poll?a=1&_=&b=2'],
  ['/poll?t=1800000050', '/poll?t='],
  ['/poll?r=0.7316489126345', '/poll?r='],
  ['/feed?before=1790000000000', '/feed?before=1790000000000'],
  ['/feed?id=1800000', '/feed?id=1800000'],
  ['/item/1800000000123', '/item/1800000000123'],
  ['/item?id=x1800000000123', '/item?id=x1800000000123'],
])('%s counts as %s', (url, expected) => {
  expect(polledUrl(url, NOW)).toBe(expected);
});

test.each(['?0.1', '&1800000000', '?=', '0'])('a URL of many %s takes no time', (piece) => {
  withoutHang(() => polledUrl(piece.repeat(200_000), NOW));
});
