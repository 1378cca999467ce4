import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ALL_CASES } from '../../bench/claims/hostile/cases/all-cases.ts';
import { crawlHostile } from '../../bench/claims/hostile/crawl-hostile.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { OPEN } from './open-cases.ts';

const QUICK = ALL_CASES.filter(({ isQuick, name }) => isQuick && !Object.hasOwn(OPEN, name));
const CONFIG = join(import.meta.dirname, 'strand.config.ts');
/** Some 30 s on an idle machine, many times that on a busy one; this is for a crawl that hangs. */
const MAX_TIME_MS = 900_000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-hostile-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test(
  'hostile servers neither stop the crawl nor lead it to private addresses, and each case holds',
  async () => {
    const crawl = await crawlHostile(folder, QUICK, { maxTimeMs: MAX_TIME_MS, args: ['--config', CONFIG] });
    const failed = crawl.judged.filter(({ failures }) => failures.length > 0);
    expect(failed.map(({ one, failures }) => [one.name, ...failures])).toEqual([]);
    expect(crawl.canaries).toEqual([]);
    expect(crawl.outputFaults).toEqual([]);
    // Hosts are given up, and bodies break off.
    expect(crawl.cost.code, crawl.cost.output).toBe(exitCodes.incomplete);
  },
  MAX_TIME_MS + 120_000,
);

test('every open case is one that there is', () => {
  const names = new Set(ALL_CASES.map(({ name }) => name));
  expect(Object.keys(OPEN).filter((name) => !names.has(name))).toEqual([]);
  expect(names.size).toBe(ALL_CASES.length);
});
