import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodeCapture } from '../../../shared/core/archive/capture.ts';
import { findTitle } from '../../../shared/core/archive/find-title.ts';
import { encodeMetadata } from '../../../shared/core/archive/metadata.ts';
import type { ReadAt } from '../../../shared/core/archive/scan-members.ts';
import { isBetterMain, newWacz, waczEnd, waczFile } from '../../../shared/core/archive/wacz.ts';
import { type WaczPage, waczPageLine, waczPagesHeader } from '../../../shared/core/archive/wacz-pages.ts';
import { createZipNum } from '../../../shared/core/archive/zip-num.ts';
import { captureOf, joined, RECORDS, T0 } from './captures.ts';
import { unzip } from './unzip.ts';

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

const sha256 = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const PAGES: WaczPage[] = [
  { url: 'http://a.test/x', date: '2026-01-02T03:04:05.678Z', title: 'X "and" more', isSeed: false },
  { url: 'http://a.test/', date: '2026-01-02T03:04:06Z', isSeed: true },
  { url: 'http://b.test/', date: '2026-01-02T03:04:07Z', title: 'B', isSeed: true },
];

/** The bytes of a package of these files, each in two pieces. */
async function* packed(files: Record<string, string>, main?: WaczPage): AsyncGenerator<Uint8Array> {
  let state = newWacz(T0);
  for (const [path, text] of Object.entries(files)) {
    const read = () => each([text.slice(0, 3), text.slice(3)].map((piece) => Buffer.from(piece)));
    // As after a pause.
    const stored = JSON.parse(JSON.stringify(state));
    state = yield* waczFile(stored, { path, isDeflated: path.startsWith('pages/'), read });
  }
  yield* waczEnd(state, { title: 'a.test', software: 'Strand 1', main });
}

const FILES = {
  'archive/one.warc.gz': 'one',
  'archive/two.warc.gz': 'the second',
  'indexes/index.cdx.gz': '',
  'pages/pages.jsonl': 'x'.repeat(1000),
};
const made = () => joined(packed(FILES, PAGES[1]));

test('a WACZ has all files of the standard, and each is just what its description says', async () => {
  const entries = unzip(await made());
  expect([...entries.keys()]).toEqual([...Object.keys(FILES), 'datapackage.json', 'datapackage-digest.json']);
  for (const [path, text] of Object.entries(FILES)) expect(entries.get(path)!.bytes.toString()).toBe(text);
  const description = entries.get('datapackage.json')!.bytes;
  const { resources, ...rest } = JSON.parse(description.toString());
  expect(rest).toEqual({
    profile: 'data-package',
    title: 'a.test',
    wacz_version: '1.1.1',
    software: 'Strand 1',
    created: '2026-01-02T03:04:05Z',
    mainPageUrl: 'http://a.test/',
    mainPageDate: '2026-01-02T03:04:06Z',
  });
  expect(resources.map(({ path }: { path: string }) => path)).toEqual([...entries.keys()].slice(0, 4));
  for (const { path, hash, bytes } of resources) {
    expect(hash).toBe(sha256(entries.get(path)!.bytes));
    expect(bytes).toBe(entries.get(path)!.bytes.length);
  }
  expect(JSON.parse(entries.get('datapackage-digest.json')!.bytes.toString())).toEqual({
    path: 'datapackage.json',
    hash: sha256(description),
  });
});

test('WARC files and the index are stored, so that ranges of them can be read; other files are deflated', async () => {
  const bytes = await made();
  const stored = [...unzip(bytes)].filter(([, { isStored }]) => isStored).map(([path]) => path);
  expect(stored).toEqual(Object.keys(FILES).slice(0, 3));
  expect(bytes.length).toBeLessThan(2500);
});

test('pages have a header, ids of their own, their titles, and say which are seeds', () => {
  const lines = [waczPagesHeader(), ...PAGES.map(waczPageLine)].map((line) => JSON.parse(line));
  expect(lines[0]).toEqual({ format: 'json-pages-1.0', id: 'pages', title: 'Pages' });
  expect(lines.slice(1).map(({ id, ...page }) => page)).toEqual([
    { url: 'http://a.test/x', ts: '2026-01-02T03:04:05.678Z', title: 'X "and" more' },
    { url: 'http://a.test/', ts: '2026-01-02T03:04:06Z', seed: true },
    { url: 'http://b.test/', ts: '2026-01-02T03:04:07Z', title: 'B', seed: true },
  ]);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(4);
});

