import { expect, test } from 'vitest';
import { createCrawlEnd } from '../../functions/crawl-end.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { RECORD } from '../contract/subjects.ts';

function setUp(seconds = 61.5) {
  const begun: unknown[] = [];
  const calls = { summaries: 0, loads: 0 };
  const end = createCrawlEnd({
    async load() {
      calls.loads++;
      throw new Error('the file of the project cannot be loaded');
    },
    state: { readNow: async () => new Map(), change: async () => {} } as never,
    async summarize() {
      calls.summaries++;
      return { seconds } as CrawlSummary;
    },
    beginExport: async (...request) => begun.push(request),
    clock: systemClock,
    log: () => {},
  });
  return { end, begun, calls };
}

test('the export of the documents begins, by a name of this end, also if the project cannot be loaded', async () => {
  const { end, begun } = setUp();
  const record = { ...RECORD, config: { ...RECORD.config, documents: true } };
  await expect(end('news', record)).rejects.toThrow('cannot be loaded');
  await expect(end('news', record)).rejects.toThrow('cannot be loaded');
  const expected = ['news', { format: 'documents', tables: ['documents'] }, 'documents-end-61s'];
  expect(begun).toEqual([expected, expected]);
});

test('without the setting nothing is begun, and nothing is summed up for it', async () => {
  const { end, begun, calls } = setUp();
  await expect(end('news', RECORD)).rejects.toThrow('cannot be loaded');
  expect(begun).toEqual([]);
  expect(calls).toEqual({ summaries: 0, loads: 1 });
});
