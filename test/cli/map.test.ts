import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { estimateText } from '../../cli/verbs/map.ts';
import { serveAnswers } from '../api/small-server.ts';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));

async function strandMap(...words: string[]) {
  const child = spawn(process.execPath, [
    PROGRAM,
    'map',
    ...words,
    '--allow-private-addresses',
    '--delay',
    '0',
  ]);
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, out, err };
}

const SITE = {
  '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /no' },
  '/': '<a href="/guide/a">a</a><a href="/no/1">1</a><a href="/no/2">2</a>',
  '/sitemap.xml': {
    type: 'application/xml',
    body: '<urlset><url><loc>/guide/b</loc><lastmod>2026-10-01</lastmod></url></urlset>',
  },
};

test('map prints URL, last modification and source, and why URLs are left out', async () => {
  const site = await serveAnswers('127.81.1.1', SITE);
  expect(await strandMap(site)).toEqual({
    code: 0,
    out: [
      `${site}/\t\tlinks`,
      `${site}/guide/a\t\tlinks`,
      `${site}/guide/b\t2026-10-01T00:00:00.000Z\tsitemaps`,
      '',
    ].join('\n'),
    err: `Left out 2 URLs (robotsDenied): ${site}/no/1: robots.txt, line 2: Disallow: /no\n`,
  });
  const json = await strandMap(site, '--search', 'GUIDE', '--source', 'sitemaps', '--json');
  expect(json).toEqual({
    code: 0,
    out: `${JSON.stringify({ url: `${site}/guide/b`, lastModified: '2026-10-01T00:00:00.000Z', source: 'sitemaps', via: `${site}/sitemap.xml` })}\n`,
    err: '',
  });
});

test('a site that cannot be read ends with 4 and the reason', async () => {
  const site = await serveAnswers('127.81.1.2', { '/robots.txt': { status: 500 } });
  const { code, out, err } = await strandMap(site);
  expect([code, out, err]).toEqual([
    4,
    '',
    `strand: ${site}/robots.txt was not read: robots.txt: the server answered HTTP 500\n`,
  ]);
});

test('a site that names nothing of what is asked for ends with 4 and says so', async () => {
  const site = await serveAnswers('127.81.1.3', { '/': '<p>No links.</p>' });
  const { code, out, err } = await strandMap(site, '--search', 'ships');
  expect([code, out, err]).toEqual([4, '', 'strand: the site names no such URL\n']);
});

test('an estimate is a sentence', () => {
  const estimate = { pages: 1240, hasMore: false, hosts: 1, ms: 1_271_000, bytes: 38_316_000, delayMs: 1000 };
  expect(estimateText(estimate)).toBe(
    'about 1,240 pages, 21m with 1s between two requests to a host, 38.3 MB of WARC files',
  );
  expect(estimateText({ ...estimate, hasMore: true, hosts: 2 })).toMatch(
    /^more than 1,240 pages of 2 hosts, /,
  );
  expect(estimateText({ ...estimate, pages: 0 })).toBe('The site names no pages');
});
