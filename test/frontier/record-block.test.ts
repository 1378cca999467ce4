/** A block of URL records: the times in it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeRecords, encodeRecords } from '../../shared/frontier/record-block.ts';
import type { UrlRecord } from '../../shared/frontier/url-record.ts';

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
