/**
 * Upgrades and rollbacks of a running crawl, on the emulator. `test/upgrade/` has the state of a crawl that the previous
 * version has half done (`store-state.ts` there makes it), and that version's program (`store-program.ts`).
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, expect, test } from 'vitest';
import { decodeMember, fieldOf } from '../../shared/core/archive/read-warc.ts';
import { SIZES } from '../../shared/core/base/sizes.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import type { SimProcess } from '../../simulation/models/process.ts';
import type { VirtualTime } from '../../simulation/models/virtual-time.ts';
import { createScriptedWeb } from '../../simulation/test/worlds/scripted-web.ts';
import { ledgersOf, startProcess } from '../crawler/worker/world.ts';
import { crawlSite } from '../upgrade/rollback.ts';
import { inSimulation } from '../upgrade/simulated-place.ts';
import { CRAWL, SITE } from '../upgrade/site.ts';
import { openAwsEngine, type Place } from './open-engine.ts';
import { hasEmulator } from './resources.ts';

interface Stored {
  readonly tables: Record<'crawlState' | 'urlSeen', readonly Record<string, AttributeValue>[]>;
  readonly objects: readonly [key: string, bytes: Uint8Array][];
  readonly turnQueues: readonly { readonly body: string; readonly group: string }[][];
  readonly links: readonly string[];
  /** The URLs that the previous version requested. */
  readonly requests: readonly string[];
}

function readStored(): Stored {
  const file = new URL('../upgrade/previous-version.json.gz', import.meta.url);
  return JSON.parse(gunzipSync(readFileSync(file)).toString(), (_, value) =>
    typeof value?.base64 === 'string' ? new Uint8Array(Buffer.from(value.base64, 'base64')) : value,
  );
}

const fill =
  ({ tables, objects, turnQueues, links }: Stored) =>
  async ({ dynamo, s3, sqs, names, turnQueueUrls, linkQueueUrl }: Place): Promise<void> => {
    for (const table of ['crawlState', 'urlSeen'] as const)
      for (const Item of tables[table])
        await dynamo.send(new PutItemCommand({ TableName: names[table], Item }));
    for (const [Key, Body] of objects)
      await s3.send(new PutObjectCommand({ Bucket: names.bucket, Key, Body }));
    for (const [queue, messages] of turnQueues.entries())
      for (const [n, { body, group }] of messages.entries())
        await sqs.send(
          new SendMessageCommand({
            QueueUrl: turnQueueUrls[queue],
            MessageBody: body,
            MessageGroupId: group,
            MessageDeduplicationId: String(n),
          }),
        );
    for (const MessageBody of links)
      await sqs.send(new SendMessageCommand({ QueueUrl: linkQueueUrl, MessageBody }));
  };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

test.runIf(hasEmulator())(
  'a crawl of the previous version is continued to its end: nothing is lost, and what was committed is not fetched again',
  async () => {
    const stored = readStored();
    const opened = await openAwsEngine({ leaseMs: 60_000, isGathering: true, fill: fill(stored) });
    closing.push(opened.close);
    const { engine } = opened;
    const { registry, clock } = engine;
    const done = new Set<string>();
    for (const { records } of (await ledgersOf(engine, CRAWL)).values())
      for (const { url, state } of records.values()) if (state === 'fetched') done.add(url);
    expect(done.size).toBeGreaterThan(10);
    expect(await registry.load(CRAWL)).toMatchObject({ status: 'running', config: { delayMs: 1000 } });

    const time = { now: clock.now, sleep: (ms: number) => clock.sleep(ms) } as VirtualTime;
    const web = createScriptedWeb(time, SITE);
    const process = { name: 'worker', clock: systemClock, io: (call: () => unknown) => call() };
    const running = startProcess(engine, web.fetcherOf(process as unknown as SimProcess), {
      crawls: [CRAWL],
    });
    while (!(await registry.isQuiet(CRAWL))) await clock.sleep(500);
    running.stop();
    await running.ended;
    expect(running.errors).toEqual([]);

    const urls: Record<string, string> = {};
    let archived = 0;
    for (const { records } of (await ledgersOf(engine, CRAWL)).values())
      for (const { url, state, result } of records.values()) {
        urls[url] = state;
        if (!result?.location) continue;
        archived++;
        const record = decodeMember((await opened.readRecord?.(CRAWL, result.location)) as Uint8Array);
        expect(fieldOf(record, 'WARC-Target-URI')).toBe(url);
      }
    expect(urls).toEqual(Object.fromEntries(Object.keys(SITE).map((url) => [url, 'fetched'])));
    expect(archived).toBe(Object.keys(SITE).length);
    const again = web.requests.filter(({ url }) => done.has(url));
    expect(again).toEqual([]);
    const totals = await registry.totals(CRAWL);
    expect(totals).toMatchObject({ hosts: 8, pages: archived, urls: { waiting: 0, fetched: archived } });
  },
  180_000,
);

test.runIf(hasEmulator())(
  'a running crawl is upgraded, rolled back and upgraded again: it ends like one that was not disturbed',
  async () => {
    let filled: Place | undefined;
    const opened = await openAwsEngine({
      leaseMs: 30_000,
      async fill(place) {
        filled = place;
      },
    });
    closing.push(opened.close);
    const { dynamo, s3, sqs, names, turnQueueUrls, linkQueueUrl } = filled as Place;
    const { clock } = opened.engine;
    const web = createScriptedWeb({ now: clock.now, sleep: clock.sleep } as VirtualTime, SITE);
    const readRecord = opened.readRecord as NonNullable<typeof opened.readRecord>;
    const rows = await crawlSite(
      {
        engine: opened.engine,
        requested: () => web.requests.map(({ url }) => url),
        optionsOf(version) {
          const process = { name: version, clock: systemClock, io: (call: () => unknown) => call() };
          return {
            clients: { dynamo, s3, sqs },
            names: {
              ...names,
              turnQueueUrls,
              linkQueueUrl,
              backlogQueueUrls: [],
              startQueueUrl: 'none',
              workersPerQueue: 1,
            },
            clock: systemClock,
            fetcher: web.fetcherOf(process as unknown as SimProcess),
            visibilityMs: 30_000,
            sizes: { ...SIZES, maxSegments: 2, maxSegmentRecords: 4, maxFreshRecords: 6, maxRowBytes: 100 },
          };
        },
        async until(isSo) {
          while (!isSo()) await clock.sleep(100);
        },
        readRecord,
      },
      { crawl: 'rolled', delayMs: 200, versions: ['previous', 'present', 'previous', 'present'] },
    );
    const undisturbed = await inSimulation((place) =>
      crawlSite(place, { crawl: 'rolled', delayMs: 1000, versions: ['present'] }),
    );
    expect(rows).toEqual(undisturbed);
  },
  180_000,
);
