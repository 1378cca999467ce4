/** Hosts that may be asked at certain hours only. */
import { expect, test } from 'vitest';
import { crawlFacts, makeFacts, RECORDS, request, struck, violationsOf } from './made-facts.ts';

/** A world begins at midnight of a Thursday, UTC. */
const found = (from: number, strikes = struck()) => {
  const config = { overrides: [{ hosts: ['a.test'], hours: '23:45-00:01', days: 'wed,thu' }] };
  const log = [request('http://a.test/', from, from + 1), request('http://b.test/', from, from + 1)];
  return violationsOf('hoursKept', makeFacts({ log, crawls: [crawlFacts(RECORDS, { config })], strikes }));
};

test('a request outside the hours of its host is found, and by a clock that may differ it is not', () => {
  expect(found(59.999)).toEqual([]);
  expect(found(60)).toEqual([
    expect.stringMatching(
      /^hoursKept: http:\/\/a\.test\/ .*T0\+60\.000 s, outside .*wed,thu 23:45-00:01 UTC, which begin T0\+85500\.000 s/,
    ),
  ]);
  expect(found(60.1, struck('clockSkew'))).toEqual([]);
  expect(found(70, struck('clockSkew'))).toHaveLength(1);
});
