/** The core on the AWS engine, unchanged: a whole crawl by one worker process, its state on the emulator. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { decodeMember, fieldOf, type WarcRecord } from '../../shared/archive/read-warc.ts';
import { parseConfig } from '../../shared/crawl/config.ts';
import { createFetcher } from '../../shared/fetcher/fetcher.ts';
import { wakeDueHosts } from '../../shared/routing/waker.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { checkLog } from '../web/check.ts';
import { PLAIN } from '../web/features.ts';
import { generateWeb } from '../web/graph.ts';
import { type RunningWeb, startWeb } from '../web/server.ts';
import { closure } from '../web/truth.ts';
import { begin, CRAWL, ledgersOf, startProcess } from '../worker/world.ts';
import { openAwsEngine } from './open-engine.ts';
import { hasEmulator } from './resources.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(): Promise<RunningWeb> {
  const features = { ...PLAIN, redirects: true, duplicates: true, spellings: true };
  const running = await startWeb(generateWeb({ seed: 51, hosts: 8, pagesPerHost: 12, features }), {
    latencyMs: 1,
  });
  closing.push(() => running.stop());
  return running;
}

test.runIf(hasEmulator())(
  'a crawl on the aws engine fetches each URL once, hurries no host, and archives what it announces',
  async () => {
    const running = await serve();
    const opened = await openAwsEngine({ leaseMs: 60_000, isGathering: true });
    const tempFolder = mkdtempSync(join(tmpdir(), 'strand-'));
    closing.push(opened.close, () => rmSync(tempFolder, { recursive: true }));
    const { engine } = opened;
    const options = {
      ...QUICK,
      delayMs: 3,
      scope: 'host' as const,
      resolve: [['*.test', running.address]] as [string, string][],
    };
    const fetcher = createFetcher({ ...parseConfig(options), tempFolder, clock: engine.clock });
    closing.push(() => fetcher.close());

    await begin({ engine } as Parameters<typeof begin>[0], running.seeds, options);
    const process = startProcess(engine, fetcher);
    while (!(await engine.registry.isQuiet(CRAWL))) await engine.clock.sleep(500);
    process.stop();
    await process.ended;
    expect(process.errors).toEqual([]);

    const { web, log, seeds } = running;
    const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
    expect(checkLog(web, log, { truth, delayMs: 3, toleranceMs: 3 })).toEqual([]);
    let fetched = 0;
    const digests = new Map<string, string | undefined>();
    const revisits: WarcRecord[] = [];
    for (const { records } of (await ledgersOf(engine)).values())
      for (const { url, result } of records.values()) {
        if (!result?.location) continue;
        fetched++;
        const record = decodeMember((await opened.readRecord?.(CRAWL, result.location)) as Uint8Array);
        expect(fieldOf(record, 'WARC-Target-URI')).toBe(url);
        expect(fieldOf(record, 'WARC-Type')).toMatch(/^(?:response|revisit)$/);
        if (fieldOf(record, 'WARC-Type') === 'revisit') revisits.push(record);
        else digests.set(url, fieldOf(record, 'WARC-Payload-Digest'));
      }
    // The web has pages of several URLs; each is archived in full at least once.
    for (const record of revisits)
      expect(digests.get(fieldOf(record, 'WARC-Refers-To-Target-URI') ?? '')).toBe(
        fieldOf(record, 'WARC-Payload-Digest'),
      );
    expect(fetched).toBe(log.filter(({ path }) => path !== '/robots.txt').length);
  },
  180_000,
);

/** A page that never changes and knows it, and one that changes each time. */
async function serveChanging() {
  const conditional: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    if (request.url === '/changing')
      return void response.end(`<p>It says ${'abcdefghij'[conditional.length % 10]}`);
    conditional.push(request.headers['if-none-match']);
    response.setHeader('ETag', '"v1"');
    if (request.headers['if-none-match'] === '"v1"') return void response.writeHead(304).end();
    response.end(`<a href="/changing">the other</a><p>${'always the same '.repeat(200)}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, conditional };
}

test.runIf(hasEmulator())(
  'a crawl on the aws engine that recrawls wakes, asks conditionally, and writes revisits',
  async () => {
    const { origin, conditional } = await serveChanging();
    let aheadMs = 0;
    const opened = await openAwsEngine({ leaseMs: 60_000, aheadMs: () => aheadMs });
    const tempFolder = mkdtempSync(join(tmpdir(), 'strand-'));
    closing.push(opened.close, () => rmSync(tempFolder, { recursive: true }));
    const { engine } = opened;
    const options = { ...QUICK, allowPrivateAddresses: ['127.0.0.0/8'], recrawlEveryMs: 3_600_000 };
    const fetcher = createFetcher({ ...parseConfig(options), tempFolder, clock: engine.clock });
    closing.push(() => fetcher.close());
    await begin({ engine } as Parameters<typeof begin>[0], [`${origin}/`], options);
    const recordsOf = async () =>
      [...(await ledgersOf(engine)).values()].flatMap(({ records }) => [...records.values()]);

    // Later rounds check the validator now and then; the third is due by the waker.
    for (let round = 1; round <= 6; round++) {
      const process = startProcess(engine, fetcher);
      const isDone = async () => {
        await wakeDueHosts(engine, process.worker.crawls, CRAWL, new Map());
        const records = await recordsOf();
        return records.length === 2 && records.every(({ dueAt }) => dueAt > engine.clock.now());
      };
      while (!(await isDone())) await engine.clock.sleep(200);
      process.stop();
      await process.ended;
      expect(process.errors).toEqual([]);
      aheadMs += 2 * 3_600_000;
    }
    expect(conditional).toHaveLength(6);
    expect(conditional).toContain('"v1"');
    const { pages, recrawl = {} } = await engine.registry.totals(CRAWL);
    expect(pages).toBe(2);
    expect(recrawl.changed).toBe(5);
    expect((recrawl.notModified ?? 0) + (recrawl.unchanged ?? 0)).toBe(5);
    expect(recrawl.notModified).toBeGreaterThan(0);
    for (const { url, result, recrawl: state } of await recordsOf()) {
      const record = decodeMember((await opened.readRecord?.(CRAWL, result!.location!)) as Uint8Array);
      expect([fieldOf(record, 'WARC-Target-URI'), fieldOf(record, 'WARC-Type')]).toEqual([url, 'response']);
      expect(fieldOf(record, 'WARC-Date')).toBe(new Date(state!.capturedAt).toISOString());
    }
    expect((await engine.registry.load(CRAWL))?.status).toBe('running');
  },
  120_000,
);
