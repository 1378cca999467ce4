/**
 * Joins a crawl's WARC objects, of some MB each, into large ones with an index beside each, so that an
 * archive of years is a list that can be read.
 *
 * A joining goes through these steps, and each may be the last of a process:
 *
 * 1. The sources are read and checked from end to end; the plan is written, which fixes the joined file's
 *    name and bytes.
 * 2. The joined object is made by a multipart upload: it is there whole or not at all.
 * 3. Its tables and its index are written, then that all are there (`isStored`).
 * 4. Each source's place in it is announced (`joined-warcs.ts`).
 * 5. The sources are deleted, and the plan.
 *
 * The next compactor finishes the plan that it finds, from any step, with the same outcome. At every moment
 * each record can be read where its location resolves to. A lease keeps others away; one who works on after
 * his lease was lost does nothing that the plan's new holder would not do as well.
 *
 * Before it joins, a run makes tables of the crawl's items (`item-tables.ts`), which have plans of their own.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import { lazy } from '../../../core/base/lazy.ts';
import { type Sizes, sizesOf } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { StateNames } from '../state/tables.ts';
import { warcFolder } from './archives.ts';
import { ahead } from './compact-ahead.ts';
import { candidates, inFullBatches } from './compact-candidates.ts';
import { type FinishContext, finishPlan, SCANS_AT_ONCE } from './compact-finish.ts';
import { type JoinPlan, planJoin, type Source } from './compact-layout.ts';
import { type CompactLease, LeaseLost, takeLease } from './compact-lease.ts';
import type { ListedSource } from './compact-objects.ts';
import { scanObject } from './compact-scan.ts';
import type { TabledCapture } from './compact-tables.ts';
import { openItemTables } from './item-table-plan.ts';
import { writeItemTables } from './item-tables.ts';
import { type AsideFile, setAside } from './quarantined-files.ts';

export interface CompactOptions {
  readonly s3: S3Client;
  readonly dynamo: DynamoDBClient;
  readonly names: Pick<StateNames, 'crawlState' | 'bucket'>;
  readonly crawl: CrawlId;
  readonly clock: Clock;
  readonly sizes?: Sizes;
  /**
   * The size in bytes at which a joined file is complete, up to 20,000,000,000. Default: that of the sizes.
   */
  readonly targetBytes?: number;
  /** Younger objects are left alone. Default that of the sizes. */
  readonly minAgeMs?: number;
  /** Whether the crawl writes no more: then a small rest is joined, too. Default false. */
  readonly finished?: boolean;
  /**
   * Time by which to stop. What cannot be done by then leaves nothing that shows, and is begun again next
   * time.
   */
  readonly deadline?: number;
  /** Called before anything is read or written for joining: once, and not if there is nothing to join. */
  readonly onBegin?: () => Promise<void>;
  /** Whether the captures of a joined file become Parquet tables, too, and the items. Default true. */
  readonly tables?: boolean;
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
  /** Tables of items made by this run. */
  readonly itemTables: number;
  /** Time was up: there may be more to join. */
  readonly isCut: boolean;
  /** Nothing is left that a later run would join, unless more is written or the crawl ends. */
  readonly isDone: boolean;
}

const MAX_TARGET_BYTES = 20_000_000_000;
/** For the steps after the joined object has appeared: tables, index, announcement, deletes. */
const END_MS = 15_000;
/** The share of a run in which tables of items are begun. The rest is for joining. */
const ITEM_TABLES_SHARE = 0.25;

/** Thrown where time is up. */
class OutOfTime extends Error {
  override name = 'OutOfTime';
}

interface ScannedSource extends ListedSource {
  readonly captures: readonly TabledCapture[];
  readonly chars: number;
}

