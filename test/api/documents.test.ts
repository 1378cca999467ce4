import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkWarc,
  type DocumentRow,
  openCrawl,
  readPage,
  type StoredCrawl,
  startCrawl,
} from '../../api/index.ts';
import { runHere } from '../cli/commands.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { type SmallSite, startSite } from '../local-crawl/small-site.ts';

const TEXT = 'A long sentence that says something, so that it counts as the content of its page. '.repeat(4);
const pageOf = (title: string, body: string) =>
  `<!doctype html><title>${title} - Site</title>${title === 'B' ? '<meta name="robots" content="noai">' : ''}<nav><a href="/">Home</a></nav><main><h1>${title}</h1><p>${TEXT}</p>${body}</main>`;
const PAGES: Readonly<Record<string, string>> = {
  '/': pageOf(
    'Start',
    `<p>${TEXT} See <a href="/a/b?c=1#part">B</a> and <a href="https://other.test/x">X</a>.</p>`,
  ),
  '/a/b?c=1': pageOf(
    'B',
    `<p>${TEXT} Back to <a href="/">the start</a>, or <a href="/same">the same</a>.</p>`,
  ),
  // The same bytes as the start: archived as a revisit.
  '/same': pageOf(
    'Start',
    `<p>${TEXT} See <a href="/a/b?c=1#part">B</a> and <a href="https://other.test/x">X</a>.</p>`,
  ),
};

let site: SmallSite;
let folder: string;
let crawl: StoredCrawl;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-documents-'));
  site = await startSite(PAGES, { address: '127.78.0.44' });
  const running = await startCrawl({ ...QUICK, seeds: [`${site.url}/`], out: join(folder, 'c') });
  await running.done;
  crawl = await openCrawl(join(folder, 'c'));
});
afterAll(async () => {
  await crawl.close();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const out = (name: string) => join(folder, name);

describe('the pages of a crawl', () => {
  test('are documents, also where the archive has a revisit', async () => {
    const found = new Map<string, string | undefined>();
    for await (const { url, title, markdown, depth, usage } of crawl.documents()) {
      expect(usage).toEqual(url.includes('/a/b') ? { 'train-ai': 'n' } : undefined);
      found.set(new URL(url).pathname, title);
      expect(markdown).toContain('A long sentence');
      expect(depth).toBeLessThan(3);
    }
    expect([...found].sort()).toEqual([
      ['/', 'Start'],
      ['/a/b', 'B'],
      ['/same', 'Start'],
    ]);
  });

  test('have no Markdown and no kind if nobody wants them, and are the same otherwise', async () => {
    const whole: DocumentRow[] = [];
    const found: DocumentRow[] = [];
    for await (const document of crawl.documents()) whole.push(document);
    for await (const document of crawl.documents({ withoutMarkdown: true })) found.push(document);
    expect(whole.every(({ markdown, kind }) => markdown !== '' && kind !== undefined)).toBe(true);
    expect(found).toEqual(whole.map(({ kind, ...others }) => ({ ...others, markdown: '' })));
  });

  test.each(['wet', 'wat'] as const)('become a sound WARC file: %s', async (format) => {
    const { files, records, revisits } = await crawl.exportDerived(format, out(format));
    expect(revisits).toBe(1);
    const names = readdirSync(out(format));
    expect([files, names.length]).toEqual([1, 1]);
    const path = join(out(format), names[0]!);
    expect(path).toMatch(new RegExp(`\\.warc\\.${format}\\.gz$`));
    // A revisit has no text of its own in WET.
    if (format === 'wet') expect(records).toBe(2);
    const checked = await checkWarc(path);
    const kept = Object.values(checked.records).reduce((sum, count) => sum + count, 0);
    expect([checked.errors, kept]).toEqual([0, records + 1]);
    await expect(crawl.exportDerived(format, out(format))).rejects.toMatchObject({ name: 'FolderNotEmpty' });
  });

  test('become Markdown files that link to each other', async () => {
    expect(await crawl.exportMarkdown(out('md'))).toEqual({ documents: 3, skipped: 0 });
    const [host] = readdirSync(out('md'));
    expect(readdirSync(join(out('md'), host!)).sort()).toEqual(['a', 'index.md', 'same.md']);
    const start = readFileSync(join(out('md'), host!, 'index.md'), 'utf8');
    expect(start).toMatch(/^---\nurl: "http:.*"\ntitle: "Start"\n/);
    expect(start).toContain('[B](a/b_c%3D1.md#part) and [X](https://other.test/x)');
    const second = readFileSync(join(out('md'), host!, 'a/b_c=1.md'), 'utf8');
    expect(second).toContain('[the start](../index.md), or [the same](../same.md)');
  });

  test('become llms.txt and llms-full.txt', async () => {
    expect(await crawl.exportLlms(out('llms'))).toEqual({ documents: 3, skipped: 0 });
    expect(readFileSync(join(out('llms'), 'llms.txt'), 'utf8')).toMatch(
      /^# .*\n\n> .*\n\n.*\n\n## 127.*\n\n- \[/,
    );
    expect(readFileSync(join(out('llms'), 'llms-full.txt'), 'utf8').match(/^<!-- Source: /gm)).toHaveLength(
      3,
    );
  });

  test('are not written among other files', async () => {
    await expect(crawl.exportMarkdown(folder)).rejects.toMatchObject({ name: 'FolderNotEmpty' });
    await expect(runHere('export', out('c'), '--format', 'llms', '--out', folder)).rejects.toMatchObject({
      name: 'UsageError',
    });
    writeFileSync(out('file'), '');
    await expect(
      runHere('export', out('c'), '--format', 'markdown', '--out', out('file')),
    ).rejects.toMatchObject({ name: 'UsageError' });
  });

  test('become lines of JSON by the command, whole or in pieces', async () => {
    const lines = async (name: string, chunkTokens?: number) => {
      const chunks = chunkTokens === undefined ? [] : ['--chunk', String(chunkTokens)];
      const words = ['--format', 'documents', '--out', out(name), ...chunks];
      expect(await runHere('export', out('c'), ...words)).toBe(0);
      return readFileSync(out(name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    };
    expect(await lines('whole.jsonl')).toHaveLength(3);
    const pieces = await lines('pieces.jsonl', 60);
    expect(pieces.length).toBeGreaterThan(6);
    for (const { tokens, chunk, chunks, url } of pieces) {
      expect(tokens).toBeLessThanOrEqual(90);
      expect(chunk).toBeLessThan(chunks);
      expect(url).toContain('127.78.0.44');
    }
  });
});

describe('a single page', () => {
  const options = { ...QUICK, scope: 'any', maxPages: 50 } as const;

  test('is read like one of a crawl, without its links', async () => {
    const before = site.log.length;
    const { title, markdown, url } = await readPage(`${site.url}/a/b?c=1#part`, options);
    expect([title, url]).toEqual(['B', `${site.url}/a/b?c=1`]);
    expect(markdown).toContain('A long sentence');
    expect(site.log.slice(before)).toEqual(['/a/b?c=1']);
  });

  test('that cannot be read is refused with the reason', async () => {
    await expect(readPage(`${site.url}/nowhere`, options)).rejects.toMatchObject({
      name: 'PageNotRead',
      message: expect.stringContaining('HTTP 404 (Not Found)'),
    });
  });
});
