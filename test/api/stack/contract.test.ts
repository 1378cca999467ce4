/** The same calls, on a crawl in a folder and on a crawl of a stack in the simulated account. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  openCrawl,
  type PageContext,
  type ProcessedPage,
  type ProcessOptions,
  processCrawl,
  type RunningCrawl,
  type StackCrawl,
  type StoredCrawl,
  startCrawl,
} from '../../../api/index.ts';
import { openStackCrawl } from '../../../api/stack/open-stack-crawl.ts';
import { processOnStack } from '../../../api/stack/process-on-stack.ts';
import { beginStackCrawl, readStackOptions } from '../../../api/stack/start-stack-crawl.ts';
import type { UrlDetail } from '../../../shared/services/report/url-detail.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { all } from '../../all.ts';
import { QUICK } from '../../local-crawl/local-crawl.ts';
import { startSite } from '../../local-crawl/small-site.ts';
import { deployedWorld } from './deployed-world.ts';

const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/': ['/1', '/2'],
  '/1': ['/2', '/missing', 'http://other.test/'],
  '/2': [],
};
const TEXT = `<main><p>${'The harbour has a quay. '.repeat(10)}</p></main>`;
const CONTACT = 'https://sim.test/';

interface Script {
  readonly running: RunningCrawl | StackCrawl;
  /** Opens the crawl again. */
  readonly open: () => Promise<StoredCrawl | StackCrawl>;
  readonly process: (options: ProcessOptions) => AsyncIterable<ProcessedPage>;
}

const exclude = ['/excluded$'];
const seedsOf = (origin: string) => [`${origin}/excluded`, `${origin}/`];

/** The hook of the project that crawls. */
function onPage({ url, $, state }: PageContext) {
  state.update<number>('pages', (n = 0) => n + 1);
  return { path: pathOf(url), links: $('a').length };
}

const pathOf = (url: string): string => new URL(url).pathname;

/** Follows a crawl as a program does, wherever it runs, and returns the program's findings. */
async function followCrawl({ running, open, process }: Script) {
  const types = new Set<string>();
  const leftOut: string[] = [];
  for await (const event of running.events()) {
    types.add(event.type);
    if (event.type === 'warning') leftOut.push(event.message.replace(/http:\/\/[^/]*/, ''));
  }
  const { state, pages } = await running.done;
  const stored = await open();
  const captures = await all(stored.captures());
  const first = captures.find(({ url, mime }) => pathOf(url) === '/' && mime === 'text/html');
  const record = await stored.readRecord(first!);
  const known = await all(stored.urls());
  const seed = known.find(({ depth }) => depth === 0)!;
  const outcome = {
    leftOut,
    last: [...types].at(-1),
    state,
    pages,
    urls: known.map(({ url, status }) => [pathOf(url), status]).sort(),
    one: await stored.url(seed.url).then((url) => url && [pathOf(url.url), url.status, url.httpStatus]),
    unknown: await stored.url(new URL('/never', seed.url).href),
    captures: captures.map(({ url, status }) => [pathOf(url), status]),
    cdxj: (await all(stored.cdxj())).length,
    type: record.type,
    status: record.http?.status,
    links: Buffer.from(record.http!.decode())
      .toString()
      .match(/href="\/\d"/g),
    report: (await stored.report()).summary.pages,
    summary: (await stored.summary()).pages,
    explained: (await stored.explain(seed.url)).url,
    processed: (await all(process({ onPage: ({ url, $ }) => ({ url, links: $('a').length }) })))
      .map(({ url, items }) => [pathOf(url), items[0]?.links])
      .sort(),
    items: (await all(stored.items())).map(({ path, links }) => [path, links]).sort(),
    csv: (await all(stored.itemsCsv())).sort(),
    ...(await queriesOf(stored, seed)),
    ...(await exportsOf(stored)),
  };
  await stored.close();
  return { ...outcome, explained: pathOf(String(outcome.explained)) };
}

/** Queries beyond the first ones, with the errors of those that fail. */
async function queriesOf(stored: StoredCrawl | StackCrawl, { url, host }: UrlDetail) {
  return {
    hosts: (await stored.hosts()).hosts.map(({ pages }) => pages),
    domains: (await stored.domains()).domains,
    sites: (await stored.sites()).sites,
    host: (await stored.host(host)).pages,
    history: (await stored.history(url)).map(({ httpStatus }) => httpStatus),
    document: await stored.document(url).then(({ visit, document }) => [visit.change, document.text]),
    noDocument: await nameOf(stored.document(new URL('/never', url).href)),
    noDifference: await nameOf(stored.diff(url)),
    changes: (await all(stored.changes())).map(({ change }) => change).sort(),
    skipped: (await all(stored.skipped())).flatMap(({ reason, via }) => (via ? [[reason, pathOf(via)]] : [])),
    beyond: stored.skippedBeyond(),
    kept: [...(await stored.state())],
    noUrl: await nameOf(stored.url('ftp://a.test/')),
    noHost: await nameOf(stored.host('never.test')),
    noRecord: await nameOf(stored.readRecord({ file: 'no.warc.gz', offset: 0 })),
    noPage: await nameOf(stored.hosts({ limit: 0 })),
    inlinks: (await stored.inlinks(new URL('/2', url).href)).map(({ page }) => pathOf(page)),
    broken: (await stored.brokenLinks()).broken.map(({ links }) => links),
    // It has ended, so that both change nothing.
    paused: (await stored.pause()).state,
    stopped: (await stored.stop()).state,
  };
}