test('the main page is the one requested, else the first seed, else the first page', () => {
  const mainOf = (pages: readonly WaczPage[], mainUrl?: string) => {
    let main: WaczPage | undefined;
    for (const page of pages) if (isBetterMain(page, main, mainUrl)) main = page;
    return main?.url;
  };
  expect(mainOf(PAGES, 'http://b.test/')).toBe('http://b.test/');
  expect(mainOf(PAGES, 'http://elsewhere.test/')).toBe('http://a.test/');
  expect(mainOf(PAGES.slice(0, 1))).toBe('http://a.test/x');
});

test('a WACZ whose contents fail, fails', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    throw new Error('the disk is gone');
  }
  const file = { path: 'archive/one.warc.gz', read: failing };
  await expect(joined(waczFile(newWacz(T0), file))).rejects.toThrow('the disk is gone');
});

test('each line of an index is in the block that the summary leads to', async () => {
  const lines = Array.from(
    { length: 25 },
    (_, i) => `test,a)/${String(i).padStart(3, '0')} 20260102030405 {"n": ${i}}\n`,
  );
  const index = createZipNum(each(lines), 'index.cdx.gz', { linesPerBlock: 10 });
  const file = await joined(index.blocks());
  const [meta, ...entries] = index.summary().trim().split('\n');
  expect(meta).toBe('!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}');
  const blocks = entries.map((entry) => {
    const [key, time] = entry.split(' ');
    const { offset, length, digest } = JSON.parse(entry.slice(entry.indexOf('{')));
    const bytes = file.subarray(offset, offset + length);
    expect(digest).toBe(sha256(bytes));
    const text = gunzipSync(bytes).toString();
    expect(text.startsWith(`${key} ${time} `)).toBe(true);
    return text;
  });
  expect(blocks.length).toBe(3);
  expect(blocks.join('')).toBe(lines.join(''));
  expect(gunzipSync(file).toString()).toBe(lines.join(''));
});

test('an empty index has no blocks', async () => {
  const index = createZipNum(each([]), 'index.cdx.gz');
  expect((await joined(index.blocks())).length).toBe(0);
  expect(index.summary().split('\n').length).toBe(2);
});

test('a title is that of the metadata record beside the capture, else of the page itself, coded or not, large or small', async () => {
  const url = 'http://example.test/';
  const page = (size: number) => Buffer.from(`<title>Of &lt;the&gt; page</title>${'x'.repeat(size)}`);
  const titleIn = async (body: Buffer, title?: string, headers: [string, string][] = []) => {
    const capture = captureOf({ url, body, headers: [['Content-Type', 'text/html'], ...headers] });
    const { members, responseId, date } = await encodeCapture(capture, RECORDS);
    const parts = await Promise.all(members.map(joined));
    const facts = { concurrentTo: responseId, url, date, hopsFromSeed: 0, fetchTimeMs: 1, title };
    const file = Buffer.concat([...parts, await joined(encodeMetadata(facts, RECORDS))]);
    const read: ReadAt = async (offset, length) => file.subarray(offset, offset + length);
    return findTitle(read, url, { offset: 0, length: parts[0]!.length });
  };
  const date = '2026-01-02T03:04:05.067Z';
  expect(await titleIn(page(10), 'Of the record')).toEqual({ date, title: 'Of the record' });
  expect(await titleIn(page(10))).toEqual({ date, title: 'Of <the> page' });
  expect(await titleIn(page(2_000_000))).toEqual({ date, title: 'Of <the> page' });
  expect(await titleIn(Buffer.from('no markup'))).toEqual({ date, title: undefined });
});

test('where there is no record there is no title', async () => {
  expect(
    await findTitle(async () => Buffer.from('no gzip'), 'http://a.test/', { offset: 0, length: 7 }),
  ).toBeUndefined();
});