/** Safe to repeat, and to run twice at once: one of the two does nothing. */
export async function compactCrawl(options: CompactOptions): Promise<Compacted> {
  const { dynamo, names, crawl, clock, targetBytes = sizesOf(options).joinedBytes } = options;
  if (!(targetBytes >= 1 && targetBytes <= MAX_TARGET_BYTES))
    throw new Error(`Expected \`targetBytes\` of 1 to ${MAX_TARGET_BYTES}, got ${targetBytes}`);
  if (clock.now() >= (options.deadline ?? Infinity)) return NOTHING;
  const lease = await takeLease({ dynamo, clock, table: names.crawlState, crawl });
  if (!lease) return NOTHING;
  const compaction = new Compaction(options, lease);
  let left: LeftToJoin = { isCut: false, isDone: false };
  try {
    left = await compaction.run();
  } catch (error) {
    if (error instanceof OutOfTime) left = { isCut: true, isDone: false };
    else if (!(error instanceof LeaseLost)) throw error;
  } finally {
    await lease.release();
  }
  return { ...compaction.result(), ...left };
}

type LeftToJoin = Pick<Compacted, 'isCut' | 'isDone'>;

/** Runs the compactor once, while it holds the crawl's lease. */
class Compaction {
  readonly #options: CompactOptions;
  readonly #sizes: Sizes & { readonly targetBytes: number };
  readonly #lease: CompactLease;
  readonly #deadline: number;
  readonly #warn: (message: string) => void;
  readonly #state: Parameters<typeof takeLease>[0];
  readonly #context: FinishContext;
  readonly #aside = new Map<string, AsideFile>();
  readonly #begin: () => Promise<void>;
  /** Some objects are too young to be joined. */
  #hasYounger = false;
  #joined = 0;
  #objects = 0;
  #bytes = 0;
  #itemTables = 0;

