/** Pages that are taken for ones that do not exist. */
import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { isProbe } from '../../invariants/soft-404.ts';
import { crawlFacts, HOME, makeFacts, request, urlRecord, violationsOf } from './made-facts.ts';

const MISSING = 'http://a.test/missing/x';
const THERE = 'http://a.test/x';
const PROBE = 'http://a.test/abcdefghijklmn';
const home = urlRecord(HOME, 'fetched', 200);
const found = (records: UrlRecord[], config: CrawlOptions = {}, probes = 0) =>
  violationsOf(
    'soft404',
    makeFacts({
      log: Array.from({ length: probes }, (_, i) => request(PROBE, 10 + i, 10.5 + i)),
      crawls: [crawlFacts([home, ...records], { config })],
    }),
  );
const gone = (url: string) =>
  urlRecord(url, 'gone', 200, { result: { fetchedAt: 0, cause: { code: 'softNotFound', probe: PROBE } } });

test('a page that exists and is taken for missing is found, and so is a redirect', () => {
  expect(found([gone(MISSING)])).toEqual([]);
  expect(found([gone(THERE)])).toEqual([`soft404: crawl: ${THERE} is taken for a page that does not exist`]);
  const cause = { code: 'redirect', to: HOME, isNotFound: true } as const;
  expect(found([urlRecord(MISSING, 'redirect', 302, { result: { fetchedAt: 0, cause } })])).toHaveLength(1);
});

test('a probe too many is found', () => {
  expect(
    ['/abcdefghijklmn', '/a/abcdefghijklmn.html', '/abcdefghijklmn/'].map((path) =>
      isProbe(`http://a.test${path}`),
    ),
  ).toEqual([true, true, true]);
  expect(isProbe(THERE)).toBe(false);
  expect(found([], {}, 0)).toEqual([]);
  expect(found([], { soft404: false }, 1)).toEqual([expect.stringContaining(`${PROBE} was requested`)]);
  expect(found([], { soft404: true }, 1)).toEqual([]);
  expect(found([], { soft404: true }, 2)).toHaveLength(1);
  expect(found([], { soft404: true, scope: 'page' }, 1)).toHaveLength(1);
});
