import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGraphBuilder } from '../../api/exports/graph-builder.ts';
import { anchorsOf, openCrawl, startCrawl } from '../../api/index.ts';
import { printInlinks } from '../../cli/verbs/inlinks.ts';
import { runHere } from '../cli/commands.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { serveAnswers } from './small-server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-graph-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const linesOf = (path: string): string[] =>
  gunzipSync(readFileSync(path)).toString().split('\n').slice(0, -1);

/** The edges by the names of their vertices; throws unless vertices and edges are in Common Crawl's order. */
function readGraph(path: string): { vertices: string[]; edges: string[] } {
  const vertices = linesOf(join(path, 'vertices.txt.gz')).map((line, i) => {
    const [id, name] = line.split('\t');
    expect(id).toBe(String(i));
    return name!;
  });
  expect(vertices).toEqual([...vertices].sort());
  const pairs = linesOf(join(path, 'edges.txt.gz')).map((line) => line.split('\t').map(Number));
  expect(pairs).toEqual([...pairs].sort(([a, b], [c, d]) => a! - c! || b! - d!));
  return { vertices, edges: pairs.map(([from, to]) => `${vertices[from!]} ${vertices[to!]}`) };
}

const names = fc
  .array(fc.constantFrom(...'abcdefghijklmnop0123'), { minLength: 1, maxLength: 3 })
  .map((a) => a.join(''));

test('a graph that is sorted on disk is the same as one in memory, whatever is repeated', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(names, names), { maxLength: 80 }),
      fc.array(names),
      async (pairs, alone) => {
        const out = join(folder, String(run++));
        const runs = mkdtempSync(join(folder, 'runs-'));
        const graph = createGraphBuilder(out, runs, 50);
        for (const name of alone) await graph.addVertex(name);
        for (const [from, to] of pairs) await graph.addEdge(from, to);
        const size = await graph.finish();
        await graph.dispose();
        const edges = new Set(pairs.filter(([from, to]) => from !== to).map(([from, to]) => `${from} ${to}`));
        const vertices = new Set([...alone, ...[...edges].flatMap((edge) => edge.split(' '))]);
        const read = readGraph(out);
        expect(read.vertices).toEqual([...vertices].sort());
        expect([...read.edges].sort()).toEqual([...edges].sort());
        expect(size).toEqual({ vertices: vertices.size, edges: edges.size });
        expect(readdirSync(runs)).toEqual([]);
      },
    ),
    { numRuns: 40 },
  );
});

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
