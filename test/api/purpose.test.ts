/** Sites that state by every signal that their content is not for the training of models, and a crawl for that. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCrawl, processCrawl, type StoredCrawl, startCrawl } from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
type Site = Readonly<Record<string, Answer>>;

const TEXT = 'A long sentence that says something, so that it counts as the content of its page. '.repeat(4);
const page = (head = ''): string =>
  `<title>T</title>${head}<main><h1>T</h1><p>${TEXT}</p><a href="/b">b</a></main>`;
const HTML = { 'Content-Type': 'text/html' };
const open: Site = { '/': { headers: HTML, body: page() }, '/b': { headers: HTML, body: page() } };
const withRobots = (...lines: string[]): Site => ({
  ...open,
  '/robots.txt': { body: ['User-agent: *', 'Allow: /', ...lines].join('\n') },
});
const withHeader = (name: string, value: string): Site => ({
  ...open,
  '/': { headers: { ...HTML, [name]: value }, body: page() },
});
const license = (inner: string) =>
  `<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>${inner}</license></content></rsl>`;
const tdmrep = (value: 0 | 1): Answer => ({
  body: JSON.stringify([{ location: '/*', 'tdm-reservation': value }]),
});

/** By name: the site, the pages that may be fetched, and those of them that may be used. */
const SITES: Readonly<Record<string, readonly [Site, fetched: string, used: string]>> = {
  nothing: [open, '/ /b', '/ /b'],
  contentUsageInRobots: [withRobots('Content-Usage: /b train-ai=n'), '/', '/'],
  contentSignal: [withRobots('Content-Signal: search=yes, ai-train=no'), '', ''],
  otherUse: [withRobots('Content-Usage: search=n'), '/ /b', '/ /b'],
  contentUsageHeader: [withHeader('Content-Usage', 'train-ai=n'), '/ /b', '/b'],
  robotsHeader: [withHeader('X-Robots-Tag', 'noai'), '/ /b', '/b'],
  robotsMeta: [
    { ...open, '/b': { headers: HTML, body: page('<meta name="robots" content="noai">') } },
    '/ /b',
    '/',
  ],
  tdmHeader: [withHeader('TDM-Reservation', '1'), '/ /b', '/b'],
  tdmMeta: [
    { ...open, '/b': { headers: HTML, body: page('<meta name="tdm-reservation" content="1">') } },
    '/ /b',
    '/',
  ],
  tdmFile: [{ ...open, '/.well-known/tdmrep.json': tdmrep(1) }, '/ /b', ''],
  tdmFileOverruled: [
    { ...withHeader('TDM-Reservation', '0'), '/.well-known/tdmrep.json': tdmrep(1) },
    '/ /b',
    '/',
  ],
  tdmFileFails: [{ ...open, '/.well-known/tdmrep.json': { status: 500 } }, '/ /b', '/ /b'],
  tdmFileDisallowed: [
    { ...withRobots('Disallow: /.well-known/'), '/.well-known/tdmrep.json': tdmrep(1) },
    '/ /b',
    '/ /b',
  ],
  license: [
    {
      ...withRobots('License: /license.xml'),
      '/license.xml': { body: license('<prohibits type="usage">ai-train</prohibits>') },
    },
    '',
    '',
  ],
  licenseForPart: [
    {
      ...withRobots('License: /license.xml'),
      '/license.xml': {
        body: license('<permits type="usage">search</permits>').replace('url="/"', 'url="/b"'),
      },
    },
    '/',
    '/',
  ],
  licensePermits: [
    {
      ...withRobots('License: /license.xml'),
      '/license.xml': { body: license('<permits type="usage">all</permits>') },
    },
    '/ /b',
    '/ /b',
  ],
  licenseElsewhere: [withRobots('License: https://licences.example/l.xml'), '/ /b', '/ /b'],
  licenseMoved: [
    {
      ...withRobots('License: /old.xml'),
      '/old.xml': { status: 301, headers: { Location: '/new.xml' } },
      '/new.xml': { body: license('<prohibits type="usage">all</prohibits>') },
    },
    '',
    '',
  ],
};
const NAMES = Object.keys(SITES);
const addressOf = (name: string) => `127.78.61.${NAMES.indexOf(name) + 1}`;

let port: number;
let folder: string;
let crawl: StoredCrawl;
let close: () => void;
const requests = new Map<string, string[]>(NAMES.map((name) => [name, []]));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-purpose-'));
  const server = createServer((request, response) => {
    const name = NAMES.find((one) => request.headers.host?.startsWith(`${addressOf(one)}:`)) ?? 'nothing';
    const path = request.url ?? '';
    requests.get(name)!.push(path);
    const answer = SITES[name]![0][path];
    response.writeHead(answer ? (answer.status ?? 200) : 404, answer?.headers).end(answer?.body);
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  port = (server.address() as { port: number }).port;
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  const seeds = NAMES.map((name) => `http://${addressOf(name)}:${port}/`);
  const out = join(folder, 'c');
  const running = await startCrawl({ ...QUICK, seeds, out, purpose: 'train-ai' });
  await running.done;
  crawl = await openCrawl(out);
});
afterAll(async () => {
  await crawl?.close();
  close();
  rmSync(folder, { recursive: true, force: true });
});

const pagesOf = (paths: readonly string[]) =>
  paths
    .filter((path) => path === '/' || path === '/b')
    .sort()
    .join(' ');

test.each(NAMES)('only what may be used for training is fetched and used: %s', async (name) => {
  const [, fetched, used] = SITES[name]!;
  expect(pagesOf(requests.get(name)!)).toBe(fetched);
  const documents: string[] = [];
  for await (const { url } of crawl.documents())
    if (url.startsWith(`http://${addressOf(name)}:`)) documents.push(new URL(url).pathname);
  expect(pagesOf(documents)).toBe(used);
});

test('a file is asked for once, before the first page, and not if robots.txt disallows it', () => {
  const asked = requests.get('tdmFile')!;
  expect(asked.filter((path) => path.startsWith('/.well'))).toHaveLength(1);
  expect(asked.slice(0, 3)).toEqual(['/robots.txt', '/.well-known/tdmrep.json', '/']);
  expect(requests.get('tdmFileDisallowed')!.some((path) => path.startsWith('/.well'))).toBe(false);
  expect(requests.get('licenseMoved')).toEqual([
    '/robots.txt',
    '/.well-known/tdmrep.json',
    '/old.xml',
    '/new.xml',
  ]);
});

test('the cause and the explanation name the licence', async () => {
  const url = `http://${addressOf('license')}:${port}/`;
  expect((await crawl.url(url))?.cause).toBe('the licence in robots.txt forbids its use (train-ai)');
  const explained = await crawl.explain(url);
  expect(explained.robots).toMatchObject({
    says: 'denied',
    forbiddenUse: 'train-ai',
    forbiddenBy: 'license',
  });
  expect(explained.robots?.usage).toContain('rsl: ai-input=y, search=y, tdm=y, train-ai=n');
});

test('hooks over the archive get the same pages', async () => {
  const processed: string[] = [];
  const onPage = ({ url }: { readonly url: string }) => void processed.push(url);
  for await (const _ of processCrawl(join(folder, 'c'), { onPage }));
  const documents: string[] = [];
  for await (const { url } of crawl.documents()) documents.push(url);
  expect(processed.sort()).toEqual(documents.sort());
});
