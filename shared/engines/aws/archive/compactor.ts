/**
 * Joins a crawl's WARC objects, of some MB each, into large ones with an index beside each, so that an
 * archive of years is a list that can be read.
 *
 * A joining goes through these steps, and each may be the last of a process:
 *
 * 1. The sources are read and checked from end to end; the plan is written, which fixes the joined file's
 *    name and bytes.
 * 2. The joined object is made by a multipart upload: it is there whole or not at all.
 * 3. Its index is written, then that both are there (`isStored`).
 * 4. Each source's place in it is announced (`joined-warcs.ts`).
 * 5. The sources are deleted, and the plan.
 *
 * The next compactor finishes the plan that it finds, from whichever step: the outcome is the same. At every
 * moment each record can be read where its location resolves to. A lease keeps others away; one who works on
 * after his lease was lost does nothing that the plan's new holder would not do as well.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { Capture } from '../../../archive/cdxj.ts';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type Sizes, sizesOf } from '../../../sizes.ts';
import type { StateNames } from '../state/tables.ts';
import { warcFolder } from './archives.ts';
import { ahead } from './compact-ahead.ts';
import { type AsideFile, setAside } from './compact-aside.ts';
import { candidates, inFullBatches } from './compact-candidates.ts';
import { type FinishContext, finishPlan, SCANS_AT_ONCE } from './compact-finish.ts';
import { type JoinPlan, planJoin, type Source } from './compact-layout.ts';
import { LeaseLost, takeLease } from './compact-lease.ts';
import type { ListedSource } from './compact-objects.ts';
import { scanObject } from './compact-scan.ts';

export interface CompactOptions {
  readonly s3: S3Client;
  readonly dynamo: DynamoDBClient;
  readonly names: Pick<StateNames, 'crawlState' | 'bucket'>;
  readonly crawl: CrawlId;
  readonly clock: Clock;
  readonly sizes?: Sizes;
  /** A joined file is done when it has so many bytes. Default that of the sizes; up to 20,000,000,000. */
  readonly targetBytes?: number;
  /** Younger objects are left alone. Default that of the sizes. */
  readonly minAgeMs?: number;
  /** Whether the crawl writes no more: what is left over is joined too, however little. Default false. */
  readonly finished?: boolean;
  /**
   * Time by which to stop. What cannot be done by then leaves nothing that shows, and is begun again next
   * time.
   */
  readonly deadline?: number;
  /** Called with what people should look at. */
  readonly warn?: (message: string) => void;
}

export interface Compacted {
  /** Joined files made or finished by this run. */
  readonly joined: number;
  /** The objects that they were joined from, and their bytes. */
  readonly objects: number;
  readonly bytes: number;
  /** Objects named like WARC files that are none, or are damaged. They stay as they are. */
  readonly aside: readonly AsideFile[];
}

const MAX_TARGET_BYTES = 20_000_000_000;
/** For what follows when the joined object has appeared: index, announcement, deletes. */
const END_MS = 15_000;

/** Thrown where time is up. */
class OutOfTime extends Error {
  override name = 'OutOfTime';
}

interface ScannedSource extends ListedSource {
  readonly captures: readonly Capture[];
}

/** Safe to repeat, and to run twice at once: one of the two does nothing. */
export async function compactCrawl(options: CompactOptions): Promise<Compacted> {
  const { s3, dynamo, names, crawl, clock, warn = () => {} } = options;
  const sizes = sizesOf(options);
  const { targetBytes = sizes.joinedBytes, minAgeMs = sizes.minJoinAgeMs, finished = false } = options;
  const { deadline = Number.POSITIVE_INFINITY } = options;
  if (!(targetBytes >= 1 && targetBytes <= MAX_TARGET_BYTES))
    throw new Error(`Expected \`targetBytes\` of 1 to ${MAX_TARGET_BYTES}, got ${targetBytes}`);

  const folder = { s3, bucket: names.bucket, clock, sizes, folder: `${warcFolder(crawl)}/` };
  const state = { dynamo, clock, table: names.crawlState, crawl };
  const mapping = { dynamo, clock, names };
  const aside = new Map<string, AsideFile>();
  let done = { joined: 0, objects: 0, bytes: 0 };

  if (clock.now() >= deadline) return { ...done, aside: [] };
  const lease = await takeLease(state);
  if (!lease) return { ...done, aside: [] };

  async function stepUntil(latest: number): Promise<void> {
    if (clock.now() >= latest) throw new OutOfTime();
    await lease?.keep();
  }

  async function check(source: Source & { readonly etag?: string }): Promise<readonly Capture[] | undefined> {
    const scan = await scanObject(folder, source, context.step);
    if (scan.status === 'whole') return scan.captures;
    if (scan.status === 'missing') return undefined;
    const file = { file: source.file, problem: scan.problem };
    aside.set(file.file, file);
    warn(`${folder.folder}${file.file} is left aside: ${file.problem}`);
    await setAside(state, file, source.etag ?? '');
    return undefined;
  }

  const context: FinishContext = {
    folder,
    mapping,
    crawl,
    lease,
    warn,
    check,
    step: () => stepUntil(deadline),
    beforeComplete: () => stepUntil(deadline - END_MS),
  };

  async function finish(plan: JoinPlan, isStored: boolean, captures?: FinishPlanCaptures): Promise<void> {
    if (!(await finishPlan(context, plan, isStored, captures))) return;
    const { joined, objects, bytes } = done;
    done = { joined: joined + 1, objects: objects + plan.sources.length, bytes: bytes + plan.bytes };
  }

  async function join(group: readonly ScannedSource[]): Promise<void> {
    await context.step();
    const plan = planJoin(group, sizes);
    await context.lease.begin(plan);
    await finish(plan, false, new Map(group.map(({ file, captures }) => [file, captures])));
  }

  async function joinAll(): Promise<void> {
    const full = { ...sizes, targetBytes };
    const found = candidates({
      ...{ folder, state, mapping, crawl, warn },
      olderThan: clock.now() - minAgeMs,
      onAside: (file) => aside.set(file.file, file),
    });
    const scans = ahead(inFullBatches(found, full, finished), SCANS_AT_ONCE, async (source) => ({
      ...source,
      captures: await check(source),
    }));
    let group: ScannedSource[] = [];
    for await (const { captures, ...source } of scans) {
      if (!captures) continue;
      const scanned = { ...source, captures };
      if (source.bytes >= targetBytes) {
        await join([scanned]);
        continue;
      }
      group.push(scanned);
      if (!isFull(group, full)) continue;
      await join(group);
      group = [];
    }
    if (finished && group.length > 0) await join(group);
  }

  try {
    if (lease.plan) await finish(lease.plan, lease.isStored);
    await joinAll();
  } catch (error) {
    if (!(error instanceof OutOfTime || error instanceof LeaseLost)) throw error;
  } finally {
    await lease.release();
  }
  return { ...done, aside: [...aside.values()] };
}

type FinishPlanCaptures = ReadonlyMap<string, readonly Capture[]>;

function isFull(
  group: readonly ScannedSource[],
  { targetBytes, maxCaptures, maxSources }: Sizes & { readonly targetBytes: number },
): boolean {
  const bytes = group.reduce((sum, source) => sum + source.bytes, 0);
  const captures = group.reduce((sum, source) => sum + source.captures.length, 0);
  return bytes >= targetBytes || captures >= maxCaptures || group.length >= maxSources;
}
