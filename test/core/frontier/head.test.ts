/** The totals of hosts, and heads as they are stored. */
import { expect, test } from 'vitest';
import { NEW_HEAD, parseHead } from '../../../shared/core/frontier/head.ts';
import {
  addCounts,
  addTotals,
  COUNT_MAPS,
  exchangesOf,
  type HostTotals,
  NO_TOTALS,
} from '../../../shared/core/frontier/host-totals.ts';

const COUNTED = [...COUNT_MAPS];

test('totals are added key by key, and counts that neither has stay out', () => {
  const totals = (factor: number, from: number): HostTotals =>
    ({
      ...{
        pages: factor,
        bytes: 10 * factor,
        requests: 100 * factor,
        httpStatus: {},
        skipped: {},
        errors: {},
      },
      ...Object.fromEntries(
        COUNTED.map((map, i) => [map, { both: factor * (i + 1), [`of${from}`]: factor }]),
      ),
    }) as unknown as HostTotals;
  const expected = (a: number, b: number) => ({
    ...{ pages: a + b, bytes: 10 * (a + b), requests: 100 * (a + b) },
    ...Object.fromEntries(COUNTED.map((map, i) => [map, { both: (a + b) * (i + 1), of1: a, of2: b }])),
  });
  expect(addTotals(totals(2, 1), totals(3, 2))).toEqual(expected(2, 3));
  expect(addTotals(NO_TOTALS, NO_TOTALS)).toEqual(NO_TOTALS);
  expect(addTotals(totals(2, 1), NO_TOTALS)).toEqual(totals(2, 1));
  expect(addTotals(NO_TOTALS, totals(2, 1))).toEqual(totals(2, 1));
  expect(Object.keys(addTotals(NO_TOTALS, NO_TOTALS)).sort()).toEqual(Object.keys(NO_TOTALS).sort());
});

test('counts are added, and those that are added stay as they are', () => {
  const [a, b] = [
    { x: 1, y: 2 },
    { y: 5, z: -1 },
  ];
  expect(addCounts(a, b)).toEqual({ x: 1, y: 7, z: -1 });
  expect([a, b]).toEqual([
    { x: 1, y: 2 },
    { y: 5, z: -1 },
  ]);
});

test('exchanges are requests, and what the cache answered', () => {
  expect([exchangesOf({ requests: 3 }), exchangesOf({ requests: 3, cache: { hit: 4, miss: 9 } })]).toEqual([
    3, 7,
  ]);
});

test('a head comes back as it was stored, with each of its causes as data', () => {
  const cause = { code: 'httpStatus', httpStatus: 503 } as const;
  const head = {
    ...NEW_HEAD,
    clock: { nextFetchAt: 5, failures: 2, cause },
    setAside: { cause, at: 7 },
    closedOrigins: [{ origin: 'http://a.test', until: 9, failures: 1, cause }],
    quarantine: [{ url: 'http://a.test/', cause }],
  };
  expect(parseHead(JSON.stringify(head), 'a table')).toEqual(head);
  expect(parseHead(JSON.stringify(NEW_HEAD), 'a table')).toEqual(NEW_HEAD);
  const later = { code: 'ofLater', at: 7 };
  const newer = JSON.parse(JSON.stringify(head), (key, value) => (key === 'cause' ? later : value));
  const other = { code: 'other', text: JSON.stringify(later) };
  expect(parseHead(JSON.stringify(newer), 'a table')).toEqual({
    ...head,
    clock: { ...head.clock, cause: other },
    setAside: { cause: other, at: 7 },
    closedOrigins: [{ ...head.closedOrigins[0], cause: other }],
    quarantine: [{ url: 'http://a.test/', cause: other }],
  });
});

test.each([undefined, '', '{', 'null', '[]', '7', '"x"', '{}', '{"clock":null}', '{"clock":7}'])(
  'what is stored as %j is no head: the error says where it is and what helps',
  (text) => {
    expect(() => parseHead(text, 'the table t, at pk c a.test,')).toThrow(
      /^The head of a host in the table t, at pk c a.test, is damaged: ".*". Restore it from a backup, or delete the crawl$/,
    );
  },
);
