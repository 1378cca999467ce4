/** Crawls that take a certain number of bytes a second of all hosts at most. */
import { expect, test } from 'vitest';
import { crawlFacts, makeFacts, RECORDS, request, struck, violationsOf } from './made-facts.ts';

const RATE = 10_000;
const found = (log: ReturnType<typeof request>[], strikes = struck()) => {
  const config = { maxBytesPerSecond: RATE };
  return violationsOf(
    'crawlRateKept',
    makeFacts({ log, crawls: [crawlFacts(RECORDS, { config })], strikes }),
  );
};
const asked = (host: string, from: number, to: number, bytes: number, process = 'worker-1') =>
  request(`http://${host}.test/${from}`, from, to, { bytes, process });
/** A thousand kilobytes of ten hosts within ten seconds. */
const many = (seconds: number, process = 'worker-1') =>
  Array.from({ length: 10 }, (_, i) => asked(`h${i}`, i * seconds, i * seconds + 0.5, 100_000, process));

test('more bytes of all hosts than the rate gives are found', () => {
  expect(found(many(10))).toEqual([]);
  const list = found(many(1));
  expect(list.length).toBeGreaterThan(0);
  expect(list[0]).toMatch(/^crawlRateKept: .* all hosts have sent .* bytes; at 10000 bytes\/s that takes/);
});

test('what is in flight does not count, and what was in flight at the begin had room before', () => {
  const open = Array.from({ length: 10 }, (_, i) => asked(`h${i}`, i, 60, 100_000));
  expect(found([...open, asked('last', 59, 61, 0)])).toEqual([]);
  expect(found([...open, asked('last', 63, 64, 0)]).length).toBeGreaterThan(0);
  const [first] = open as [ReturnType<typeof request>];
  const two = [asked('x', 2, 3, 40_000), asked('y', 3, 4, 40_000), asked('z', 8, 9, 0)];
  expect(found([first, ...two])).toEqual([]);
});

test('processes may together have a few minutes of the rate more, not more than that', () => {
  const processes = (count: number, seconds: number) =>
    Array.from({ length: count }, (_, i) => many(seconds, `worker-${i}`)).flat();
  expect(found(processes(2, 10))).toEqual([]);
  expect(found(processes(8, 10)).length).toBeGreaterThan(0);
  expect(found(processes(8, 10), struck('workerKilled'))).toEqual([]);
});

test('an answer that is larger than its room counts for another process when that has no place of before any more', () => {
  // Room for 10,000 bytes each, until then.
  const small = [0, 10, 20, 30].map((at) => asked('a', at, at + 1, 10_000, 'worker-2'));
  const large = asked('b', 40, 41, 30_000_000, 'worker-2');
  const later = (at: number, process: string) => [...small, large, asked('c', at, at + 1, 0, process)];
  expect(found(later(50, 'worker-2')).length).toBeGreaterThan(0);
  expect(found(later(50, 'worker-1'))).toEqual([]);
  expect(found(later(1300, 'worker-1')).length).toBeGreaterThan(0);
});
