import { expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { LateWatch } from '../../../shared/crawler/crawl-state/late-watch.ts';

const at = (text: string): number => Date.parse(text);
const crawl = { config: parseConfig({ recrawlSchedule: '0 6 * * *' }) };

test('says once between two times that pages have skipped one, with those since the last sentence', () => {
  const watch = new LateWatch();
  expect(watch.look(crawl, 7, at('2026-11-01T06:10Z')), 'from before').toBeUndefined();
  expect(watch.look(crawl, 8, at('2026-11-01T06:11Z'))).toContain(
    '1 page was fetched only after the next time',
  );
  expect(watch.look(crawl, 20, at('2026-11-02T05:59Z'))).toBeUndefined();
  expect(watch.look(crawl, 21, at('2026-11-02T06:00Z'))).toContain('13 pages were');
  expect(watch.look(crawl, 21, at('2026-11-03T06:00Z'))).toBeUndefined();
});

test('a crawl without a schedule skips none', () => {
  const watch = new LateWatch();
  const without = { config: parseConfig({}) };
  expect(watch.look(without, 0, 0)).toBeUndefined();
  expect(watch.look(without, 5, 1000)).toBeUndefined();
});
