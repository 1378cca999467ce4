/** Each figure of the README is one of the last record of its claim, which is not old. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MACHINE } from '../../api/estimate/estimate-crawl.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

interface Saved {
  readonly claim: string;
  readonly figures: Readonly<Record<string, number>>;
  readonly at: string;
}

const RECORDS = read('bench/records.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Saved);
const NEWEST = Math.max(...RECORDS.map(({ at }) => Date.parse(at)));
const MAX_AGE_MS = 14 * 86_400_000;

test.each([
  [/\[([\d,.]+) pages a second\]/, 'page-path', 'pagesPerSecond', 'more'],
  [/\[([\d,.]+) hostile cases\]/, 'hostile', 'held', 'more'],
  [/\[\$([\d.]+) for a million pages\]/, 'cost', 'dollarsPerMillion', 'less'],
] as const)(
  '%s is not better than the record of %s, of the last two weeks',
  (text, claim, figure, better) => {
    const said = Number(text.exec(read('README.md'))?.[1]?.replaceAll(',', ''));
    const record = RECORDS.findLast((one) => one.claim === claim);
    const measured = Number(record?.figures[figure]?.toPrecision(3));
    expect(better === 'more' ? said <= measured : said >= measured, `${said} and ${measured}`).toBe(true);
    expect(NEWEST - Date.parse(record?.at ?? '')).toBeLessThan(MAX_AGE_MS);
  },
);

test('an estimate counts as many pages a second as the README says', () => {
  expect(read('README.md')).toContain(`[${MACHINE.pagesPerWorkerSecond} pages a second]`);
});

test('the README has no other figures of speed, memory or money', () => {
  const figures =
    read('README.md').match(/\$[\d.]+|[\d.,]+ (?:pages (?:a second|\/s)|[GM]B|ms\b)|[\d.]+ x /g) ?? [];
  // The others are the output of a crawl, and the size of an installation, which `test/packaging` measures.
  expect(figures).toEqual(['22 MB', '710 pages a second', '$1.97']);
});
