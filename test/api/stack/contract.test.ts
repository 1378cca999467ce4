/** The same calls, on a crawl in a folder and on a crawl of a stack in the simulated account. */
import { mkdtempSync, rmSync } from 'node:fs';
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
import { drive } from '../../../simulation/models/virtual-time.ts';
import { all } from '../../all.ts';
import { QUICK } from '../../local-crawl/local-crawl.ts';
import { startSite } from '../../local-crawl/small-site.ts';
import { deployedWorld } from './deployed-world.ts';

const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/': ['/1', '/2'],
  '/1': ['/2', '/missing'],
  '/2': [],
};
const CONTACT = 'https://sim.test/';

interface Script {
  readonly running: RunningCrawl | StackCrawl;
  /** Opens the crawl again. */
  readonly open: () => Promise<StoredCrawl | StackCrawl>;
  readonly process: (options: ProcessOptions) => AsyncIterable<ProcessedPage>;
}

/** The hook of the project that crawls. */
const onPage = ({ url, $ }: PageContext) => ({ path: pathOf(url), links: $('a').length });

const pathOf = (url: string): string => new URL(url).pathname;

/** Follows a crawl as a program does, wherever it runs, and returns the program's findings. */
async function followCrawl({ running, open, process }: Script) {
  const types = new Set<string>();
  for await (const { type } of running.events()) types.add(type);
  const { state, pages } = await running.done;
  const stored = await open();
  const captures = await all(stored.captures());
  const first = captures.find(({ url, mime }) => pathOf(url) === '/' && mime === 'text/html');
  const record = await stored.readRecord(first!);
  const known = await all(stored.urls());
  const seed = known.find(({ depth }) => depth === 0)!;
  const outcome = {
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
  };
  await stored.close();
  return { ...outcome, explained: pathOf(String(outcome.explained)) };
}

async function onFolder() {
  const html = (links: readonly string[]) =>
    `<!doctype html>${links.map((link) => `<a href="${link}">x</a>`).join('')}`;
  const pages = Object.fromEntries(Object.entries(PAGES).map(([path, links]) => [path, html(links)]));
  const site = await startSite(pages, { address: '127.78.0.61' });
  const parent = mkdtempSync(join(tmpdir(), 'strand-same-calls-'));
  const out = join(parent, 'c');
  try {
    const running = await startCrawl({ ...QUICK, seeds: [`${site.url}/`], out, onPage });
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
  const { time, connection, deployment } = deployedWorld(pages, { project: { onPage } });
  const options = { stack: 'Strand', crawl: 'c', seeds: ['http://a.test/'], contact: CONTACT, delayMs: 500 };
  const script = async () => {
    const begun = await beginStackCrawl(connection, readStackOptions(options));
    return followCrawl({
      running: await openStackCrawl(connection, begun.crawl),
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
      ['/1', 2],
      ['/2', 0],
    ],
    items: [
      ['/', 2],
      ['/1', 2],
      ['/2', 0],
    ],
    csv: ['/,2\r\n', '/1,2\r\n', '/2,0\r\n', 'path,links\r\n'],
  });
});
