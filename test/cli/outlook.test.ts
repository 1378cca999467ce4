import { expect, test } from 'vitest';
import type { CrawlProgress } from '../../api/crawl-events.ts';
import { createOutlook } from '../../cli/crawl/outlook.ts';

const progress = (more: Partial<CrawlProgress>): CrawlProgress => ({
  ...{ pages: 2, urls: 1300, waiting: 1238, hosts: 1, hostsActive: 1, hostsWaiting: 0, bytes: 0, errors: 0 },
  ...{ cached: 0, requests: 4, startedAt: 0, now: 3000, limits: {}, ...more },
});

function linesOf(...seen: readonly Partial<CrawlProgress>[]): string[] {
  const lines: string[] = [];
  const print = createOutlook((line) => lines.push(line));
  for (const one of seen) print(progress(one));
  return lines;
}

test('after the first requests to a site one line says how many pages are known, and how long they take', () => {
  expect(linesOf({ requests: 1, waiting: 0 }, { requests: 3 }, {}, { requests: 9, waiting: 5000 })).toEqual([
    'Known so far: about 1,240 pages, 21m at 1 page a second',
  ]);
});

test.each<[why: string, seen: Partial<CrawlProgress>, lines: string[]]>([
  [
    'a limit counts',
    { limits: { maxPages: 100 } },
    ['Known so far: about 100 pages, 1m 38s at 1 page a second'],
  ],
  [
    'the pace is that of the site',
    { now: 30_000 },
    ['Known so far: about 1,240 pages, 3h 26m at 0.1 pages a second'],
  ],
  ['several hosts are crawled side by side', { hosts: 2 }, []],
  ['few pages are soon there', { waiting: 40 }, []],
  ['no time has passed', { now: 0 }, []],
])('%s', (_, seen, lines) => {
  expect(linesOf(seen)).toEqual(lines);
});
