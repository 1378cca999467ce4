/** The work of turns: requests, calls to ports, and a hash of all that is given to them and of the records in the archive. */
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { RecordLocation } from '../../../shared/core/archive/record-location.ts';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import type { Message } from '../../../shared/core/frontier/message.ts';
import { openGolden, textOf } from '../../golden.ts';
import { T0 } from '../worker/fake-clock.ts';
import { redirect, robots, type Site } from '../worker/scripted-fetcher.ts';
import { ledgersOf, SILENT } from '../worker/world.ts';
import type { Work } from './struck-turn.ts';
import {
  CRAWL_ID,
  driven,
  link,
  OPEN_ROBOTS,
  type OpenTurn,
  openTurn,
  type TurnSituation,
} from './turn-bench.ts';
import { ORIGIN } from './turn-fakes.ts';
import { links, QUIET_WORKS, turnBy, WAKE, WORKS } from './turn-works.ts';

const golden = openGolden('whole-turns.txt', import.meta.url);

/** A head without what a new one has, too. */
function shownHead(head: Head): object {
  const fields = Object.entries(head).filter(
    ([name, value]) => textOf(value) !== textOf(NEW_HEAD[name as keyof Head]),
  );
  return Object.fromEntries(fields);
}

/** The fields of a WARC record that a turn decides about, and the body of one that says something beside a page. */
function shownRecord(text: string): string {
  const [head = '', body = ''] = text.split(/\r\n\r\n([\s\S]*)/, 2);
  const [, ...fields] = head.split('\r\n');
  const shown = fields
    .filter((field) => !/^WARC-(Date|IP-Address|\w+-Digest):|^Content-Length:/.test(field))
    .map((field) => field.replace(/^WARC-/, ''));
  const isBeside = /^WARC-Type: (metadata|resource)/m.test(head);
  return `warc ${[...shown, ...(isBeside ? body.trim().split(/\r?\n/) : [])].join(' | ')}`;
}

/** All that a piece of work does, line by line. It has time pass by itself. */
async function linesOf({ situation, prepare, run }: Work): Promise<string[]> {
  const { optional } = situation;
  const copies =
    optional && Object.fromEntries(Object.entries(optional).map(([name, port]) => [name, { ...port }]));
  const turn = await openTurn({ ...situation, ...(copies && { optional: copies as never }) });
  const { engine, clock, services } = turn;
  let ids = 0;
  clock.uuid = () => `id-${++ids}`;
  const lines: string[] = [];
  const archived: { readonly shown: RecordLocation; readonly kept: RecordLocation }[] = [];
  const note = (what: string, args: readonly unknown[]) =>
    lines.push([`${clock.elapsed() - T0}`, what, ...args.map(textOf)].join(' '));
  const watch = (name: string, port: object, shown: Record<string, (...args: never[]) => unknown[]> = {}) => {
    const methods = port as Record<string, unknown>;
    for (const [key, method] of Object.entries(methods))
      if (typeof method === 'function')
        methods[key] = (...args: never[]) => {
          note(`${name}.${key}`, shown[key]?.(...args) ?? args);
          return method.apply(port, args);
        };
  };
  const { queue, exchange, ledgers, registry, skips, items, changes, payloads } = engine;
  for (const [name, port] of Object.entries({ queue, exchange, registry, skips, items, changes, payloads }))
    if (port) watch(name, port);
  watch('ledgers', ledgers, {
    commit: (crawl, host, head) => [crawl, host, shownHead(head)],
  });
  const archive = engine.archiveOf(CRAWL_ID);
  const { append } = archive;
  archive.append = async (members, captures) => {
    note('archive.append', captures ?? []);
    const found = await append.call(archive, members, captures);
    // Compressed records are not as long on each machine.
    return found.map((kept) => {
      const shown = { file: 'warc', offset: 100 * archived.length, length: 100 };
      archived.push({ shown, kept });
      return shown;
    });
  };
  await prepare?.(turn);
  lines.length = 0;
  turn.requests.length = 0;
  const recordsBefore = archived.length;
  const ended = await run(turn).then(
    (result) => ['returns', textOf(result)],
    (error: Error) => ['throws', error.message],
  );
  await turn.clock.advance(10);
  lines.push(ended.join(' '));
  await turn.parts.pace.release();
  for (const request of turn.requests) lines.push(`request ${textOf(request)}`);
  for (const [name, list] of Object.entries({
    lock: turn.locks,
    event: turn.events,
    seed: turn.seedEvents,
    work: turn.work,
    disposed: turn.disposed,
  }))
    if (list.length > 0) lines.push(`${name} ${textOf(list)}`);
  lines.push(`stats ${textOf(services.stats)}`);
  const callsInAll = lines.length;
  for (const [host, { records }] of await ledgersOf(engine, CRAWL_ID))
    for (const record of records.values()) lines.push(`record ${host} ${textOf(record)}`);
  lines.push(`totals ${textOf(await registry.totals(CRAWL_ID))}`);
  lines.splice(callsInAll, 0, ...lines.splice(callsInAll).filter((line) => !/^\d/.test(line)));
  await archive.flush();
  for (const { kept } of archived.slice(recordsBefore))
    lines.push(shownRecord(gunzipSync(archive.read(kept)).toString('latin1')));
  return lines;
}

