/** Crawls of sites with PDF and Office documents: their links, what hooks get of them, and what is exported. */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCrawl, startCrawl } from '../../api/index.ts';
import { makeDocx, makePdf, paragraph, pdfText, relationships } from '../core/media/made-documents.ts';
import { QUICK } from './local-crawl.ts';

const LINE = 'The ships come in the morning, when the harbour is still quiet, and leave in the evening.';
const LINKED = '<w:p><w:hyperlink r:id="r"><w:r><w:t>there</w:t></w:r></w:hyperlink></w:p>';
const rels = { 'word/_rels/document.xml.rels': relationships(['r', 'hyperlink', '/from-docx', true]) };
const pdf = (link: string) => makePdf([{ content: pdfText(['Of the harbour', LINE], 24), link }]);
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const PAGES: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  '/': [
    'text/html',
    ['/a.pdf', '/b', '/c.docx', '/d.docx', '/e.pdf', '/f.md']
      .map((path) => `<a href="${path}">x</a>`)
      .join(''),
  ],
  '/a.pdf': ['application/pdf', pdf('/from-pdf')],
  '/b': ['text/html', pdf('/from-wrong-type')],
  '/c.docx': ['application/octet-stream', makeDocx(paragraph(LINE) + LINKED, rels)],
  '/d.docx': [DOCX, 'no archive'],
  '/e.pdf': ['application/pdf', makePdf([{ content: '' }]).subarray(0, 30)],
  '/f.md': ['text/markdown', `---\ntitle: Notes\n---\n${LINE} [more](from-md)`],
};
const FOUND = ['/from-pdf', '/from-wrong-type', '/from-docx', '/from-md'];

let server: Server;
let origin: string;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-documents-'));
  server = createServer(({ url = '' }, response) => {
    const [type, body] = PAGES[url] ?? ['text/html', '<p>found'];
    response.writeHead(url === '/robots.txt' ? 404 : 200, { 'Content-Type': type }).end(body);
  }).listen(0, '127.78.0.94');
  await once(server, 'listening');
  origin = `http://127.78.0.94:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

test('links of documents are followed, hooks have their text, and exports too; what is unread has a cause', async () => {
  const out = join(folder, 'c');
  const running = await startCrawl({
    ...QUICK,
    seeds: [`${origin}/`],
    out,
    onPage: ({ url, title, text, markdown, metadata, language }) => ({
      path: new URL(url).pathname,
      title,
      text,
      markdown,
      pages: metadata.pages,
      language,
    }),
  });
  const summary = await running.done;
  expect(summary).toMatchObject({ pages: 11, hints: { unreadDocument: 2 } });
  const crawl = await openCrawl(out);
  const items = new Map<string, Record<string, unknown>>();
  for await (const item of crawl.items<{ path: string }>()) items.set(item.path, item);
  expect([...items.keys()]).toEqual(expect.arrayContaining(FOUND));
  for (const path of ['/a.pdf', '/b'])
    expect(items.get(path)).toMatchObject({
      title: 'Of the harbour',
      pages: 1,
      language: 'en',
      text: `Of the harbour\n\n${LINE}`,
    });
  expect(items.get('/a.pdf')!.markdown).toContain(`# [Of the harbour](${origin}/from-pdf)`);
  expect(items.get('/c.docx')).toMatchObject({
    title: 'The title',
    markdown: `${LINE}\n\n[there](${origin}/from-docx)`,
  });
  expect(items.get('/f.md')).toMatchObject({ title: 'Notes', markdown: `${LINE} [more](from-md)` });

  expect(await crawl.url(`${origin}/d.docx`)).toMatchObject({
    status: 'fetched',
    causeCode: 'documentUnread',
    cause: 'its text and links were not read: its zip archive is broken: it has no directory',
  });
  expect(await crawl.url(`${origin}/b`)).toMatchObject({ contentType: 'application/pdf' });

  const documents = new Map<string, string>();
  const skipped: string[] = [];
  for await (const { url, title = '', text } of crawl.documents({
    skip: (url) => skipped.push(new URL(url).pathname),
  }))
    documents.set(new URL(url).pathname, `${title}: ${text}`);
  expect(documents.get('/b')).toBe(`Of the harbour: Of the harbour\n\n${LINE}`);
  expect(documents.get('/c.docx')).toBe(`The title: ${LINE}\n\nthere`);
  expect(skipped.sort()).toEqual(['/d.docx', '/e.pdf']);

  const wet = join(folder, 'wet');
  await crawl.exportDerived('wet', wet);
  const texts = readdirSync(wet).map((file) => gunzipSync(readFileSync(join(wet, file))).toString());
  expect(texts.join('').split(LINE).length - 1).toBe(4);

  const wat = join(folder, 'wat');
  const warnings: string[] = [];
  await crawl.exportDerived('wat', wat, { warn: (message) => warnings.push(message) });
  expect(warnings).toHaveLength(2);
  for (const warning of warnings)
    expect(warning).toMatch(/ at \d+ has no text and links: it cannot be read: /);
  const records = readdirSync(wat).map((file) => gunzipSync(readFileSync(join(wat, file))).toString());
  const documentsIn = records
    .join('')
    .split('\r\n')
    .filter((line) => line.includes('"Document-Metadata"'))
    .map(
      (line) => JSON.parse(line).Envelope['Payload-Metadata']['HTTP-Response-Metadata']['Document-Metadata'],
    );
  // In the order in which they were fetched, which is not always the same.
  documentsIn.sort((a, b) => (a.Head.Title < b.Head.Title ? -1 : 1));
  expect(documentsIn).toEqual([
    {
      Head: { Title: 'Of the harbour', Metas: [{ name: 'pages', content: '1' }] },
      Links: [{ url: `${origin}/from-pdf` }],
    },
    {
      Head: { Title: 'The title', Metas: expect.arrayContaining([{ name: 'author', content: 'Ada' }]) },
      Links: [{ url: `${origin}/from-docx` }],
    },
  ]);
  await crawl.close();
});

test('a crawl that does not read documents archives them and no more', async () => {
  const out = join(folder, 'unread');
  const running = await startCrawl({ ...QUICK, seeds: [`${origin}/`], out, readDocuments: false });
  expect(await running.done).toMatchObject({ pages: 8, hints: {} });
});
