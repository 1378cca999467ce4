/** The result of a visit, as the ledger keeps it. */
import { describe, expect, test } from 'vitest';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import { type FinishedPage, resultOf } from '../../../../shared/crawler/turn/page/page-result.ts';

const sha1 = Uint8Array.of(1, 2, 3);
const response = {
  status: 'response',
  httpStatus: 200,
  headers: [['Content-Type', ' Text/HTML ; charset=x']],
  startedAt: 1000,
  endedAt: 1250,
  body: { size: 70, sha1 },
};
const copyOf = (duplicateOf: string) => ({ result: { duplicateOf } }) as Pick<UrlRecord, 'result'>;

function resultIn(more: object = {}, before: Pick<UrlRecord, 'result'> = {}) {
  const location = { file: 'a.warc.gz', offset: 0, length: 9 };
  const finished = {
    startedAt: 1000,
    response,
    verdict: { isFinal: true },
    page: { state: 'fetched' },
    archived: { location },
    ...more,
  };
  return resultOf(finished as unknown as FinishedPage, before);
}

test('a page that was archived has its place there, its digest, and how long it took', () => {
  expect(resultIn()).toEqual({
    fetchedAt: 1000,
    httpStatus: 200,
    contentType: 'text/html',
    digest: sha1,
    location: { file: 'a.warc.gz', offset: 0, length: 9 },
    bodyBytes: 70,
    tookMs: 250,
  });
});

test('a try that is repeated has a status, and its bytes only if the body broke off', () => {
  const failed = { verdict: { isFinal: false }, archived: undefined, page: { state: 'waiting' } };
  expect(resultIn(failed)).toEqual({ fetchedAt: 1000, httpStatus: 200, contentType: 'text/html' });
  const brokenOff = { ...failed, response: { ...response, truncated: 'disconnect' } };
  expect(resultIn(brokenOff)).toMatchObject({ bodyBytes: 70 });
  expect(resultIn({ ...failed, response: undefined })).toEqual({ fetchedAt: 1000 });
});

test('an answer of an earlier crawl has no time', () => {
  const cached = { ...response, cache: { kind: 'hit' } };
  expect(resultIn({ response: cached })).toMatchObject({ bodyBytes: 70 });
  expect(resultIn({ response: cached }).tookMs).toBeUndefined();
});

describe('a copy', () => {
  test('is one of the page that this visit has found', () => {
    const page = { state: 'fetched', duplicateOf: 'http://a.test/original' };
    expect(resultIn({ page }, copyOf('http://a.test/before')).duplicateOf).toBe('http://a.test/original');
    expect(resultIn({}, copyOf('http://a.test/before')).duplicateOf).toBeUndefined();
  });

  test('that was freed stays one while it waits', () => {
    const waits = { page: { state: 'waiting' }, verdict: { isFinal: false } };
    expect(resultIn(waits, copyOf('http://a.test/before')).duplicateOf).toBe('http://a.test/before');
  });
});

test.each([
  ['as the parser has found it', { mimeType: 'text/markdown' }, 'text/markdown'],
  ['as the response says', {}, 'text/html'],
  ['of at most 100 characters', { mimeType: 'x'.repeat(150) }, 'x'.repeat(100)],
])('the media type is kept %s', (_, facts, contentType) => {
  expect(resultIn({ page: { state: 'fetched', facts } }).contentType).toBe(contentType);
});
