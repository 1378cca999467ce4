import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { findLines } from '../../../../shared/engines/local/archive/find-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'strand-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'lines');

async function found(lines: readonly string[], prefix: string): Promise<string[]> {
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''), 'latin1');
  return findLines(path, prefix);
}

test('finds the lines with a prefix in a file that is larger than one read', async () => {
  const key = (i: number) => String(i).padStart(6, '0');
  const lines = Array.from({ length: 20_000 }, (_, i) => `org,example)/${key(Math.floor(i / 3))} 2026 ${i}`);
  for (const i of [0, 1, 999, 3333, 6665, 6666]) {
    const prefix = `org,example)/${key(i)} `;
    expect(await found(lines, prefix), key(i)).toEqual(lines.filter((line) => line.startsWith(prefix)));
  }
  expect(await found(lines, 'org,example)/000000')).toHaveLength(3);
  expect(await found(lines, 'aaa')).toEqual([]);
  expect(await found(lines, 'zzz')).toEqual([]);
  expect(await found([], 'a')).toEqual([]);
});

test('finds what a search of all lines finds, however long they are', async () => {
  const line = fc
    .tuple(fc.constantFrom('a', 'b', 'ba', 'c'), fc.integer({ min: 0, max: 4 }))
    .map(([key, size]) => `${key} ${'x'.repeat([0, 10, 1000, 70_000, 300_000][size] as number)}`);
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 30 }),
      fc.constantFrom('a ', 'b ', 'ba ', 'c ', 'd ', 'b'),
      async (given, prefix) => {
        const lines = given.toSorted();
        expect(await found(lines, prefix)).toEqual(lines.filter((one) => one.startsWith(prefix)));
      },
    ),
    { numRuns: 60 },
  );
});
