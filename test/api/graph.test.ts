import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { anchorsOf, openCrawl, startCrawl } from '../../api/index.ts';
import { printInlinks } from '../../cli/verbs/inlinks.ts';
import { runHere } from '../cli/commands.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { readGraph } from '../services/exports/read-graph.ts';
import { serveAnswers } from './small-server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-graph-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function crawlOf(answers: Parameters<typeof serveAnswers>[1]) {
  const origin = await serveAnswers('127.78.0.62', answers);
  const running = await startCrawl({ ...QUICK, seeds: [origin], out: join(folder, 'c') });
  await running.done;
  return { origin, crawl: await openCrawl(join(folder, 'c')) };
}

const SITE = {
  '/': '<a href="/a#top">First</a> <a href="/a">Again</a> <a href="/moved">Old name</a> <a href="/">Home</a> <a href="https://WWW.Example.com/x?a=1&amp;b=2">out</a><img src="/p.png">',
  '/a': '<base href="/deep/"><a href="../">up</a> <a href="../gone"><img alt="A picture" src="x.png"></a><map><area href="/"></map>',
  '/moved': { status: 301, location: '/a' },
  '/gone': { status: 404 },
} as const;

test('pages and hosts are vertices, links and redirects are edges', async () => {
  const { origin, crawl } = await crawlOf(SITE);
  await using _ = crawl;
  const out = join(folder, 'graph');
  const sizes = await crawl.exportGraph(out);
  const pages = readGraph(join(out, 'pages'));
  const short = (text: string) => text.replaceAll(origin, '');
  expect(pages.edges.map(short).sort()).toEqual(
    ['/ /a', '/ /moved', '/ https://www.example.com/x?a=1&b=2', '/a /', '/a /gone', '/moved /a'].sort(),
  );
  expect(readGraph(join(out, 'hosts'))).toEqual({
    vertices: ['127.78.0.62', 'com.example'],
    edges: ['127.78.0.62 com.example'],
  });
  expect(sizes).toEqual({
    hosts: { vertices: 2, edges: 1 },
    pages: { vertices: 5, edges: 6 },
    skipped: 0,
  });
  expect(readdirSync(out).sort()).toEqual(['hosts', 'pages']);
  const graphml = readFileSync(join(out, 'pages', 'graph.graphml'), 'utf8');
  expect(graphml.match(/<node /g)).toHaveLength(5);
  expect(graphml.match(/<edge /g)).toHaveLength(6);
  expect(graphml).toContain('x?a=1&amp;b=2</data>');
});

test('the pages that link to a URL are listed with the texts of their links, also by a redirect', async () => {
  const { origin, crawl } = await crawlOf(SITE);
  await using _ = crawl;
  expect(await crawl.inlinks(`${origin}/a`)).toEqual([
    { page: `${origin}/`, texts: ['First', 'Again', 'Old name'] },
  ]);
  expect(await crawl.inlinks(`${origin}/gone`)).toEqual([{ page: `${origin}/a`, texts: ['A picture'] }]);
  expect(await crawl.inlinks(`${origin}/`)).toEqual([{ page: `${origin}/a`, texts: ['up', ''] }]);
  expect(await crawl.inlinks('https://www.example.com/x?a=1&b=2#c')).toEqual([
    { page: `${origin}/`, texts: ['out'] },
  ]);
  expect(await crawl.inlinks('https://nobody.example/')).toEqual([]);
});

test('a page that links by a redirect alone names the URL in its link', async () => {
  const { origin, crawl } = await crawlOf({
    '/': '<a href="/one">Old</a>',
    '/one': { status: 302, location: '/two' },
    '/two': { status: 302, location: '/three' },
    '/three': '<p>x',
  });
  await using _ = crawl;
  expect(await crawl.inlinks(`${origin}/three`)).toEqual([
    { page: `${origin}/`, texts: ['Old'], by: `${origin}/one` },
  ]);
});

test('texts of links are counted by pages', () => {
  const inlinks = [
    { page: 'a', texts: ['x', 'y'] },
    { page: 'b', texts: ['y'] },
  ];
  expect(anchorsOf(inlinks)).toEqual([
    { text: 'y', pages: 2 },
    { text: 'x', pages: 1 },
  ]);
});

test('the commands print what they find, and refuse a folder with files', async () => {
  const { origin, crawl } = await crawlOf(SITE);
  await using _ = crawl;
  const written: string[] = [];
  const out = { write: (text: string) => written.push(text) } as never;
  const asked = { url: `${origin}/a`, anchors: false, json: false };
  expect(await printInlinks(crawl, asked, out)).toBe(0);
  expect(await printInlinks(crawl, { ...asked, anchors: true }, out)).toBe(0);
  expect(await printInlinks(crawl, { ...asked, anchors: true, json: true }, out)).toBe(0);
  expect(await printInlinks(crawl, { ...asked, url: 'https://nobody.example/' }, out)).toBe(4);
  const tab = String.fromCharCode(9);
  const rows = ['Again', 'First', 'Old name'].map((text) => `1${tab}${text}`);
  expect(written.join('').replaceAll(origin, '')).toBe(
    `/  "First", "Again", "Old name"\n${rows.join('\n')}\n` +
      '[{"text":"Again","pages":1},{"text":"First","pages":1},{"text":"Old name","pages":1}]\n',
  );
  const words = ['export', crawl.folder, '--format', 'graph', '--out', crawl.folder];
  await expect(runHere(...words)).rejects.toThrow(/holds files already/);
});
