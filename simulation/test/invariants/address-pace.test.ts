/** The pace of IP addresses that several hosts share. */
import { expect, test } from 'vitest';
import { crawlFacts, makeFacts, RECORDS, request, violationsOf } from './made-facts.ts';

const at = (address: string, process = 'worker-1') => ({ address, process });
const found = (log: ReturnType<typeof request>[], ipDelayMs = 2000) =>
  violationsOf('addressPace', makeFacts({ log, crawls: [crawlFacts(RECORDS, { config: { ipDelayMs } })] }));

test('two hosts at one address that are asked too soon after one another by one process are found', () => {
  const first = request('http://a.test/', 1, 2, at('10.0.0.1'));
  const second = (from: number, where = at('10.0.0.1')) => request('http://b.test/', from, from + 1, where);
  expect(found([first, second(4)])).toEqual([]);
  expect(found([first, second(3.9)])).toEqual([
    expect.stringMatching(/^addressPace: http:\/\/b\.test\/ .* began 1\.900 s after the end/),
  ]);
  expect(found([first, second(1.5)])).toHaveLength(1);
  expect(found([first, second(3.9, at('10.0.0.2'))])).toEqual([]);
  expect(found([first, second(3.9, at('10.0.0.1', 'worker-2'))])).toEqual([]);
  expect(found([first, second(1.5)], 0)).toEqual([]);
});
