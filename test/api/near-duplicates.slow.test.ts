/** Crawls that mark or skip pages with nearly the same text, from the option to what people see. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCrawl, startCrawl } from '../../api/index.ts';
import { urlText } from '../../cli/export-rows.ts';
import { reportText } from '../../cli/report/report-text.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { type SmallSite, startSite } from '../local-crawl/small-site.ts';

/** 100 words in an order that no two numbers share. */
function textOf(n: number): string {
  let state = n;
  const word = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return `w${String.fromCharCode(97 + (state >>> 28), 97 + ((state >>> 20) & 15))}`;
  };
  return Array.from({ length: 100 }, word).join(' ');
}
/**
 * Items 1 to 5 differ. The others, which item 5 links to and which so come later, have the text of item 1, another price, and a
 * link of their own.
 */
const ITEMS = [1, 2, 3, 4, 5, 6, 7, 8];
const linksTo = (items: readonly number[]) => items.map((n) => `<a href="/item/${n}">x</a>`).join('');
const pages: Record<string, string> = {
  '/': `<p>${textOf(99)}</p>${linksTo(ITEMS.slice(0, 5))}`,
  ...Object.fromEntries(
    ITEMS.map((n) => [
      `/item/${n}`,
      `<h1>Item ${n}</h1><p>${textOf(n > 5 ? 1 : n)}</p><p>Now for ${n}.99</p><a href="/deep/${n}">x</a>${n === 5 ? linksTo([6, 7, 8]) : ''}`,
    ]),
  ),
  ...Object.fromEntries(ITEMS.map((n) => [`/deep/${n}`, `<p>${textOf(100 + n)}</p>`])),
};

/** Pages of one visit are compared, and a visit lasts as long as the crawl has: so it has lasted when the first page comes. */
const ROBOTS_MS = 8000;

let site: SmallSite;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-near-'));
  site = await startSite(pages, { address: '127.78.0.123', robotsDelayMs: ROBOTS_MS });
});
afterAll(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function crawled(nearDuplicates: 'mark' | 'skip' | 'off') {
  const out = join(folder, nearDuplicates);
  const shown: (string | undefined)[] = [];
  const onPage = ({ duplicateOf }: { duplicateOf?: string }) => void shown.push(duplicateOf);
  const running = await startCrawl({
    ...QUICK,
    seeds: [`${site.url}/`],
    out,
    nearDuplicates,
    onPage,
  });
  const summary = await running.done;
  const crawl = await openCrawl(out);
  const rows = [];
  for await (const row of crawl.urls()) if (row.duplicateOf !== undefined) rows.push(row);
  const documents = [];
  for await (const document of crawl.documents()) documents.push(document);
  return { crawl, summary, rows, documents, shown };
}

test('marked pages are crawled like others, and each place names the page that came first', async () => {
  const { crawl, summary, rows, documents, shown } = await crawled('mark');
  await using _ = crawl;
  expect(summary).toMatchObject({ pages: 17, hints: { nearDuplicate: 3 } });
  expect(rows).toHaveLength(3);
  const original = rows[0]!.duplicateOf!;
  for (const row of rows) expect(row).toMatchObject({ duplicateOf: original, causeCode: 'nearDuplicate' });
  expect(shown.filter((of) => of === original)).toHaveLength(3);
  expect([shown, documents].map(({ length }) => length)).toEqual([17, 17]);
  expect(documents.filter(({ duplicateOf }) => duplicateOf === original)).toHaveLength(3);
  const detail = await crawl.url(original);
  expect(detail).toMatchObject({
    copyCount: 3,
    copies: [{ url: expect.any(String), similarity: expect.any(Number) }, {}, {}],
  });
  expect(urlText(detail!)).toContain('Copies   3 pages with nearly the same text: ');
  expect(reportText(await crawl.report(), false)).toContain(`${original}  3 with nearly the same text`);
});

test('skipped pages are archived, and neither documents nor followed', async () => {
  const { crawl, summary, rows, documents, shown } = await crawled('skip');
  await using _ = crawl;
  expect(summary).toMatchObject({ pages: 14, skipped: { nearDuplicate: 3 }, hints: { nearDuplicate: 3 } });
  expect(rows.map(({ warcFile, status }) => [typeof warcFile, status])).toEqual(
    Array(3).fill(['string', 'fetched']),
  );
  expect([shown, documents].map(({ length }) => length)).toEqual([11, 11]);
});

test('by default nobody looks for them', async () => {
  const { crawl, summary, rows } = await crawled('off');
  await using _ = crawl;
  expect([summary.pages, summary.hints, rows]).toEqual([17, {}, []]);
});
