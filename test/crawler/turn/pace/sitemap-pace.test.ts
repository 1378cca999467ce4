import { expect, test } from 'vitest';
import { SitemapPace } from '../../../../shared/crawler/turn/pace/sitemap-pace.ts';

test('ten other requests come between two sitemaps', () => {
  const pace = new SitemapPace();
  pace.countRequest(false);
  expect(pace.isNext(5)).toBe(true);
  pace.countRequest(true);
  for (let i = 0; i < 10; i++) {
    expect(pace.isNext(5)).toBe(false);
    pace.countRequest(false);
  }
  expect(pace.isNext(5)).toBe(true);
});

test('none comes while the URLs of two full sitemaps wait', () => {
  expect(new SitemapPace().isNext(99_999)).toBe(true);
  expect(new SitemapPace().isNext(100_000)).toBe(false);
});

test('no more than the limit are admitted, over all turns, and only a host with some keeps a pace', () => {
  const pace = new SitemapPace();
  pace.countRequest(true);
  expect(pace.state()).toBeUndefined();
  expect([pace.admit(2), pace.admit(2), pace.admit(2)]).toEqual([true, true, false]);
  expect(pace.state()).toEqual({ known: 2, rest: 10 });
  const next = new SitemapPace(pace.state());
  expect(next.isNext(0)).toBe(false);
  expect([next.admit(2), next.admit(3)]).toEqual([false, true]);
  expect(next.state()).toEqual({ known: 3, rest: 10 });
});
