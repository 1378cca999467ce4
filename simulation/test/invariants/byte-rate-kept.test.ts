/** Hosts that send a certain number of bytes a second at most. */
import { expect, test } from 'vitest';
import { crawlFacts, makeFacts, RECORDS, request, struck, violationsOf } from './made-facts.ts';

const found = (log: ReturnType<typeof request>[], strikes = struck(), more: object = {}) => {
  const config = { maxBytesPerSecondPerHost: 1000, ...more };
  return violationsOf('byteRateKept', makeFacts({ log, crawls: [crawlFacts(RECORDS, { config })], strikes }));
};
const asked = (from: number, to: number, bytes: number, process = 'worker-1') =>
  request(`http://a.test/${from}`, from, to, { bytes, process });

test('a request before the bytes of those before it would have come at the rate is found', () => {
  expect(found([asked(0, 1, 5000), asked(5, 6, 0)])).toEqual([]);
  expect(found([asked(0, 1, 5000), asked(4.9, 6, 0)])).toEqual([
    expect.stringMatching(/^byteRateKept: .* began 4\.900 s after .* 5000 bytes .* takes 5\.000 s/),
  ]);
  expect(found([asked(0, 1, 3000), asked(3, 4, 2000), asked(4.5, 5, 0)])).toHaveLength(1);
  // Neither the time before a request nor what is in flight counts.
  expect(found([asked(0, 1, 0), asked(60, 61, 2000), asked(61.5, 62, 0)])).toHaveLength(1);
  expect(found([asked(0, 9, 5000), asked(1, 2, 500), asked(1.6, 3, 0)])).toEqual([]);
});

test('hosts have their own rates, and other hosts and aborted requests do not count', () => {
  const overrides = [{ hosts: ['a.test'], maxBytesPerSecondPerHost: 10_000 }];
  expect(found([asked(0, 1, 5000), asked(1, 2, 0)], struck(), { overrides })).toEqual([]);
  expect(found([request('http://b.test/', 0, 1, { bytes: 9000 }), asked(1, 2, 0)])).toEqual([]);
  expect(found([request('http://a.test/', 0, 1), asked(1, 2, 0)])).toEqual([]);
});

test('another process may be wrong by what clocks differ', () => {
  const log = [asked(0, 1, 15_000), asked(6, 7, 0, 'worker-2')];
  expect(found(log)).toHaveLength(1);
  expect(found(log, struck('clockSkew'))).toEqual([]);
});
