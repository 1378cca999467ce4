import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { CrawlPlace, OpenedCrawl } from '../../api/crawl-place.ts';
import { createStoredCrawl } from '../../api/create-stored-crawl.ts';
import { all } from '../all.ts';

const folder = mkdtempSync(join(tmpdir(), 'strand-place-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A function that fails, and all of whose properties are such functions. */
const failing: unknown = new Proxy(() => {}, {
  get: () => failing,
  apply() {
    throw new Error('SlowDown');
  },
});

const allFailing = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, failing]));

/** A place all of whose functions fail. */
function failingPlace(): CrawlPlace {
  const file = join(folder, 'file.sqlite');
  return {
    ...allFailing(
      'rows registry queries skips clock openJars summary stateOf hookState openItems openFiles pause stop',
    ),
    // It is copied, with a change.
    archive: allFailing('cdxj captures capturesOf openRecord sizes readResponse readUsage readRendered'),
    crawl: 'c',
    record: { config: {}, scopeSeeds: [] },
    files: { search: file, sketches: file, sinks: file },
    explain: ({ message }: Error) => new Error(`AWS refuses: ${message}`),
    close: async () => {},
  } as unknown as CrawlPlace;
}

/** Secrets of a destination that takes documents. */
const SECRETS = { secrets: { webhookSecret: 'a secret of many characters' } };
const out = (name: string): string => join(folder, name);

const CALLS: readonly (readonly [keyof OpenedCrawl, (crawl: OpenedCrawl) => unknown])[] = [
  ['summary', (crawl) => crawl.summary()],
  ['report', (crawl) => crawl.report()],
  ['urls', (crawl) => all(crawl.urls())],
  ['changes', (crawl) => all(crawl.changes())],
  ['url', (crawl) => crawl.url('http://a.test/')],
  ['skipped', (crawl) => all(crawl.skipped())],
  ['skippedBeyond', (crawl) => crawl.skippedBeyond()],
  ['explain', (crawl) => crawl.explain('http://a.test/')],
  ['accounts', (crawl) => crawl.accounts()],
  ['unlockAccount', (crawl) => crawl.unlockAccount('reader-1')],
  ['brokenLinks', (crawl) => crawl.brokenLinks()],
  ['inlinks', (crawl) => crawl.inlinks('http://a.test/')],
  ['items', (crawl) => all(crawl.items())],
  ['itemsCsv', (crawl) => all(crawl.itemsCsv())],
  ['state', (crawl) => crawl.state()],
  ['captures', (crawl) => all(crawl.captures())],
  ['history', (crawl) => crawl.history('http://a.test/')],
  ['diff', (crawl) => crawl.diff('http://a.test/')],
  ['cdxj', (crawl) => all(crawl.cdxj())],
  ['readRecord', (crawl) => crawl.readRecord({ file: 'a.warc.gz', offset: 0 })],
  ['document', (crawl) => crawl.document('http://a.test/')],
  ['documents', (crawl) => all(crawl.documents())],
  ['exportMarkdown', (crawl) => crawl.exportMarkdown(out('markdown'))],
  ['exportLlms', (crawl) => crawl.exportLlms(out('llms'))],
  ['exportMirror', (crawl) => crawl.exportMirror(out('mirror'))],
  ['exportParquet', (crawl) => crawl.exportParquet(out('tables'))],
  ['exportGraph', (crawl) => crawl.exportGraph(out('graph'))],
  ['exportDerived', (crawl) => crawl.exportDerived('wet', out('wet'))],
  ['search', (crawl) => crawl.search('word', { index: out('search.sqlite') })],
  ['sendDocuments', (crawl) => crawl.sendDocuments('webhook+http://127.0.0.1:9/', SECRETS)],
  ['duplicates', (crawl) => crawl.duplicates({ index: out('sketches.sqlite') })],
  ['wacz', (crawl) => all(crawl.wacz())],
  ['hosts', (crawl) => crawl.hosts()],
  ['host', (crawl) => crawl.host('a.test')],
  ['domains', (crawl) => crawl.domains()],
  ['sites', (crawl) => crawl.sites()],
  ['pause', (crawl) => crawl.pause()],
  ['stop', (crawl) => crawl.stop()],
];

test.each(CALLS)('an error of the place is explained by %s', async (_, call) => {
  const calling = async () => call(createStoredCrawl(failingPlace()));
  await expect(calling()).rejects.toThrow('AWS refuses: SlowDown');
});

test('an error of a destination of documents stays as it is', async () => {
  const sending = createStoredCrawl(failingPlace()).sendDocuments('nowhere');
  await expect(sending).rejects.toMatchObject({ name: 'InvalidSink' });
});

test('no function of a stored crawl is missing in this list', () => {
  const functions = Object.entries(createStoredCrawl(failingPlace()))
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name);
  expect([...CALLS.map(([name]) => name), 'close'].sort()).toEqual(functions.sort());
});

test('a crawl that is closed twice closes its place once', async () => {
  let closed = 0;
  const place = { ...failingPlace(), close: async () => void closed++ };
  const crawl = createStoredCrawl(place);
  await crawl.close();
  await crawl.close();
  expect(closed).toBe(1);
});