/** The file has the calls with their times, the requests and the end. */
function compare(name: string, lines: readonly string[]): void {
  const outline = lines.flatMap((line) => {
    const [, call] = /^(\d+ \S+)/.exec(line) ?? [];
    if (call) return call;
    const [, url] = /^request \{"url":"([^"]*)"/.exec(line) ?? [];
    if (url) return `request ${url}`;
    return /^(returns|throws) /.test(line) ? line : [];
  });
  golden.compare(name, lines, outline);
}

test.each([...WORKS, ...QUIET_WORKS])('%s', async (name, work) => {
  compare(name, await linesOf({ ...work, run: (turn) => driven(turn, work.run(turn)) }));
});

const TEXT =
  'The harbour of the town was built in the year of the great storm, and its walls have stood since. ';
const article = (title: string, text: string, head = '') => ({
  body: `<html lang="en"><head><title>${title}</title>${head}</head><body><main><h1>${title}</h1><p>${text.repeat(8)}</p><a href="/one">one</a></main></body></html>`,
});
const xml = (body: string) => ({ headers: { 'Content-Type': 'application/xml' }, body });
/** A site that has a bit of everything. */
const RICH: Site = {
  [`${ORIGIN}/robots.txt`]: robots(
    'User-agent: *\nCrawl-delay: 2\nDisallow: /secret\nAllow: /secret/open\nSitemap: /map.xml\nContent-Signal: ai-train=no\n',
  ),
  [`${ORIGIN}/`]: {
    body: `<html lang="en"><head><title>Start</title><link rel="alternate" type="application/rss+xml" href="/feed.xml"><link rel="stylesheet" href="/style.css"></head><body>
      <a href="/one">one</a><a href="/two?utm_source=x" rel="nofollow">two</a><a href="/secret/x">x</a><a href="/secret/open">y</a>
      <a href="http://b.test/">b</a><a href="http://b.test/2">b2</a><a href="https://c.test/deep/path">c</a><a href="mailto:me@a.test">m</a><a href="/one#part">again</a>
      <img src="/logo.png"><img src="http://cdn.test/i.png"><script src="/app.js"></script><a href="/a/b/a/b/a/b/a/b">trap</a></body></html>`,
  },
  [`${ORIGIN}/one`]: article('One', TEXT, '<link rel="canonical" href="/uno">'),
  [`${ORIGIN}/uno`]: article('Uno', TEXT),
  [`${ORIGIN}/same`]: article('Uno', TEXT.replace('storm', 'wind')),
  [`${ORIGIN}/noindex`]: article('Hidden', TEXT, '<meta name="robots" content="noindex,nofollow">'),
  [`${ORIGIN}/moved`]: redirect('/moved/2', 302),
  [`${ORIGIN}/moved/2`]: redirect('/uno'),
  [`${ORIGIN}/loop`]: redirect('/loop'),
  [`${ORIGIN}/away`]: redirect('http://b.test/new'),
  [`${ORIGIN}/busy`]: { status: 503, headers: { 'Retry-After': '7' } },
  [`${ORIGIN}/many`]: { status: 429 },
  [`${ORIGIN}/gone`]: { status: 410 },
  [`${ORIGIN}/cut`]: { ...article('Cut', TEXT), truncated: 'length' },
  [`${ORIGIN}/late`]: { fails: 'timeout' },
  [`${ORIGIN}/stale`]: (before) =>
    before === 0 ? { fails: 'reset', isStaleConnection: true } : article('Stale', TEXT),
  [`${ORIGIN}/doc.pdf`]: { headers: { 'Content-Type': 'application/pdf' }, body: '%PDF-1.4 x' },
  [`${ORIGIN}/plain`]: { headers: { 'Content-Type': 'text/plain' }, body: 'http://a.test/from-text' },
  [`${ORIGIN}/cache`]: {
    ...article('Cache', TEXT),
    headers: {
      ETag: '"e1"',
      'Last-Modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
      'Cache-Control': 'max-age=60',
    },
  },
  [`${ORIGIN}/style.css`]: { headers: { 'Content-Type': 'text/css' }, body: 'a{background:url(/bg.png)}' },
  [`${ORIGIN}/logo.png`]: { headers: { 'Content-Type': 'image/png' }, body: 'PNG' },
  [`${ORIGIN}/feed.xml`]: xml(
    '<rss version="2.0"><channel><item><link>http://a.test/from-feed</link></item></channel></rss>',
  ),
  [`${ORIGIN}/map.xml`]: xml(
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${ORIGIN}/uno</loc><lastmod>2025-12-01</lastmod><changefreq>daily</changefreq><priority>0.9</priority></url><url><loc>${ORIGIN}/from-map</loc></url><url><loc>http://b.test/not-ours</loc></url></urlset>`,
  ),
};
const ALL = [
  '/',
  '/one',
  '/same',
  '/noindex',
  '/moved',
  '/loop',
  '/away',
  '/busy',
  '/gone',
  '/cut',
  '/late',
  '/stale',
  '/doc.pdf',
  '/plain',
  '/cache',
  '/nowhere',
];
const seedOf = (path: string): Message => ({
  kind: 'links',
  crawl: CRAWL_ID,
  links: [link(path, { isSeed: true, depth: 0 })],
});

