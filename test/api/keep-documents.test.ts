import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepDocuments, keptDocuments } from '../../api/exports/keep-documents.ts';
import { keptIn, noteKept, updateDocuments } from '../../api/local/kept-outputs.ts';
import type { DocumentOptions } from '../../api/stored-crawl.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';

let folder: string;
let path: string;
let part: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-kept-'));
  path = join(folder, 'documents.jsonl');
  part = `${path}.part`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The documents of a crawl whose pages were captured at these offsets. */
function crawlOf(pages: Readonly<Record<string, number>>) {
  const made: string[] = [];
  async function* documents({ isWanted = () => true }: DocumentOptions = {}) {
    for (const [url, offset] of Object.entries(pages)) {
      const location = { file: 'a.warc.gz', offset, length: 9 };
      if (!isWanted({ url, location })) continue;
      made.push(url);
      const text = `text of ${url}, ö, at ${offset}${'x'.repeat(offset % 700)}`;
      yield {
        url,
        fetchedAt: '2026-11-26T00:00:00Z',
        types: [],
        depth: 0,
        location,
        text,
        markdown: text,
      } as unknown as DocumentRow;
    }
  }
  return { documents, made };
}
const rowsIn = async () => {
  const rows: DocumentRow[] = [];
  for await (const row of keptDocuments(path)) rows.push(row);
  return Object.fromEntries(rows.map(({ url, location }) => [url, location!.offset]));
};

test('after each call the file has the documents of that moment, and only new ones are made', async () => {
  const pages = fc.dictionary(fc.constantFrom('/a', '/b', '/c', '/d'), fc.nat(5000));
  await fc.assert(
    fc.asyncProperty(fc.array(pages, { minLength: 1, maxLength: 4 }), async (states) => {
      rmSync(path, { force: true });
      let before: Record<string, number> = {};
      for (const state of states) {
        const crawl = crawlOf(state);
        const counts = await keepDocuments(crawl, path, part);
        expect(await rowsIn()).toEqual(state);
        expect(crawl.made).toEqual(Object.keys(state).filter((url) => before[url] !== state[url]));
        expect(counts).toEqual({
          documents: Object.keys(state).length,
          added: crawl.made.length,
          skipped: 0,
        });
        before = { ...state };
      }
    }),
    { numRuns: 40 },
  );
});

test('a file that is damaged, cut or has a page twice is made whole', async () => {
  await keepDocuments(crawlOf({ '/a': 1, '/b': 2 }), path, part);
  const whole = readFileSync(path, 'utf8');
  const [first] = whole.split('\n') as [string];
  for (const damage of [
    `${whole}${first}\n`,
    `${whole}{"url":\n`,
    `null\n${whole}`,
    whole.slice(0, -1),
    `${whole}{"ur`,
    '',
  ]) {
    writeFileSync(path, damage);
    await keepDocuments(crawlOf({ '/a': 1, '/b': 2 }), path, part);
    expect(await rowsIn()).toEqual({ '/a': 1, '/b': 2 });
    expect(readFileSync(path, 'utf8')).toHaveLength(whole.length);
  }
});

test('a process that ends in the middle leaves the file as it was', async () => {
  await keepDocuments(crawlOf({ '/a': 1 }), path, part);
  const failing = {
    async *documents() {
      yield* crawlOf({ '/b': 2 }).documents();
      throw new Error('the end');
    },
  };
  await expect(keepDocuments(failing, path, part)).rejects.toThrow('the end');
  expect(await rowsIn()).toEqual({ '/a': 1 });
  expect(existsSync(part)).toBe(false);
});

test('what killed processes have left is removed; the files of a process that runs stay', async () => {
  // The kernel's first process always runs, and no process has the other number.
  const left = [
    'documents.jsonl.4194999',
    'documents.parquet.4194999.part',
    `documents.jsonl.${process.pid}`,
  ];
  for (const name of [...left, 'documents.jsonl.1']) appendFileSync(join(folder, name), 'x');
  const counts = await updateDocuments(crawlOf({ '/a': 1 }) as never, folder);
  expect(counts).toEqual({ documents: 1, added: 1, skipped: 0 });
  expect(readdirSync(folder).sort()).toEqual(['documents.jsonl', 'documents.jsonl.1', 'documents.parquet']);
});

test('the folder notes which files are kept there', async () => {
  expect(await keptIn(folder, {})).toEqual({});
  await noteKept(folder, { documents: true });
  await noteKept(folder, { search: true });
  expect(await keptIn(folder, {})).toEqual({ documents: true, search: true });
});

test("the crawl's own setting comes before the note, which earlier versions wrote", async () => {
  expect(await keptIn(folder, { documents: true })).toEqual({ documents: true });
  await noteKept(folder, { documents: true });
  expect(await keptIn(folder, { documents: false })).toEqual({ documents: false });
});
