import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCrawl, startCrawl } from '../../api/index.ts';
import { canonicalize } from '../../shared/core/url/canonical.ts';
import { pathOf } from '../../shared/core/url/host-key.ts';
import { createMirrorPaths } from '../../shared/services/outputs/mirror-paths.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { type SmallAnswer, serveAnswers } from './small-server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-mirror-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function mirror(answers: Record<string, SmallAnswer | string>) {
  const origin = await serveAnswers('127.78.0.62', answers);
  const running = await startCrawl({ ...QUICK, seeds: [origin], requisites: true, out: join(folder, 'c') });
  await running.done;
  await using crawl = await openCrawl(join(folder, 'c'));
  const out = join(folder, 'm');
  const counts = await crawl.exportMirror(out);
  const files = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(out, join(entry.parentPath, entry.name)))
    .sort();
  const [host = ''] = files[0]?.split('/') ?? [];
  const read = (name: string) => readFileSync(join(out, host, name), 'latin1');
  return {
    origin,
    counts,
    read,
    out: join(out, host),
    files: files.map((file) => file.slice(host.length + 1)),
  };
}

test('links lead from file to file, and to the web where there is none', async () => {
  const { files, read, origin, counts } = await mirror({
    '/': '<link rel=stylesheet href="/s/a.css?v=1"><a href="/guide/#top">g</a><a href=/moved>m</a><a href="/gone">x</a><a href="http://elsewhere.test/">e</a><img srcset="/i/a.png 2x">',
    '/guide/': '<a href="../">up</a><a href="page.php?id=1&amp;x=2">p</a><img src="../i/a.png">',
    '/guide/page.php?id=1&x=2': '<a href="#here">h</a><a href=".">back</a>',
    '/moved': { status: 302, location: '/guide/' },
    '/s/a.css?v=1': { type: 'text/css', body: "a{background:url('../i/a.png')} @import 'b.css';" },
    '/s/b.css': { type: 'text/css', body: 'p{}' },
    '/i/a.png': { type: 'image/png', body: 'png' },
  });
  expect(files).toEqual([
    'guide/index.html',
    'guide/page.php_id=1_x=2.html',
    'i/a.png',
    'index.html',
    's/a.css_v=1.css',
    's/b.css',
  ]);
  expect(counts).toEqual({ files: 6, pages: 3, skipped: 0 });
  expect(read('index.html')).toBe(
    `<link rel=stylesheet href="s/a.css_v%3D1.css"><a href="guide/index.html#top">g</a><a href="guide/index.html">m</a><a href="${origin}/gone">x</a><a href="http://elsewhere.test/">e</a><img srcset="i/a.png 2x">`,
  );
  expect(read('guide/index.html')).toBe(
    '<a href="../index.html">up</a><a href="page.php_id%3D1_x%3D2.html">p</a><img src="../i/a.png">',
  );
  expect(read('guide/page.php_id=1_x=2.html')).toBe('<a href="#here">h</a><a href="index.html">back</a>');
  expect(read('s/a.css_v=1.css')).toBe("a{background:url('../i/a.png')} @import 'b.css';");
});

test('bytes that are no reference stay, and a charset that only the header declared is added to the page', async () => {
  const { read } = await mirror({
    '/': {
      type: 'text/html; charset=iso-8859-2',
      body: Buffer.from('<title>\xb1\xe6</title><a href="/\xb1">x</a>', 'latin1'),
    },
    '/%C4%85': 'found',
  });
  expect(read('index.html')).toBe(
    '<meta charset="iso-8859-2"><title>\xb1\xe6</title><a href="%C4%85.html">x</a>',
  );
});

test('every link of a mirror leads to a file of it, whatever a site calls its pages', async () => {
  const names = [
    '/a',
    '/A',
    '/a/',
    '/a/b',
    '/a.html',
    '/a.html/c',
    '/con',
    '/aux.txt',
    '/..%2f..%2f..%2fevil',
    '/%2e%2e/x',
    '/..%5cevil',
    `/${'n'.repeat(300)}`,
    `/${'n'.repeat(300)}?q`,
    '/x?../../y',
    '/t:st*',
    '/nul/p',
    '/.hidden',
    '/-rf',
    '/e%00nd',
    '/tail.',
  ];
  const asked = (name: string) => pathOf(canonicalize(name, 'http://a.test') as string);
  const pages = Object.fromEntries(names.map((name) => [asked(name), `page ${name}`]));
  const body = names.map((name) => `<a href="${name}">x</a>`).join('\n');
  const { files, read, out } = await mirror({ ...pages, '/': body });
  expect(files.length).toBe(Object.keys(pages).length + 1);
  const links = [...read('index.html').matchAll(/href="([^"]*)"/g)].map(([, href = '']) =>
    decodeURIComponent(href),
  );
  expect(links).toHaveLength(names.length);
  for (const link of links) {
    expect(existsSync(join(out, link)), link).toBe(true);
    expect(resolve(out, link).startsWith(dirname(out))).toBe(true);
  }
  expect(existsSync(join(folder, 'evil'))).toBe(false);
  // A file system of Windows or macOS has one file for names that differ in case.
  expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(files.length);
  for (const part of files.flatMap((file) => file.split('/'))) {
    expect(Buffer.byteLength(part)).toBeLessThanOrEqual(100);
    expect(part).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|[<>:"\\|?*]|[. ]$|^\.\.?$/i);
  }
});

describe('a path of a mirror', () => {
  test('is that of no folder, in whatever order URLs come', () => {
    const urls = [
      'http://a.test/x.html/y',
      'http://a.test/x.html',
      'http://a.test/x',
      'http://a.test/X',
      'http://a.test/x.html/y/z',
    ];
    for (const order of [urls, urls.toReversed()]) {
      const paths = createMirrorPaths();
      const files = order.map((url) => paths.add(url, 'text/html'));
      for (const file of files) for (const other of files) expect(other.startsWith(`${file}/`)).toBe(false);
      expect(new Set(files).size).toBe(urls.length);
    }
  });
});
