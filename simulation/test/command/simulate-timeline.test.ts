import fc from 'fast-check';
import { expect, test } from 'vitest';
import { T0 } from '../../models/virtual-time.ts';
import type { TimelineEntry, Violation } from '../../worlds/spec.ts';
import { formatAt, hostsOf, timelineLines } from '../../worlds/timeline.ts';

const ENTRIES: readonly TimelineEntry[] = [
  { at: T0, what: 'the operator begins' },
  { at: T0 + 5, process: 'worker-1', what: 'starts' },
  { at: T0 + 6, process: 'worker-2', what: 'starts' },
  { at: T0 + 900, process: 'worker-1', host: 'a.test', what: 'GET http://a.test/' },
  { at: T0 + 950, process: 'worker-1', host: 'b.test', what: 'GET http://b.test/' },
  { at: T0 + 12_345, process: 'worker-1', what: 'dies: killed' },
  { at: T0 + 12_400, process: 'worker-2', host: 'b.test', what: 'token' },
];
const VIOLATION: Violation = {
  invariant: 'unhurried',
  message: 'too early',
  host: 'a.test',
  at: T0 + 1000,
};

test('of a host: what names it, and what its processes did that concerns no other', () => {
  expect(timelineLines(ENTRIES, { host: 'a.test', violations: [VIOLATION] })).toEqual([
    '    +0.000 s            the operator begins',
    '    +0.005 s  worker-1  starts',
    '    +0.900 s  worker-1  GET http://a.test/',
    '>>  +1.000 s            unhurried: too early',
    '   +12.345 s  worker-1  dies: killed',
  ]);
});

test('of all: each line says whose it is, once', () => {
  expect(timelineLines(ENTRIES.slice(-3), { violations: [VIOLATION] })).toEqual([
    '    +0.950 s  worker-1  GET http://b.test/',
    '>>  +1.000 s            a.test: unhurried: too early',
    '   +12.345 s  worker-1  dies: killed',
    '   +12.400 s  worker-2  b.test: token',
  ]);
});

test('a host to which nothing happened has no lines', () => {
  expect(timelineLines(ENTRIES.slice(-1), { host: 'c.test', violations: [] })).toEqual([]);
});

test('what the web sent cannot write to the terminal', () => {
  const entry = { at: T0, host: 'a.test', what: 'GET /\x1b[31m\n' };
  expect(timelineLines([entry], { host: 'a.test', violations: [] })).toEqual([
    '   +0.000 s    GET /\ufffd[31m\ufffd',
  ]);
});

test('a long one is cut around the violation, and says how much is missing', () => {
  const many = Array.from({ length: 5000 }, (_, i) => ({
    at: T0 + i * 10,
    host: 'a.test',
    what: `step ${i}`,
  }));
  const violations = [{ ...VIOLATION, at: T0 + 30_000 }];
  const lines = timelineLines(many, { host: 'a.test', violations, maxLines: 100 });
  expect(lines).toHaveLength(102);
  expect(lines[0]).toContain('step 0');
  expect(lines.at(-1)).toContain('step 4999');
  const mark = lines.findIndex((line) => line.startsWith('>>'));
  expect(lines[mark - 1]).toContain('step 3000');
  expect(lines[mark + 1]).toContain('step 3001');
  expect(lines.filter((line) => line.includes('more (--all shows them)'))).toHaveLength(2);
});

test('wherever it is cut, the shown lines and the count of missing ones add up', () => {
  const arbitrary = fc.record({
    count: fc.integer({ min: 0, max: 400 }),
    maxLines: fc.integer({ min: 4, max: 300 }),
    at: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(arbitrary, ({ count, maxLines, at }) => {
      const entries = Array.from({ length: count }, (_, i) => ({
        at: T0 + i,
        host: 'a',
        what: `step ${i};`,
      }));
      const violations = at === undefined ? [] : [{ ...VIOLATION, host: 'a', at: T0 + at }];
      const lines = timelineLines(entries, { host: 'a', violations, maxLines });
      const isGap = (line: string) => line.includes(' more (');
      const missing = lines.filter(isGap).map((line) => Number(/\.\.\. (\d+) more/.exec(line)?.[1]));
      const shown = lines.filter((line) => !isGap(line));
      expect(shown.length).toBeLessThanOrEqual(maxLines);
      expect(missing.every((left) => left > 0)).toBe(true);
      expect(missing.reduce((sum, left) => sum + left, shown.length)).toBe(count + violations.length);
      if (at !== undefined) expect(lines.some((line) => line.startsWith('>>'))).toBe(true);
    }),
  );
});

test('times are relative to the beginning, with thousands apart', () => {
  expect(formatAt(T0)).toBe('+0.000 s');
  expect(formatAt(T0 + 1_234_567)).toBe('+1,234.567 s');
  expect(formatAt(T0 - 1500)).toBe('-1.500 s');
});

test('hosts are listed by how much happened to them', () => {
  expect(hostsOf(ENTRIES)).toEqual(['b.test', 'a.test']);
});
