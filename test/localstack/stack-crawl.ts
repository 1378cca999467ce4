/** A generated web crawled by a deployed stack, and what is to hold afterwards. */
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import { decodeMember, fieldOf } from '../../shared/core/archive/read-warc.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { warcKey } from '../../shared/engines/aws/archive/archive.ts';
import { warcFolder } from '../../shared/engines/aws/archive/archives.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { type KnownHost, ledgersOf } from '../crawler/worker/world.ts';
import { QUICK_ON_STACK } from '../local-crawl/local-crawl.ts';
import { checkLog } from '../web/check.ts';
import { generateWeb, type WebOptions } from '../web/graph.ts';
import { type LogEntry, type RunningWeb, startWeb } from '../web/server.ts';
import { closure, type Truth } from '../web/truth.ts';
import { type Deployed, until } from './deployed.ts';

const DELAY_MS = 20;
/** Each worker has its own clock's and scheduler's lateness, and so has the web's server. */
const TOLERANCE_MS = 4;

export const serve = (address: string, options: WebOptions): Promise<RunningWeb> =>
  startWeb(generateWeb(options), { address, latencyMs: 2 });

export const configFor = (web: { readonly address: string }): CrawlOptions => ({
  ...QUICK_ON_STACK,
  contact: 'tests@strand.test',
  delayMs: DELAY_MS,
  scope: 'host',
  resolve: [['*.test', web.address]],
});

/** Returns the summary of the crawl from the API. */
export const statusOf = async ({ call }: Deployed, crawl: string): Promise<CrawlSummary> =>
  (await call<CrawlSummary>('GET', `/crawls/${crawl}`)).body;

export async function untilFinished(deployed: Deployed, crawl: string): Promise<CrawlSummary> {
  const isFinished = async () => (await statusOf(deployed, crawl)).state === 'finished';
  await until(isFinished, `${crawl} to finish`, 900_000);
  return statusOf(deployed, crawl);
}

/**
 * Waits until no URL of these hosts waits. That the crawl is called finished takes two more minutes. By the heads: the crawl's
 * counters lose what a worker has not added to them when it dies. Each host that has something to do has a message.
 */
export async function untilSettled(deployed: Deployed, crawl: string, hosts: number): Promise<void> {
  const isSettled = async () => {
    const known = await ledgersOf(deployed.stack.engine, crawl);
    const heads = Array.from(known.values(), ({ head }) => head);
    const isDone = heads.every(({ ledger }) => ledger.counts.waiting === 0);
    return isDone && heads.length === hosts && (await isQueueEmpty(deployed));
  };
  await until(isSettled, 'every URL to be settled', 900_000);
}

/** Whether no host has a message, received or not. */
async function isQueueEmpty({ settings, stack }: Deployed): Promise<boolean> {
  const command = new GetQueueAttributesCommand({
    QueueUrl: settings.turnQueueUrls[0],
    AttributeNames: [
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesDelayed',
    ],
  });
  const { Attributes = {} } = await stack.clients.sqs.send(command);
  return Object.values(Attributes).every((count) => count === '0');
}

/** Checks that the web's own log has the requests of a correct crawl from the seeds. */
export function expectLog(
  { web, log, seeds }: RunningWeb,
  allowRepeats?: (entry: LogEntry) => boolean,
): Truth {
  const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
  const options = { truth, delayMs: DELAY_MS, toleranceMs: TOLERANCE_MS, allowRepeats };
  expect(checkLog(web, log, options)).toEqual([]);
  return truth;
}

/** Each URL of the truth in its state; each announced record where the ledger says. */
export async function expectLedgers(
  { stack, settings }: Deployed,
  crawl: string,
  truth: Truth,
): Promise<Map<string, KnownHost>> {
  const { engine, clients } = stack;
  const known = await ledgersOf(engine, crawl);
  const records = new Map([...known.values()].flatMap((host) => [...host.records]));
  for (const [url, { state, orState, minRequests }] of truth.urls) {
    const found = records.get(url);
    if (minRequests === 0 && state !== 'deniedByRobots') continue;
    if (state === 'deniedByRobots' && found?.state === 'waiting') continue;
    expect([url, found?.state]).toEqual([url, found?.state === orState ? orState : state]);
  }
  const announced = [...records.values()].flatMap(({ url, result }) =>
    result?.location ? [{ url, ...result.location }] : [],
  );
  const places = new Set(announced.map(({ file, offset }) => `${file} ${offset}`));
  expect(places.size).toBe(announced.length);
  const bodies = new Map<string, Promise<Uint8Array>>();
  for (const { url, file, offset, length } of announced) {
    const Key = warcKey(warcFolder(crawl), file);
    const object =
      bodies.get(file) ??
      clients.s3
        .send(new GetObjectCommand({ Bucket: settings.bucket, Key }))
        .then(({ Body }) => Body!.transformToByteArray());
    bodies.set(file, object);
    const record = decodeMember((await object).subarray(offset, offset + length));
    expect(fieldOf(record, 'WARC-Target-URI')).toBe(url);
  }
  return known;
}
