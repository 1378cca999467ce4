/** Pages whose use is forbidden. */
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import type { WebRequest } from '../../worlds/spec.ts';
import {
  crawlFacts,
  FIELD,
  FILED,
  HOME,
  makeFacts,
  RESERVED,
  ROBOTS,
  request,
  urlRecord,
  violationsOf,
} from './made-facts.ts';

const FILE = 'http://a.test/.well-known/tdmrep.json';
const AI = { purpose: 'train-ai' } as const;

describe('purposeKept', () => {
  const page = (url: string, result: Partial<UrlRecord['result']> = {}) =>
    urlRecord(url, 'fetched', 200, { result: { fetchedAt: 0, httpStatus: 200, ...result } });
  const found = (
    url: string,
    config: CrawlOptions,
    { log = [], items = [url] }: { log?: WebRequest[]; items?: string[] } = {},
    result: Partial<UrlRecord['result']> = {},
  ) =>
    violationsOf(
      'purposeKept',
      makeFacts({ log, crawls: [crawlFacts([page(url, result)], { config, items })] }),
    );

  test('an item of a page whose answer forbids the use is found, in a crawl with such a purpose', () => {
    expect(found(FIELD, AI)).toEqual([
      `purposeKept: crawl: there is an item of ${FIELD}, whose use is forbidden`,
    ]);
    expect(found(FIELD, { purpose: 'search' })).toHaveLength(1);
    for (const config of [{}, { purpose: 'archive' }] as const) expect(found(FIELD, config)).toEqual([]);
    expect(found(HOME, AI)).toEqual([]);
  });

  test('an item of a page that the file reserves is found where the file was answered, and the crawl analyses texts', () => {
    const answered = [request(FILE, 0, 0.1)];
    expect(found(FILED, AI, { log: answered })).toHaveLength(1);
    expect(found(FILED, { purpose: 'search' }, { log: answered })).toEqual([]);
    expect(found(FILED, AI)).toEqual([]);
    expect(found(FILED, AI, { log: [...answered, request(FILE, 1, 1.1, { httpStatus: 503 })] })).toEqual([]);
  });

  test('a page that is kept back though nothing forbids its use is found', () => {
    const cause = { code: 'usageForbidden', use: 'train-ai' } as const;
    expect(found(FIELD, AI, { items: [] }, { cause })).toEqual([]);
    expect(found(HOME, AI, { items: [] }, { cause })).toEqual([
      `purposeKept: crawl: ${HOME} is kept back, and nothing forbids its use`,
    ]);
    expect(found(FIELD, {}, { items: [] }, { cause })).toHaveLength(1);
  });
});

describe('robotsObeyed', () => {
  const log = [request(ROBOTS, 0, 0.1, { robotsVersion: 0 }), request(RESERVED, 1, 1.1)];
  const obeyed = (config: CrawlOptions) =>
    violationsOf('robotsObeyed', makeFacts({ log, crawls: [crawlFacts([page], { config })] }));
  const page = urlRecord(RESERVED, 'fetched', 200);

  test('a page of which robots.txt forbids the use is found where it was requested for that use', () => {
    expect(obeyed({})).toEqual([]);
    expect(obeyed({ purpose: 'archive' })).toEqual([]);
    expect(obeyed(AI)).toEqual([expect.stringContaining('robots.txt forbids it')]);
  });
});