  constructor(options: CompactOptions, lease: CompactLease) {
    const { s3, dynamo, names, crawl, clock } = options;
    const sizes = sizesOf(options);
    this.#options = options;
    this.#sizes = { ...sizes, targetBytes: options.targetBytes ?? sizes.joinedBytes };
    this.#lease = lease;
    this.#deadline = options.deadline ?? Infinity;
    this.#warn = options.warn ?? (() => {});
    this.#begin = lazy(options.onBegin ?? (async () => {}));
    this.#state = { dynamo, clock, table: names.crawlState, crawl };
    this.#context = {
      folder: { s3, bucket: names.bucket, clock, sizes, folder: `${warcFolder(crawl)}/` },
      mapping: { dynamo, clock, table: names.crawlState },
      crawl,
      lease,
      warn: this.#warn,
      tables: options.tables ?? true,
      check: (source) => this.#check(source),
      step: () => this.#stepUntil(this.#deadline),
      beforeComplete: () => this.#stepUntil(this.#deadline - END_MS),
    };
  }

  /** Finishes the plan of an earlier run, then joins what there is. */
  async run(): Promise<LeftToJoin> {
    const { plan, isStored } = this.#lease;
    if (plan) await this.#finish(plan, isStored);
    const items = this.#context.tables ? await this.#tableItems() : 'done';
    await this.#joinAll();
    return { isCut: items === 'cut', isDone: items === 'done' && !this.#hasYounger };
  }

  /** Throws {@link OutOfTime}. */
  async #tableItems(): ReturnType<typeof writeItemTables> {
    const { s3, names, crawl, clock, minAgeMs = this.#sizes.minJoinAgeMs, finished = false } = this.#options;
    const latest = clock.now() + ITEM_TABLES_SHARE * (this.#deadline - clock.now());
    return writeItemTables({
      ...{ s3, bucket: names.bucket, clock, crawl, sizes: this.#sizes, minAgeMs, finished },
      store: await openItemTables(this.#state),
      mayBegin: () => clock.now() < latest,
      // A joining that was begun may take longer: otherwise the next run would come no further.
      step: () => this.#stepUntil(this.#deadline),
      warn: this.#warn,
      onTable: () => void this.#itemTables++,
    });
  }

  result(): Omit<Compacted, keyof LeftToJoin> {
    const aside = [...this.#aside.values()];
    const itemTables = this.#itemTables;
    return { joined: this.#joined, objects: this.#objects, bytes: this.#bytes, aside, itemTables };
  }

  async #stepUntil(latest: number): Promise<void> {
    if (this.#options.clock.now() >= latest) throw new OutOfTime();
    await this.#begin();
    await this.#lease.keep();
  }

  async #joinAll(): Promise<void> {
    const { targetBytes } = this.#sizes;
    let group: ScannedSource[] = [];
    for await (const { captures, ...source } of this.#scans()) {
      if (!captures) continue;
      const scanned = { ...source, captures, chars: charsOf(captures) };
      if (source.bytes >= targetBytes) {
        await this.#join([scanned]);
        continue;
      }
      group.push(scanned);
      if (!isFull(group, this.#sizes)) continue;
      await this.#join(group);
      group = [];
    }
    if (this.#options.finished && group.length > 0) await this.#join(group);
  }

  /** The objects that may be joined, checked; without captures: not to be joined. */
  #scans() {
    const { crawl, clock, minAgeMs = this.#sizes.minJoinAgeMs, finished = false } = this.#options;
    const { folder, mapping } = this.#context;
    const found = candidates({
      ...{ folder, state: this.#state, mapping, crawl, warn: this.#warn },
      olderThan: clock.now() - minAgeMs,
      onAside: (file) => this.#aside.set(file.file, file),
      onYounger: () => {
        this.#hasYounger = true;
      },
    });
    return ahead(inFullBatches(found, this.#sizes, finished), SCANS_AT_ONCE, async (source) => ({
      ...source,
      captures: await this.#check(source),
    }));
  }

  async #check(source: Source & { readonly etag?: string }): Promise<readonly TabledCapture[] | undefined> {
    const { folder } = this.#context;
    const scan = await scanObject(folder, source, this.#context);
    if (scan.status === 'whole') return scan.captures;
    if (scan.status === 'missing') return undefined;
    const file = { file: source.file, problem: scan.problem };
    this.#aside.set(file.file, file);
    this.#warn(`${folder.folder}${file.file} is skipped: ${file.problem}`);
    await setAside(this.#state, file, source.etag ?? '');
    return undefined;
  }

  async #join(group: readonly ScannedSource[]): Promise<void> {
    await this.#context.step();
    const plan = planJoin(group, this.#sizes);
    await this.#lease.begin(plan);
    await this.#finish(plan, false, new Map(group.map(({ file, captures }) => [file, captures])));
  }

  async #finish(plan: JoinPlan, isStored: boolean, captures?: FinishPlanCaptures): Promise<void> {
    if (!(await finishPlan(this.#context, plan, isStored, captures))) return;
    this.#joined++;
    this.#objects += plan.sources.length;
    this.#bytes += plan.bytes;
  }
}

const NOTHING: Compacted = {
  ...{ joined: 0, objects: 0, bytes: 0, aside: [], itemTables: 0 },
  ...{ isCut: false, isDone: false },
};

type FinishPlanCaptures = ReadonlyMap<string, readonly TabledCapture[]>;

function isFull(
  group: readonly ScannedSource[],
  { targetBytes, maxCaptures, maxCaptureChars, maxSources }: Sizes & { readonly targetBytes: number },
): boolean {
  const sum = (of: (source: ScannedSource) => number) =>
    group.reduce((total, source) => total + of(source), 0);
  return (
    group.length >= maxSources ||
    sum(({ bytes }) => bytes) >= targetBytes ||
    sum(({ captures }) => captures.length) >= maxCaptures ||
    sum(({ chars }) => chars) >= maxCaptureChars
  );
}

/** The characters that are held of captures. */
const charsOf = (captures: readonly TabledCapture[]): number =>
  captures.reduce((sum, { lineStart, heads = '' }) => sum + lineStart.length + heads.length, 0);
