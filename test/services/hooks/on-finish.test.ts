import { expect, test } from 'vitest';
import { createCrawlState, createMemoryStore } from '../../../shared/services/hooks/crawl-state.ts';
import { callOnFinish } from '../../../shared/services/hooks/on-finish.ts';
import type { CrawlSummary } from '../../../shared/services/report/summary.ts';
import { handClock } from './made-page.ts';

const summary = { pages: 7 } as CrawlSummary;
const limits = { clock: handClock().clock, limitMs: 60_000 };

test('onFinish is called with the summary, and is waited for', async () => {
  const heard: number[] = [];
  const onFinish = async ({ pages }: CrawlSummary) => {
    await null;
    heard.push(pages);
  };
  expect(
    await callOnFinish({ onFinish }, summary, createCrawlState(createMemoryStore()), limits),
  ).toBeUndefined();
  expect(heard).toEqual([7]);
  expect(await callOnFinish({}, summary, createCrawlState(createMemoryStore()), limits)).toBeUndefined();
});

test('a failure of onFinish is reported, not thrown', async () => {
  const onFinish = () => {
    throw new Error('no\ndisk');
  };
  expect(await callOnFinish({ onFinish }, summary, createCrawlState(createMemoryStore()), limits)).toBe(
    'onFinish: no disk',
  );
});
