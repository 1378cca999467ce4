import { describe, expect, test } from 'vitest';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { requestUrl } from '../../../shared/core/url/request-url.ts';
import type { WebRequest } from '../../worlds/spec.ts';
import {
  crawlFacts,
  HOME,
  LOG,
  makeFacts,
  OTHER,
  RECORDS,
  request,
  urlRecord,
  violationsOf,
} from './made-facts.ts';

const CHANGE = 'http://a.test/posts/1/delete';
const WORDS = { words: ['a.test'] };
const left = (url: string) =>
  urlRecord(url, 'skipped', undefined, { result: { fetchedAt: 0, cause: { code: 'changeLink' } } });

describe('passwordsKept', () => {
  const found = (
    log: readonly WebRequest[],
    {
      records = [],
      ...more
    }: { readonly records?: readonly UrlRecord[]; readonly seeds?: readonly string[] } = {},
  ) => {
    const crawl = crawlFacts([...RECORDS, ...records], { openHosts: ['a.test'], ...more });
    return violationsOf('passwordsKept', makeFacts({ log, crawls: [crawl] }));
  };
  const opened = LOG.map((one) => (one.host === 'a.test' ? { ...one, ...WORDS } : one));

  test('each request with what opens its host alone holds', () => expect(found(opened)).toEqual([]));

  test('a request without it, or with that of another host, is found', () => {
    expect(found([...opened, request(HOME, 20, 21)])).toEqual([
      `passwordsKept: crawl: ${HOME} was requested T0+20.000 s without what opens its host`,
    ]);
    expect(found([...opened, request(OTHER, 20, 21, WORDS)])).toEqual([
      `passwordsKept: crawl: ${OTHER} was requested T0+20.000 s with what opens a.test`,
    ]);
  });

  test('a link that changes something is not requested, but by a seed or a hook', () => {
    const log = [...opened, request(CHANGE, 20, 21, WORDS)];
    expect(found(log)).toHaveLength(1);
    expect(found(log, { seeds: [HOME, CHANGE] })).toEqual([]);
    const byHook = requestUrl(CHANGE, { method: 'POST' });
    expect(found([...opened, request(byHook, 20, 21)])).toEqual([]);
    expect(found(opened, { records: [left(CHANGE)] })).toEqual([]);
  });

  test('what is left out must change something for somebody who is known, and be named by nobody', () => {
    expect(found(opened, { records: [left('http://b.test/posts/1/delete')] })).toHaveLength(1);
    expect(found(opened, { records: [left('http://a.test/posts/1')] })).toHaveLength(1);
    expect(found(opened, { records: [left(CHANGE)], seeds: [HOME, CHANGE] })).toHaveLength(1);
    expect(found(opened, { records: [left(requestUrl(CHANGE, { method: 'POST' }))] })).toHaveLength(1);
  });
});
