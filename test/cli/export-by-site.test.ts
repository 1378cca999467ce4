import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exportBySite } from '../../cli/export/export-by-site.ts';
import { UsageError } from '../../cli/usage-error.ts';

const SITES = [
  { site: 'https://a.test/', host: 'a.test', group: 'g', state: 'done', pages: 2 },
  { site: 'http://b.test:81/', host: 'b.test:81', state: 'done', pages: 1 },
] as const;

function folder() {
  const parent = mkdtempSync(join(tmpdir(), 'strand-by-site-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, 'out');
}

/** Rows of hosts as an engine gives them: those of one site need not follow one another. */
const crawlOf = (sites: readonly object[] = SITES) => ({
  sites: async ({ cursor }: { readonly cursor?: string | undefined }) =>
    cursor === undefined
      ? { counts: {}, sites: sites.slice(0, 1) as never, cursor: '1' }
      : { counts: {}, sites: sites.slice(1) as never },
  async *urls() {
    for (const host of ['a.test', 'b.test:81', 'www.a.test', 'other.test'])
      yield { url: `http://${host}/`, host, status: 'fetched' } as never;
  },
});

test('each site has a file with the rows of all its hosts', async () => {
  const out = folder();
  expect(await exportBySite(crawlOf(), { format: 'csv', out })).toBe(2);
  expect(readdirSync(out).sort()).toEqual(['a.test.csv', 'b.test_81.csv']);
  const lines = readFileSync(join(out, 'a.test.csv'), 'utf8').trimEnd().split('\r\n');
  expect(lines.map((line) => line.split(',')[0])).toEqual(['url', 'http://a.test/', 'http://www.a.test/']);
  await expect(exportBySite(crawlOf(), { format: 'csv', out })).rejects.toThrow(UsageError);
});

test('of a group alone, if one is given', async () => {
  const out = folder();
  expect(await exportBySite(crawlOf(), { format: 'jsonl', out, group: 'g' })).toBe(1);
  expect(readdirSync(out)).toEqual(['a.test.jsonl']);
});

test('a crawl without a list of sites is refused', async () => {
  const out = folder();
  await expect(exportBySite(crawlOf([]), { format: 'jsonl', out })).rejects.toThrow(/a list of sites/);
});
