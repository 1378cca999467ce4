/** A block of URL records: the times in it, and each part that a record may lack. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeRecords, encodeRecords } from '../../../shared/core/frontier/record-block.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';

const HOST = 'example.org';
const NOW = 1_800_000_000_000;

const recordsOf = (times: readonly number[], more: (seenAt: number) => Partial<UrlRecord> = () => ({})) =>
  times.map(
    (ms, i): UrlRecord => ({
      url: `https://${HOST}/${i}`,
      state: 'waiting',
      depth: 1,
      level: 0,
      seenAt: NOW + ms,
      redirects: 0,
      attempts: 0,
      dueAt: 0,
      ...more(NOW + ms),
    }),
  );
const times = fc.array(fc.nat(10_000_000), { minLength: 1, maxLength: 20 });

test('when a URL was first seen is kept to the second, and never made later', () => {
  fc.assert(
    fc.property(times, (times) => {
      const seen = decodeRecords(HOST, encodeRecords(HOST, recordsOf(times))).map(({ seenAt }) => seenAt);
      expect(seen).toEqual(times.map((ms) => NOW + Math.floor(ms / 1000) * 1000));
    }),
  );
});

test('when a URL was fetched, and when it is due again, is kept to the millisecond', () => {
  fc.assert(
    fc.property(times, (times) => {
      const records = recordsOf(times, (seenAt) => ({
        ...{ attempts: 1, dueAt: seenAt + 77 },
        result: { fetchedAt: seenAt + 1 },
      }));
      const decoded = decodeRecords(HOST, encodeRecords(HOST, records));
      expect(decoded.map(({ dueAt, result }) => [dueAt, result?.fetchedAt])).toEqual(
        records.map(({ dueAt, result }) => [dueAt, result?.fetchedAt]),
      );
    }),
  );
});

test('each part of a result that a record has or lacks comes back so, beside any others', () => {
  const whole: NonNullable<UrlRecord['result']> = {
    ...{ fetchedAt: NOW, httpStatus: 200, contentType: 'text/html', bodyBytes: 0, tookMs: 0 },
    digest: Uint8Array.from({ length: 20 }, (_, i) => i),
    location: { file: 'f', offset: 7, length: 0 },
    ...{ cause: { code: 'other', text: 'x' }, duplicateOf: `https://${HOST}/0` },
  };
  const parts = Object.keys(whole).filter((part) => part !== 'fetchedAt') as (keyof typeof whole)[];
  const results = Array.from({ length: 2 ** parts.length }, (_, bits) => {
    const lacking = Object.fromEntries(
      parts.map((part, i) => [part, bits & (1 << i) ? whole[part] : undefined]),
    );
    const digest = lacking.digest && Uint8Array.from({ length: 20 }, (_, i) => (bits + i) & 0xff);
    return { ...whole, ...lacking, digest, fetchedAt: NOW + bits } as NonNullable<UrlRecord['result']>;
  });
  const records = results.map(
    (result, i): UrlRecord => ({
      ...(recordsOf([0])[0] as UrlRecord),
      ...{ url: `https://${HOST}/${i}`, state: 'fetched', result },
    }),
  );
  expect(decodeRecords(HOST, encodeRecords(HOST, records)).map(({ result }) => result)).toEqual(results);
});