const nameOf = (failing: Promise<unknown>): Promise<string> =>
  failing.then(
    () => 'no error',
    (error: Error) => error.name,
  );

async function exportsOf(stored: StoredCrawl | StackCrawl) {
  const out = mkdtempSync(join(tmpdir(), 'strand-same-exports-'));
  const index = join(out, 'index.sqlite');
  const at = (name: string) => join(out, name);
  const { documents, skipped } = await stored.exportMarkdown(at('markdown'));
  const outcome = {
    documents: (await all(stored.documents())).map(({ url }) => pathOf(url)).sort(),
    markdown: [documents, skipped, readdirSync(at('markdown'), { recursive: true }).length],
    llms: await stored.exportLlms(at('llms')),
    mirror: await stored.exportMirror(at('mirror')),
    graph: (await stored.exportGraph(at('graph'))).pages,
    tables: await stored.exportParquet(at('tables')),
    wet: (await stored.exportDerived('wet', at('wet'))).records,
    duplicates: (await stored.duplicates({ index: at('sketches.sqlite') })).copies,
    hits: (await stored.search('harbour', { index })).length,
    isFull: await nameOf(stored.exportLlms(at('llms'))),
    wacz: Buffer.concat(await all(stored.wacz()))
      .subarray(0, 2)
      .toString(),
  };
  rmSync(out, { recursive: true, force: true });
  return outcome;
}

async function onFolder() {
  const html = (links: readonly string[]) =>
    `<!doctype html>${TEXT}${links.map((link) => `<a href="${link}">x</a>`).join('')}`;
  const pages = Object.fromEntries(Object.entries(PAGES).map(([path, links]) => [path, html(links)]));
  const site = await startSite(pages, { address: '127.78.0.61' });
  const parent = mkdtempSync(join(tmpdir(), 'strand-same-calls-'));
  const out = join(parent, 'c');
  try {
    const running = await startCrawl({ ...QUICK, seeds: seedsOf(site.url), out, exclude, onPage });
    return await followCrawl({
      running,
      open: () => openCrawl(out),
      process: (options) => processCrawl(out, options),
    });
  } finally {
    await site.stop();
    rmSync(parent, { recursive: true, force: true });
  }
}

async function onStack() {
  const pages = Object.fromEntries(
    Object.entries(PAGES).map(([path, links]) => [`http://a.test${path}`, links]),
  );
  const { time, connection, deployment } = deployedWorld(pages, { project: { onPage }, textOf: () => TEXT });
  const seeds = seedsOf('http://a.test');
  const options = { stack: 'Strand', crawl: 'c', seeds, exclude, contact: CONTACT, delayMs: 500 };
  const script = async () => {
    const begun = await beginStackCrawl(connection, readStackOptions(options));
    return followCrawl({
      running: await openStackCrawl(connection, begun.crawl, begun),
      open: () => openStackCrawl(connection, begun.crawl),
      process: (hooks) => processOnStack(connection, begun.crawl, hooks),
    });
  };
  const outcome = await drive(time, script());
  deployment.stop();
  return outcome;
}

test('the same calls give the same answers on a folder and on a stack', async () => {
  const [folder, stack] = [await onFolder(), await onStack()];
  expect(stack).toEqual(folder);
  expect(folder).toMatchObject({
    leftOut: ['Left out the seed /excluded: one of the patterns of `exclude` matches'],
    last: 'finished',
    state: 'finished',
    pages: 4,
    urls: [
      ['/', 'fetched'],
      ['/1', 'fetched'],
      ['/2', 'fetched'],
      ['/missing', 'gone'],
    ],
    unknown: undefined,
    links: ['href="/1"', 'href="/2"'],
    processed: [
      ['/', 2],
      ['/1', 3],
      ['/2', 0],
    ],
    items: [
      ['/', 2],
      ['/1', 3],
      ['/2', 0],
    ],
    history: [200],
    changes: ['new', 'new', 'new'],
    skipped: [['scope', '/1']],
    kept: [['pages', 3]],
    noDifference: 'NoDifference',
    noUrl: 'ControlError',
    noHost: 'ControlError',
    noPage: 'ControlError',
    noRecord: 'RangeError',
    paused: 'finished',
    stopped: 'finished',
    inlinks: ['/', '/1'],
    broken: [1],
    hits: 3,
    isFull: 'FolderNotEmpty',
    csv: ['/,2\r\n', '/1,3\r\n', '/2,0\r\n', 'path,links\r\n'],
  });
});

test('a crawl whose seeds are all left out begins in neither place', async () => {
  const seeds = ['http://a.test/no', 'http://a.test:25/'];
  const options = { seeds, contact: CONTACT, exclude: ['/no$'] };
  const parent = mkdtempSync(join(tmpdir(), 'strand-no-seed-'));
  const onFolder = startCrawl({ ...options, out: join(parent, 'c') });
  const message =
    'seeds.0 cannot be a seed: one of the patterns of `exclude` matches, got "http://a.test/no"; ' +
    'seeds.1 cannot be a seed: browsers refuse its port; `allowPorts` (`--allow-port N`) allows it, got "http://a.test:25/"';
  await expect(onFolder).rejects.toMatchObject({ name: 'InvalidConfig', message });
  expect(readdirSync(parent)).toEqual([]);
  rmSync(parent, { recursive: true });
  const { time, connection, deployment } = deployedWorld({});
  const onStack = beginStackCrawl(connection, readStackOptions({ ...options, stack: 'Strand', crawl: 'c' }));
  await expect(drive(time, onStack)).rejects.toMatchObject({ name: 'ControlError', message });
  deployment.stop();
});