interface Story {
  readonly config?: CrawlOptions;
  readonly site?: Site;
  readonly situation?: TurnSituation;
  /** The messages of each turn. Default: links to all pages, then two wake-ups. */
  readonly turns?: readonly (readonly Message[])[];
  /** Between two turns. */
  readonly restMs?: number;
  readonly prepare?: (turn: OpenTurn) => void;
}

const DOWN: Site = { [`${ORIGIN}/robots.txt`]: { fails: 'connect' }, [`${ORIGIN}/`]: { fails: 'connect' } };
const FIRST = [[links(...ALL)]];
const optional = {
  skips: { note: () => {}, makeDurable: async () => {} },
  items: { stage: async () => 'staged', publish: async () => {} },
  changes: { stage: async () => 'staged', publish: async () => {} },
  payloads: { find: async () => undefined, add: async () => {} },
} as never;

const STORIES: Readonly<Record<string, Story>> = {
  'a host with pages of every kind': { turns: [[seedOf('/'), links(...ALL)], [WAKE], [WAKE]] },
  'a host whose skipped links, items, changes and payloads are kept': {
    situation: { optional },
    turns: FIRST,
  },
  'a crawl of any host': { config: { scope: 'any' }, turns: FIRST },
  'a crawl with requisites': { config: { requisites: true, scope: 'any' } },
  'a crawl without robots.txt, by several requests at a time': {
    config: { robots: 'ignore', perHost: 3, delayMs: 0 },
    turns: FIRST,
  },
  'a crawl that adapts its pace': { config: { adaptive: true, delayMs: 200 }, turns: FIRST },
  'a crawl with few pages': { config: { maxPages: 3 } },
  'a crawl with few pages of a host': { config: { maxPagesPerHost: 3 } },
  'a crawl with few pages of a template': { config: { maxPagesPerTemplate: 1 }, turns: FIRST },
  'a crawl with a depth of 1': { config: { maxDepth: 1 }, turns: FIRST },
  'a crawl that marks near-duplicates': { config: { nearDuplicates: 'mark' }, turns: FIRST },
  'a crawl that skips near-duplicates': { config: { nearDuplicates: 'skip' }, turns: FIRST },
  'a crawl that ignores canonical links, noindex and nofollow': {
    config: { obeyCanonical: false, obeyNoindex: false, obeyNofollow: false },
    turns: FIRST,
  },
  'a crawl for a purpose': { config: { purpose: 'train-ai' }, turns: FIRST },
  'a crawl that looks for sitemaps': {
    config: { sitemaps: 'find', modifiedSince: '2025-11-01' },
    turns: FIRST,
  },
  'a crawl without sitemaps and feeds': { config: { sitemaps: 'off', feeds: false }, turns: FIRST },
  'a crawl without revisits and metadata': { config: { revisits: false, metadata: false }, turns: FIRST },
  'a crawl whose metadata lists links': { config: { metadataLinks: 5 }, turns: [[links('/', '/one')]] },
  'a crawl that recrawls what changes': {
    config: { recrawl: 'changes', recrawlEveryMs: 60_000, changeFeed: true },
    situation: { optional },
    restMs: 120_000,
  },
  'a crawl that recrawls by a schedule': { config: { recrawlSchedule: '* * * * *' }, restMs: 90_000 },
  'a crawl with a rate of bytes': { config: { maxBytesPerSecondPerHost: 2000 }, turns: FIRST },
  'a crawl with a budget for each domain': { config: { domainBudget: 4, maxHostsPerDomain: 2 } },
  'a crawl of other limits for URLs': {
    config: { maxPathDepth: 1, maxLinksPerPage: 4, maxUrlLength: 22, include: ['/o'], exclude: ['gone'] },
    turns: FIRST,
  },
  'a crawl that ascends paths': { config: { ascendPaths: true }, turns: [[links('/secret/open')]] },
  'a host that is down': { site: DOWN, turns: [[seedOf('/')], [WAKE], [WAKE], [WAKE]], restMs: 20_000 },
  'a host whose robots.txt is down': {
    site: { ...RICH, [`${ORIGIN}/robots.txt`]: { status: 500 } },
    turns: [[seedOf('/')], [WAKE]],
    restMs: 20_000,
  },
  'a host that asks for patience at each page': {
    site: { ...RICH, [`${ORIGIN}/one`]: { status: 429, headers: { 'Retry-After': '30' } } },
    turns: [[links('/one', '/uno')], [WAKE]],
    restMs: 40_000,
  },
  'a crawl with one try for each page': { config: { maxAttempts: 1, maxHostFailures: 1 }, turns: FIRST },
  'a crawl whose hooks give items, requests and importance': {
    situation: {
      optional,
      hooks: {
        ...SILENT,
        onPage: async ({ url }) => ({
          items: [JSON.stringify({ url })],
          importance: 2,
          requests: [{ url: `${ORIGIN}/own`, request: { method: 'POST', body: 'q=1' } as never, level: 3 }],
        }),
        onError: async () => {},
      },
    },
    turns: [[links('/', '/one', '/gone')], [WAKE]],
  },
  'a crawl that is paused': { situation: { status: 'paused' }, turns: [[links('/one')]] },
  'a crawl that was called finished': { situation: { status: 'finished' }, turns: [[links('/one')]] },
  'a turn of one second': {
    config: { turnMaxMs: 1000, delayMs: 300 },
    situation: { head: OPEN_ROBOTS },
    turns: FIRST,
  },
};

test.each(Object.entries(STORIES))('%s', async (name, story) => {
  const { config, site = RICH, situation, turns, restMs = 30_000, prepare } = story;
  const lines = await linesOf({
    situation: { site, config: { delayMs: 500, ...config }, ...situation },
    prepare: async (turn) => prepare?.(turn),
    async run(turn) {
      if (situation?.hooks) Object.assign(turn.services, { hooks: situation.hooks });
      for (const [i, messages] of (turns ?? [[links(...ALL)], [WAKE], [WAKE]]).entries()) {
        if (i > 0) await turn.clock.advance(restMs);
        await driven(turn, turnBy(turn, messages));
      }
    },
  });
  compare(name, lines);
});

test('the file has no lines of other turns', () => {
  const names = [...WORKS, ...QUIET_WORKS].map(([name]) => name).concat(Object.keys(STORIES));
  expect(golden.names().toSorted()).toEqual(names.toSorted());
});
