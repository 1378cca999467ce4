import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type CrawlEvent,
  CrawlExists,
  InvalidConfig,
  type LogEntry,
  NoContact,
  NoCrawl,
  openCrawl,
  resumeCrawl,
  startCrawl,
} from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { rowOfPages, type SmallSite, startSite } from '../local-crawl/small-site.ts';

let site: SmallSite;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-api-'));
  site = await startSite(rowOfPages(6), { address: '127.78.0.40' });
});
afterEach(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const out = (name = 'c') => join(folder, name);
const quick = (name?: string) => ({ ...QUICK, seeds: [`${site.url}/`], out: out(name) });

async function all(events: AsyncIterable<CrawlEvent>): Promise<CrawlEvent[]> {
  const list: CrawlEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

test('a crawl that recrawls ends when nothing is due, if it is to, and resumes so', async () => {
  const options = { ...quick(), recrawlEveryMs: 86_400_000, once: true };
  const summary = await (await startCrawl(options)).done;
  expect(summary).toMatchObject({ state: 'interrupted', reasonCode: 'nothingDue', pages: 6 });
  expect(summary.reason).toMatch(/^nothing is due before \d{4}-\d\d-\d\dT/);
  const resumed = await (await resumeCrawl(out(), { once: true })).done;
  expect(resumed).toMatchObject({ state: 'interrupted', reasonCode: 'nothingDue', pages: 6, recrawl: {} });
  await expect(startCrawl({ ...options, out: out('d'), once: 'yes' as never })).rejects.toThrow('once');
});

test('a crawl that recrawls and has had its pages ends when nothing is due, though URLs wait', async () => {
  const options = { ...quick(), recrawlEveryMs: 86_400_000, maxPages: 3, once: true };
  const summary = await (await startCrawl(options)).done;
  expect(summary).toMatchObject({ state: 'interrupted', reasonCode: 'nothingDue', pages: 3 });
  expect(summary.byStatus.waiting).toBeGreaterThan(0);
}, 60_000);

describe.each([
  ['in the calling thread', { onPage: ({ url }: { url: string }) => ({ url }) }],
  ['in a thread of its own', {}],
])('a crawl %s', (_, hooks) => {
  test('reports each page and ends with its summary', async () => {
    const crawl = await startCrawl({ ...quick(), ...hooks });
    const events = await all(crawl.events());
    const pages = events.filter((event) => event.type === 'page');
    expect(pages.map(({ url }) => new URL(url).pathname)).toEqual(['/', '/1', '/2', '/3', '/4', '/5']);
    expect(pages[1]).toMatchObject({ status: 'fetched', httpStatus: 200, depth: 1, via: `${site.url}/` });
    const summary = await crawl.done;
    expect(events.at(-1)).toEqual({ type: 'finished', summary });
    expect(summary).toMatchObject({ state: 'finished', pages: 6 });
    expect(crawl.progress()).toMatchObject({ pages: 6 });
  });

  test('gives its log to a listener and to a file of its folder', async () => {
    const logged: LogEntry[] = [];
    const crawl = await startCrawl({
      ...quick(),
      ...hooks,
      logLevel: 'debug',
      onLog: (entry) => logged.push(entry),
    });
    await crawl.done;
    expect(logged.filter(({ message }) => message === 'Page')).toHaveLength(6);
    expect(logged[0]).toMatchObject({ level: 'info', message: 'Crawl started', fields: { folder: out() } });
    const { fields } = logged.at(-1) ?? {};
    expect(fields).toMatchObject({ state: 'finished', pages: 6 });
    const lines = readFileSync(join(out(), 'log.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(logged.length);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ message: 'Crawl ended', pages: 6 });
  });

  test('says which limit it has met, and is resumed with a higher one', async () => {
    const crawl = await startCrawl({ ...quick(), ...hooks, maxPages: 2 });
    const events = await all(crawl.events());
    expect(events.at(-2)).toEqual({ type: 'limit', reason: expect.stringContaining('2 pages') });
    expect(await crawl.done).toMatchObject({ state: 'limited', pages: 2 });
    const resumed = await resumeCrawl(out(), { ...hooks, maxPages: 100 });
    expect(await resumed.done).toMatchObject({ state: 'finished', pages: 6 });
    expect(new Set(site.log).size).toBe(site.log.length);
  });

  test('fetches nothing while it is paused, and continues', async () => {
    const crawl = await startCrawl({ ...quick(), ...hooks, delayMs: 50 });
    await site.asked('/1');
    expect(await crawl.pause()).toMatchObject({ state: 'paused' });
    const asked = site.log.length;
    await using stored = await openCrawl(out());
    expect(await stored.summary()).toMatchObject({ state: 'paused' });
    expect(asked).toBeLessThan(6);
    await crawl.resume();
    await site.asked('/3');
    expect(site.log.length).toBeGreaterThan(asked);
    expect(await crawl.stop()).toMatchObject({ state: 'stopped' });
    expect(await crawl.done).toMatchObject({ state: 'stopped' });
    expect(site.log).not.toContain('/5');
  });

  test('refuses what cannot be, by an error of its own class', async () => {
    await expect(startCrawl({ ...quick(), ...hooks, seeds: ['https://example.org/'] })).rejects.toThrow(
      NoContact,
    );
    await expect(resumeCrawl(out('nowhere'), hooks)).rejects.toThrow(NoCrawl);
  });
});

const onPage = () => {};

test('a crawl stops while it is paused, and can be continued', async () => {
  const crawl = await startCrawl({ ...quick(), onPage, delayMs: 50 });
  await site.asked('/1');
  await crawl.pause();
  expect(await crawl.stop()).toMatchObject({ state: 'stopped' });
  expect(site.log).not.toContain('/5');
  const resumed = await resumeCrawl(out(), { onPage });
  expect(await resumed.done).toMatchObject({ state: 'finished', pages: 6 });
});

test('a crawl that had hooks warns if it is resumed without them', async () => {
  const warned = async (limits: { maxPages: number; onPage?: () => void }) => {
    const logged: string[] = [];
    const onLog = ({ level, message }: { level: string; message: string }) => {
      if (level === 'warn') logged.push(message);
    };
    await (await resumeCrawl(out(), { ...limits, onLog })).done;
    return logged;
  };
  await (await startCrawl({ ...quick(), onPage, maxPages: 1 })).done;
  expect(await warned({ onPage, maxPages: 2 })).toEqual([]);
  expect(await warned({ maxPages: 3 })).toEqual([
    expect.stringMatching(/^Hooks were called for pages of this crawl before, and now there are none: /),
  ]);
});

test('a crawl that is paused again at once is paused', async () => {
  const crawl = await startCrawl({ ...quick(), onPage, delayMs: 50 });
  await site.asked('/1');
  await crawl.pause();
  await crawl.resume();
  expect(await crawl.pause()).toMatchObject({ state: 'paused' });
  await crawl.resume();
  expect(await crawl.done).toMatchObject({ state: 'finished', pages: 6 });
});

test.each([
  ['in its own thread', {}],
  ['with hooks, in the calling thread', { onPage: () => undefined }],
])('a crawl has documents when it has ended, %s', async (_, hooks) => {
  const crawl = await startCrawl({ ...quick(), ...hooks, documents: true, maxPages: 4 });
  await crawl.done;
  const urls = () =>
    readFileSync(join(out(), 'documents.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).url);
  expect(urls()).toHaveLength(4);
  await (await resumeCrawl(out(), { ...hooks, maxPages: 5, documents: false })).done;
  expect(urls()).toHaveLength(4);
  await (await resumeCrawl(out(), { ...hooks, maxPages: 100, documents: true })).done;
  expect(new Set(urls()).size).toBe(6);
});

test('a crawl is interrupted by its signal', async () => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const crawl = await startCrawl({ ...quick(), onPage, delayMs: 50, signal });
  await site.asked('/1');
  stopping.abort();
  expect(await crawl.done).toMatchObject({ state: 'interrupted' });
  await expect(startCrawl({ ...quick('d'), onPage, signal })).rejects.toThrow(/abort/i);
});

test('a crawl takes seeds while it runs', async () => {
  const crawl = await startCrawl({ ...quick(), onPage, delayMs: 50 });
  await site.asked('/1');
  expect(await crawl.addSeeds([`${site.url}/other`])).toMatchObject({ added: 1, isRunning: true });
  expect(await crawl.done).toMatchObject({ state: 'finished', byStatus: { fetched: 6, gone: 1 } });
});

test('a folder with a crawl takes no other one, and settings are checked by name', async () => {
  await (await startCrawl({ ...quick(), onPage, maxPages: 1 })).done;
  await expect(startCrawl({ ...quick(), onPage })).rejects.toThrow(CrawlExists);
  const misspelt = { ...quick('d'), delyMs: 1, seeds: ['mailto:a'] };
  await expect(startCrawl(misspelt)).rejects.toThrow(/delyMs.*did you mean delayMs.*seeds\.0/i);
  await expect(resumeCrawl(out(), { onPage, delayMs: 1 } as object)).rejects.toThrow(/takes no delayMs/);
});

test('of many seeds that are no URLs the first are named, and the number of the others', async () => {
  const error = await startCrawl({ seeds: Array(100_000).fill('no url') }).catch((error) => error);
  expect(error).toBeInstanceOf(InvalidConfig);
  expect(error.message).toMatch(
    /seeds\.9 to be an http or https URL, got "no url"; 99990 more seeds are none$/,
  );
  expect(error.message.length).toBeLessThan(1000);
});

test('a crawl that cannot continue rejects, and its listeners throw', async () => {
  const crawl = await startCrawl({ ...quick(), onPage, delayMs: 50 });
  const heard = all(crawl.events());
  rmSync(join(out(), 'archive'), { recursive: true });
  rmSync(join(out(), 'tmp'), { recursive: true });
  rmSync(join(out(), 'crawl.sqlite'));
  rmSync(join(out(), 'lock'));
  const end = await Promise.allSettled([crawl.done, heard]);
  expect(end.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

describe('hooks that are functions', () => {
  test('give items, which are events and lines of the file', async () => {
    const seen: string[] = [];
    let summary: unknown;
    const crawl = await startCrawl({
      ...quick(),
      onPage({ url, title }) {
        seen.push(url);
        return { title };
      },
      onFinish(given) {
        summary = given;
      },
    });
    const events = await all(crawl.events());
    expect(events.filter(({ type }) => type === 'item')).toEqual(
      ['0', '1', '2', '3', '4', '5'].map((title, i) => ({ type: 'item', url: seen[i], item: { title } })),
    );
    expect(summary).toEqual(await crawl.done);
    expect(readFileSync(join(out(), 'items.jsonl'), 'utf8').trim().split('\n')).toHaveLength(6);
  });

  test('cannot go to other threads', async () => {
    await expect(startCrawl({ ...quick(), onPage: () => {}, workers: 2 })).rejects.toThrow(
      /Expected no workers together with onPage/,
    );
    await expect(startCrawl({ ...quick(), onPage: 'no' as never })).rejects.toThrow(InvalidConfig);
  });
});

test('several crawls run in one process, each in its folder', async () => {
  const other = await startSite(rowOfPages(6), { address: '127.78.0.41' });
  const onPage = ({ url }: { url: string }) => ({ url });
  const one = await startCrawl({ ...quick('one'), onPage });
  const two = await startCrawl({ ...quick('two'), seeds: [`${other.url}/`], onPage });
  const summaries = await Promise.all([one.done, two.done]);
  await other.stop();
  expect(summaries).toMatchObject([{ pages: 6 }, { pages: 6 }]);
  await using stored = await openCrawl(out('two'));
  for await (const { url } of stored.items<{ url: string }>()) expect(url).toContain(other.url);
});

test('a host that fails is reported with how long it is left alone', async () => {
  const seeds = ['http://127.78.0.42:9/'];
  const crawl = await startCrawl({
    ...quick(),
    seeds,
    allowPorts: [9],
    maxHostFailures: 2,
    onPage: () => {},
  });
  const backoffs = (await all(crawl.events())).filter((event) => event.type === 'hostBackoff');
  expect(backoffs[0]).toMatchObject({ host: '127.78.0.42:9', failures: 1, cause: /refused/ });
  expect(backoffs[0]?.until).toBeGreaterThan(0);
});

test('a slow listener blocks nothing, and learns how many events it has missed', async () => {
  const crawl = await startCrawl({ ...quick(), onPage: () => {} });
  const events = crawl.events({ maxQueued: 2 });
  await crawl.done;
  expect((await all(events)).map(({ type }) => type)).toEqual(['page', 'page', 'dropped', 'finished']);
});
