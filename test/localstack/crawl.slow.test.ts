/** The core on the AWS engine, unchanged: a whole crawl by one worker process, its state on the emulator. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterEach, expect, test } from 'vitest';
import { Announcer } from '../../functions/announcer.ts';
import { ChangeFeed } from '../../functions/change-feed.ts';
import { webhookSink } from '../../functions/event-sinks.ts';
import { createWakerHandler } from '../../functions/waker-handler.ts';
import { decodeMember, fieldOf, type WarcRecord } from '../../shared/core/archive/read-warc.ts';
import { scanMembers } from '../../shared/core/archive/scan-members.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { createFetcher } from '../../shared/crawler/fetcher/fetcher.ts';
import { warcFolder } from '../../shared/engines/aws/archive/archives.ts';
import { createMeter } from '../../shared/engines/aws/cost/meter.ts';
import type { AwsEngine } from '../../shared/engines/aws/engine.ts';
import { endedCrawl } from '../../shared/services/control/summarize-crawl.ts';
import { verifyWebhook } from '../../shared/services/webhook/signature.ts';
import { begin, CRAWL, ledgersOf, startProcess } from '../crawler/worker/world.ts';
import { createFakePool } from '../functions/fake-stack.ts';
import { QUICK_ON_STACK } from '../local-crawl/local-crawl.ts';
import { checkLog } from '../web/check.ts';
import { PLAIN } from '../web/features.ts';
import { generateWeb } from '../web/graph.ts';
import { type RunningWeb, startWeb } from '../web/server.ts';
import { closure } from '../web/truth.ts';
import { openAwsEngine, type Place } from './open-engine.ts';
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
      ...QUICK_ON_STACK,
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

const SECRET = 'a secret of the test';

/** A page that never changes and knows it, one that changes each time, and the receiver of the webhook. */
async function serveChanging(now: () => number) {
  const conditional: (string | undefined)[] = [];
  const events: { readonly type: string; readonly isGenuine: boolean; readonly data: object }[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      const body = await text(request);
      const header = request.headers['x-strand-signature'];
      const isGenuine = verifyWebhook(SECRET, `${header}`, body, { now: now() });
      events.push({ ...(JSON.parse(body) as { type: string; data: object }), isGenuine });
      return void response.end();
    }
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
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, conditional, events };
}

/** The function that EventBridge calls each minute, as it is deployed but for its starts of workers. */
function wakerOf(engine: AwsEngine, { s3, names }: Pick<Place, 's3' | 'names'>, url: string) {
  const { registry, clock } = engine;
  const log = () => {};
  const tempFolder = mkdtempSync(join(tmpdir(), 'strand-'));
  closing.push(() => rmSync(tempFolder, { recursive: true }));
  const sink = webhookSink({
    target: { url, secret: SECRET },
    clock,
    tempFolder,
    allowPrivateAddresses: ['127.0.0.0/8'],
  });
  const meter = createMeter({ clock, memoryMb: 1024 });
  const handle = createWakerHandler({
    clock,
    log,
    stack: { engine: { ...engine, workers: createFakePool() }, meter, flushMeter: async () => {} },
    announcer: new Announcer({
      registry,
      clock,
      log,
      sink,
      summarize: (crawl, record) => endedCrawl(engine, crawl, record),
    }),
    changeFeed: new ChangeFeed({ s3, bucket: names.bucket, sink, clock, log }),
  });
  return () => handle({}, { getRemainingTimeInMillis: () => 55_000 });
}

/** The types of the records in the crawl's archive; of revisits their profile. */
async function recordTypes({ s3, names }: Pick<Place, 's3' | 'names'>): Promise<string[]> {
  const found: string[] = [];
  const { Contents = [] } = await s3.send(
    new ListObjectsV2Command({ Bucket: names.bucket, Prefix: `${warcFolder(CRAWL)}/` }),
  );
  for (const { Key } of Contents) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: names.bucket, Key }));
    const bytes = await Body!.transformToByteArray();
    for await (const { record } of scanMembers(async (at, length) => bytes.subarray(at, at + length)))
      found.push(fieldOf(record, 'WARC-Profile')?.split('/').at(-1) ?? `${fieldOf(record, 'WARC-Type')}`);
  }
  return found;
}

const HOUR = 3_600_000;

test.runIf(hasEmulator())(
  'a scheduled crawl on the aws engine is woken by the waker, asks conditionally, writes revisits, and posts its webhook',
  async () => {
    // In the middle of an hour, as the schedule is of whole ones.
    let aheadMs = HOUR / 2 - (Date.now() % HOUR);
    const { origin, conditional, events } = await serveChanging(() => Date.now() + aheadMs);
    let place: Place | undefined;
    const opened = await openAwsEngine({
      leaseMs: 60_000,
      aheadMs: () => aheadMs,
      fill: async (filled) => {
        place = filled;
      },
    });
    const tempFolder = mkdtempSync(join(tmpdir(), 'strand-'));
    closing.push(opened.close, () => rmSync(tempFolder, { recursive: true }));
    const engine = opened.engine as AwsEngine;
    const options = {
      ...QUICK_ON_STACK,
      allowPrivateAddresses: ['127.0.0.0/8'],
      recrawlSchedule: '@hourly',
      changeFeed: true,
    };
    const fetcher = createFetcher({ ...parseConfig(options), tempFolder, clock: engine.clock });
    closing.push(() => fetcher.close());
    const wake = wakerOf(engine, place!, `${origin}/hook`);
    await begin({ engine } as unknown as Parameters<typeof begin>[0], [`${origin}/`], options);
    const recordsOf = async () =>
      [...(await ledgersOf(engine)).values()].flatMap(({ records }) => [...records.values()]);

    // Later rounds check the validator now and then.
    for (let round = 1; round <= 6; round++) {
      const process = startProcess(engine, fetcher);
      const isDone = async () => {
        await wake();
        const records = await recordsOf();
        return records.length === 2 && records.every(({ dueAt }) => dueAt > engine.clock.now());
      };
      while (!(await isDone())) await engine.clock.sleep(200);
      process.stop();
      await process.ended;
      expect(process.errors).toEqual([]);
      aheadMs += 2 * HOUR;
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
    const types = await recordTypes(place!);
    expect(types.filter((type) => type === 'server-not-modified')).toHaveLength(recrawl.notModified!);
    expect((await engine.registry.load(CRAWL))?.status).toBe('running');
    await wake();
    expect(events.map(({ isGenuine }) => isGenuine)).not.toContain(false);
    expect(events.filter(({ type }) => type === 'firstPassFinished')).toHaveLength(1);
    const changes = events.flatMap(({ data }) => (data as { changes?: { change: string }[] }).changes ?? []);
    expect(changes.map(({ change }) => change).toSorted()).toEqual([
      ...Array(5).fill('changed'),
      'new',
      'new',
    ]);
  },
  120_000,
);
