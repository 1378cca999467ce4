import { expect, test } from 'vitest';
import { TemplateQuota } from '../../../../shared/crawler/turn/links/template-quota.ts';
import { recordOf } from '../turn-fakes.ts';

const item = (n: number) => recordOf(`http://a.test/item/${n}`);
const open = (max?: number, stored?: string) => new TemplateQuota({ maxPagesPerTemplate: max }, stored);

test('pages count when they are there, and no more are reserved than may become pages', async () => {
  const quota = open(2);
  expect(await quota.reserve(item(1))).toBe(true);
  expect(quota.tryReserve(item(2))).toBe(true);
  expect(quota.tryReserve(item(3))).toBe(false);
  expect(quota.fullTemplateOf(item(3))).toBeUndefined();
  quota.end(item(1), true);
  // A redirect leaves room for another one.
  quota.end(item(2), false);
  expect(await quota.reserve(item(3))).toBe(true);
  quota.end(item(3), true);
  expect(quota.fullTemplateOf(item(4))).toBe('/item/0');
  expect(await quota.reserve(item(4))).toBe(false);
  expect(quota.tryReserve(recordOf('http://a.test/list?page=1'))).toBe(true);
});

test('who comes when the last one is in flight waits for its end', async () => {
  const quota = open(1);
  await quota.reserve(item(1));
  const waiting = [quota.reserve(item(2)), quota.reserve(item(3))];
  let ended = 0;
  for (const one of waiting) void one.then(() => ended++);
  await Promise.resolve();
  expect(ended).toBe(0);
  quota.end(item(1), false);
  expect(await waiting[0]).toBe(true);
  quota.end(item(2), true);
  expect(await waiting[1]).toBe(false);
});

test('a crawl without the quota counts and stores nothing', async () => {
  const quota = open();
  expect(await quota.reserve(item(1))).toBe(true);
  quota.end(item(1), true);
  quota.count(item(2));
  expect(quota.state()).toBeUndefined();
  expect(quota.fullTemplateOf(item(3))).toBeUndefined();
});

test('the counts are stored: another quota later has them', () => {
  const first = open(3);
  expect(first.state()).toBeUndefined();
  for (const n of [1, 2]) {
    first.tryReserve(item(n));
    first.end(item(n), true);
  }
  expect(open(3, first.state()).fullTemplateOf(item(3))).toBeUndefined();
  expect(open(2, first.state()).fullTemplateOf(item(3))).toBe('/item/0');
  first.count(item(3));
  expect(open(3, first.state()).fullTemplateOf(item(4))).toBe('/item/0');
});
