import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DuplicatePages } from '../../api/duplicates.ts';
import { openCrawl, resumeCrawl, startCrawl } from '../../api/index.ts';
import { printDuplicates } from '../../cli/verbs/duplicates.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { type SmallSite, startSite } from '../local-crawl/small-site.ts';

const WORDS =
  'ship quay wind rope sail mast keel deck hull storm tide port star chart bell anchor wave fish net gull'.split(
    ' ',
  );
/** 100 words in an order that no two numbers share (a linear congruential generator). */
function textOf(n: number): string {
  let state = n;
  const word = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[(state >>> 16) % WORDS.length];
  };
  return Array.from({ length: 100 }, word).join(' ');
}
const pageOf = (main: string) =>
  `<title>A harbour</title><nav><p>All that our harbour has to offer to its guests</p></nav><main>${main}</main>`;
const long = (n: number, more = '') => pageOf(`<p>${textOf(n)}</p><p>${more}</p>`);

const pages: Record<string, string> = {
  '/': long(
    1,
    ['/a', '/a-copy', '/price?x=1', '/price?x=2', '/short', '/short-2', '/b']
      .map((path) => `<a href="${path}">x</a>`)
      .join(' '),
  ),
  '/a': long(2),
  '/a-copy': long(2, 'Printed for you'),
  '/price?x=1': long(3, 'Now for 13.99 on 3 May'),
  '/price?x=2': long(3, 'Now for 7 on 11 June 2025'),
  '/b': long(4),
  '/short': pageOf('<p>No ship today'),
  '/short-2': pageOf('<p>No ship today'),
};

let site: SmallSite;
let out: string;
beforeAll(async () => {
  out = join(mkdtempSync(join(tmpdir(), 'strand-duplicates-')), 'c');
  site = await startSite(pages, { address: '127.78.0.122' });
  await (await startCrawl({ ...QUICK, seeds: [`${site.url}/`], out })).done;
});
afterAll(async () => {
  await site.stop();
  rmSync(join(out, '..'), { recursive: true, force: true });
});

const shown = ({ clusters }: DuplicatePages) =>
  clusters
    .map(({ original, copies }) =>
      [original, ...copies.map(({ url }) => url)].map((url) => url.slice(site.url.length)),
    )
    .sort();

test('pages that are nearly the same, but for numbers and dates, are found; short ones are not compared', async () => {
  await using crawl = await openCrawl(out);
  let read = 0;
  const found = await crawl.duplicates({ onRead: () => read++ });
  expect(shown(found)).toEqual([
    ['/a', '/a-copy'],
    ['/price?x=1', '/price?x=2'],
  ]);
  expect(found).toMatchObject({ pages: 6, copies: 2 });
  expect(found.clusters[0]?.copies[0]?.similarity).toBeGreaterThanOrEqual(0.8);
  expect(read).toBe(8);
  expect(await crawl.duplicates({ onRead: () => read++ })).toEqual(found);
  expect(read).toBe(8);
});

test('a page that came since is compared', async () => {
  pages['/later'] = long(4, 'A later copy');
  await using crawl = await openCrawl(out);
  await crawl.addSeeds([`${site.url}/later`]);
  await (await resumeCrawl(out, {})).done;
  await using later = await openCrawl(out);
  expect(shown(await later.duplicates())).toContainEqual(['/b', '/later']);
});

test('once they were looked for, a page names its copies or its original, and the report has the largest clusters', async () => {
  await using crawl = await openCrawl(out);
  await crawl.duplicates();
  const at = (path: string) => `${site.url}${path}`;
  expect(await crawl.url(at('/a'))).toMatchObject({
    copyCount: 1,
    copies: [{ url: at('/a-copy') }],
  });
  expect((await crawl.url(at('/a-copy')))?.duplicateOf).toBe(at('/a'));
  expect((await crawl.url(at('/short')))?.duplicateOf).toBeUndefined();
  expect((await crawl.report()).nearDuplicates).toMatchObject({ pages: 3, largest: [{ copies: 1 }, {}, {}] });
});

test('the command prints clusters as text and as lines of JSON, up to a limit', async () => {
  await using crawl = await openCrawl(out);
  const printed = async (options: { json: boolean; limit?: number }) => {
    let text = '';
    const write = (part: string) => {
      text += part;
      return true;
    };
    await printDuplicates(crawl, options, { write } as never);
    return text;
  };
  const text = await printed({ json: false, limit: 1 });
  expect(text).toContain('and 2 further clusters (--limit 3 shows all)');
  expect(text).toMatch(/^http:\/\/[^\n]*\n {2}\d\.\d\d {2}http:\/\/[^\n]*\n\n/);
  const lines = (await printed({ json: true })).trim().split('\n');
  expect(lines).toHaveLength(3);
  expect(JSON.parse(lines[0]!)).toEqual({
    original: expect.any(String),
    copies: [{ url: expect.any(String), similarity: expect.any(Number) }],
  });
});
