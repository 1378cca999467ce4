/**
 * Stores the state of a crawl that this version has half done: items of both tables, objects and messages, as a process
 * that died at that moment leaves them. To be run in a checkout of the version that the next one upgrades from:
 * `node test/upgrade/store-state.ts`
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { SIZES } from '../../shared/core/base/sizes.ts';
import { createSimCloud } from '../../simulation/models/cloud.ts';
import { drive, T0 } from '../../simulation/models/virtual-time.ts';
import { createScriptedWeb } from '../../simulation/test/worlds/scripted-web.ts';
import { deploy } from '../../simulation/worlds/deployment.ts';
import { CRAWL, SEED, SITE } from './site.ts';

const MINUTE = 60_000;
/** Small, so that ledgers have segments, runs and parts in S3 after a few pages. */
const sizes = { ...SIZES, maxSegments: 2, maxSegmentRecords: 4, maxFreshRecords: 6, maxRowBytes: 100 };

const cloud = createSimCloud({ seed: 1, sizes });
const { time, settings, sqs } = cloud;
const web = createScriptedWeb(time, SITE);
const deployment = deploy(cloud, { fetcherOf: (process) => web.fetcherOf(process) });
const { control } = deployment.operator();
const config = { scope: 'any', delayMs: 1000, turnMaxMs: 3000, contact: 'https://sim.test/' } as const;
await drive(time, control.create({ crawl: CRAWL, seeds: [SEED], config }));
await time.run(T0 + 30 * MINUTE, () => web.requests.length >= Object.keys(SITE).length / 2);

/** Bytes as base64. */
const encoded = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
const plain = (items: Iterable<object>): object[] =>
  Array.from(items, (item) =>
    Object.fromEntries(
      Object.entries(item).map(([name, value]) => [name, value.B ? { B: new Uint8Array(value.B) } : value]),
    ),
  );
const state = {
  tables: {
    crawlState: plain(cloud.dynamo.items(settings.crawlState)),
    urlSeen: plain(cloud.dynamo.items(settings.urlSeen)),
  },
  objects: Array.from(cloud.s3.objects(settings.bucket), ([key, { bytes }]) => [key, new Uint8Array(bytes)]),
  turnQueues: settings.turnQueueUrls.map((url) =>
    Array.from(sqs.messages(url), ({ body, group }) => ({ body, group })),
  ),
  links: Array.from(sqs.messages(settings.linkQueueUrl), ({ body }) => body),
  requests: web.requests.map(({ url }) => url),
};
const file = fileURLToPath(new URL('previous-version.json.gz', import.meta.url));
writeFileSync(file, gzipSync(JSON.stringify(state, encoded), { level: 9 }));
const { crawlState, urlSeen } = state.tables;
process.stdout.write(
  `${crawlState.length} and ${urlSeen.length} items, ${state.objects.length} objects, ${state.turnQueues.flat().length} and ${state.links.length} messages\n`,
);
process.exit(0);
