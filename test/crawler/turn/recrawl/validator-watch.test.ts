import { describe, expect, test } from 'vitest';
import type { ValidatorTrust } from '../../../../shared/core/frontier/head.ts';
import type { RecrawlState, UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import type { FetchedResponse } from '../../../../shared/core/outcome/fetch-outcome.ts';
import { ValidatorWatch } from '../../../../shared/crawler/turn/recrawl/validator-watch.ts';

const NOW = 1_000_000_000_000;
const DAY_MS = 86_400_000;
const LAST = 'Thu, 01 Jan 2026 00:00:00 GMT';

const response = (headers: Record<string, string> = {}, httpStatus = 200) =>
  ({ httpStatus, headers: Object.entries(headers), endedAt: NOW }) as unknown as FetchedResponse;
const record = (recrawl: Partial<RecrawlState> | undefined, more: Partial<UrlRecord> = {}) =>
  ({ url: 'http://a.test/', state: 'fetched', recrawl, result: { fetchedAt: NOW }, ...more }) as UrlRecord;
const watch = (validators?: ValidatorTrust) => new ValidatorWatch(validators && ({ validators } as never));
const trusted = { checked: 8, notModified: 1, ignored: 0 };

/** The fields of requests for pages that were fetched at different times. */
const fieldsOf = (given: ValidatorWatch, recrawl: Partial<RecrawlState>, count = 400) =>
  Array.from({ length: count }, (_, i) =>
    given.fieldsFor(record(recrawl, { result: { fetchedAt: NOW + 1000 * i } }), NOW),
  );
const plainShare = (given: ValidatorWatch) =>
  fieldsOf(given, { etag: '"a"' }).filter((fields) => fields === undefined).length / 400;

describe('a conditional request', () => {
  test('has the ETag, or else the time', () => {
    const some = (recrawl: Partial<RecrawlState>) => [
      ...new Set(fieldsOf(watch(trusted), recrawl).map((fields) => JSON.stringify(fields))),
    ];
    expect(some({ etag: '"a"', lastModified: LAST }).sort()).toEqual([
      '{"If-None-Match":"\\"a\\""}',
      undefined,
    ]);
    expect(some({ lastModified: LAST }).sort()).toEqual([`{"If-Modified-Since":"${LAST}"}`, undefined]);
    expect(some({})).toEqual([undefined]);
  });

  test('is not made for a page that was never fetched in full', () => {
    for (const [state, recrawl] of [
      ['gone', { etag: '"a"' }],
      ['fetched', undefined],
    ] as const)
      for (let i = 0; i < 50; i++)
        expect(
          watch(trusted).fieldsFor(record(recrawl, { state, result: { fetchedAt: NOW + i } }), NOW),
        ).toBeUndefined();
  });

  test('goes without its validator now and then: more often until eight were checked', () => {
    expect(plainShare(watch(trusted))).toBeGreaterThan(0.02);
    expect(plainShare(watch(trusted))).toBeLessThan(0.1);
    expect(plainShare(watch({ ...trusted, checked: 7 }))).toBeGreaterThan(0.18);
    expect(plainShare(watch({ ...trusted, checked: 7 }))).toBeLessThan(0.33);
    expect(plainShare(watch())).toBeGreaterThan(0.18);
  });

  test('follows from the URL and its last fetch', () => {
    const given = watch(trusted);
    expect(fieldsOf(given, { etag: '"a"' })).toEqual(fieldsOf(given, { etag: '"a"' }));
    const byUrl = Array.from({ length: 60 }, (_, i) =>
      given.fieldsFor(record({ etag: '"a"' }, { url: `http://a.test/${'x'.repeat(i)}` }), NOW),
    );
    expect(new Set(byUrl.map((fields) => fields === undefined)).size).toBe(2);
  });

  test('is made to no server that lies, until 90 days later, and to none that ignores it', () => {
    const share = (trust: Partial<ValidatorTrust>) => plainShare(watch({ ...trusted, ...trust }));
    expect(share({ liesUntil: NOW + 1 })).toBe(1);
    expect(share({ liesUntil: NOW })).toBeLessThan(0.1);
    expect(share({ notModified: 0, ignored: 10 })).toBe(1);
    expect(share({ notModified: 0, ignored: 9 })).toBeLessThan(0.1);
    expect(share({ notModified: 1, ignored: 10 })).toBeLessThan(0.1);
  });
});

test.each([
  [200, undefined, '"a"', false],
  [304, undefined, '"a"', true],
  [304, '"a"', '"a"', true],
  [304, 'W/"a"', '"a"', true],
  [304, '"a"', 'W/"a"', true],
  [304, '"b"', '"a"', false],
  [304, '"b"', undefined, true],
])('status %s with the ETag %s after one with %s: not modified %s', (status, etag, sent, expected) => {
  const answer = response(etag === undefined ? {} : { etag }, status);
  expect(watch().isNotModified(record({ etag: sent }), answer)).toBe(expected);
});

describe('validators', () => {
  test.each([
    [{ etag: '"a"', 'last-modified': LAST }, { etag: '"a"' }],
    [{ 'last-modified': LAST }, { lastModified: LAST }],
    [{}, { lastModified: undefined }],
    [{ etag: '' }, { lastModified: undefined }],
    [{ etag: 'e'.repeat(200) }, { etag: 'e'.repeat(200) }],
    [{ etag: 'e'.repeat(201), 'last-modified': LAST }, { lastModified: LAST }],
    [{ etag: 'a\u0001', 'last-modified': 'x\u007f' }, { lastModified: undefined }],
    [{ etag: '"\u00e9\t"' }, { etag: '"\u00e9\t"' }],
  ])('of %j are %j', (headers, expected) => {
    expect(watch().validatorsOf(response(headers), NOW)).toEqual(expected);
  });

  test('are not kept of a server that lies or ignores them', () => {
    const headers = { etag: '"a"' };
    expect(watch({ ...trusted, liesUntil: NOW + 1 }).validatorsOf(response(headers), NOW)).toEqual({});
    expect(watch({ ...trusted, notModified: 0, ignored: 10 }).validatorsOf(response(headers), NOW)).toEqual(
      {},
    );
  });
});

describe('the evidence', () => {
  const before = { etag: '"a"' } as RecrawlState;
  const counted = (...args: Parameters<ValidatorWatch['countFull']>) => {
    const given = watch({ checked: 2, notModified: 3, ignored: 4 });
    given.countFull(...args);
    return given.trust;
  };

  test('is nothing before the first conditional request', () => {
    expect(watch().trust).toBeUndefined();
    const given = watch();
    given.countNotModified();
    expect(given.trust).toEqual({ checked: 0, notModified: 1, ignored: 0 });
  });

  test('of a page that came in full though its validator was sent is that the server ignores it', () => {
    const unchanged = { checked: 2, notModified: 3, ignored: 4 };
    expect(counted(before, response({ etag: '"a"' }), true, false)).toEqual({ ...unchanged, ignored: 5 });
    expect(counted(before, response({ etag: '"a"' }), true, true)).toEqual(unchanged);
    expect(counted({} as RecrawlState, response(), true, false)).toEqual(unchanged);
  });

  test('of a change that the server noticed is that its validators are true, whether it was asked without them or not', () => {
    const seen = { checked: 3, notModified: 3, ignored: 4 };
    expect(counted(before, response({ etag: '"b"' }), true, true)).toEqual(seen);
    const byTime = { lastModified: LAST } as RecrawlState;
    expect(counted(byTime, response({ 'last-modified': `${LAST}x` }), true, true)).toEqual(seen);
  });

  test('of one that was requested without it is that it is true, or that it lies for 90 days', () => {
    const unchanged = { checked: 2, notModified: 3, ignored: 4 };
    expect(counted(before, response({ etag: '"a"' }), false, false)).toEqual({ ...unchanged, checked: 3 });
    expect(counted(before, response({ etag: '"b"' }), false, true)).toEqual(unchanged);
    expect(counted(before, response({ etag: '"b"' }), false, false)).toEqual(unchanged);
    expect(counted(before, response({ etag: '"a"' }), false, true)).toEqual({
      checked: 0,
      notModified: 0,
      ignored: 0,
      liesUntil: NOW + 90 * DAY_MS,
    });
    const byTime = { lastModified: LAST } as RecrawlState;
    expect(counted(byTime, response({ 'last-modified': LAST }), false, false)).toMatchObject({ checked: 3 });
    expect(counted(byTime, response({ 'last-modified': `${LAST}x` }), false, true)).toEqual(unchanged);
  });
});
