/**
 * Writes the items that a crawl has published as Parquet tables, each item in one row of one table.
 *
 * The objects of items stay as they are. Their names begin with the time at which they were staged, so the tables take
 * them in the order of the names, those that are older than an hour. An object that was staged then and is published
 * later (its process died in between) is remembered as late, and comes with a later table.
 *
 * A plan says which objects a table is made of, before it is made. The next run makes the table of a plan that it finds,
 * with the same bytes at the same key: so a process may end at any step, or be followed while it goes on.
 *
 * It counts on clocks that are right within that hour: an object of a worker whose clock is later than that by more has
 * no row.
 */
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Sizes } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { withRetry } from '../retry.ts';
import { ahead } from './compact-ahead.ts';
import { type FolderContext, listFiles, sizeOf } from './compact-objects.ts';
import { encodeItems } from './encode-items.ts';
import { itemsPrefix, stagedItemsPrefix } from './item-folders.ts';
import { stampOf } from './item-objects.ts';
import type { ItemTablePlan, ItemTablesStore, TabledItems } from './item-table-plan.ts';
import { readRange } from './read-range.ts';
import { itemTableKey } from './table-folders.ts';

export interface ItemTablesContext {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly clock: Clock;
  readonly crawl: CrawlId;
  readonly sizes: Sizes;
  readonly store: ItemTablesStore;
  /** Younger objects are left alone. */
  readonly minAgeMs: number;
  /** Whether a small rest becomes a table, too. */
  readonly finished: boolean;
  /** Whether there is time for one more table. */
  readonly mayBegin: () => boolean;
  /** Comes before each reading. What it throws is thrown. */
  readonly step: () => Promise<void>;
  /** Called with what people should look at. */
  readonly warn: (message: string) => void;
  /** Called for each table that was made. */
  readonly onTable: () => void;
}

interface Source {
  readonly file: string;
  readonly bytes: number;
}

const READS_AT_ONCE = 16;
/** Turns that died, or were repeated, in a month. Their names are in one item of the table. */
const MAX_LATE = 5000;

/**
 * Finishes the plan of an earlier run, then makes tables of what there is, until it may begin no more. Resolves to `cut`
 * if there may be more to do, to `younger` if some objects are left alone for their age.
 */
export async function writeItemTables(context: ItemTablesContext): Promise<'done' | 'cut' | 'younger'> {
  const { store } = context;
  if (store.state.plan) await finish(context, store.state.plan);
  // Before published objects are listed: an object in neither list will never be published.
  const staged = await namesIn(context, stagedItemsPrefix(context.crawl));
  while (context.mayBegin()) {
    const plan = await nextPlan(context, staged);
    if (typeof plan === 'string') return plan;
    await context.step();
    await store.replace({ ...store.state, plan });
    await finish(context, plan);
  }
  return 'cut';
}

/** If there is not enough for a table: whether the rest is too young. */
async function nextPlan(
  context: ItemTablesContext,
  staged: ReadonlySet<string>,
): Promise<ItemTablePlan | 'done' | 'younger'> {
  const { clock, minAgeMs, sizes, finished, warn, crawl } = context;
  const { until: before, late: lateBefore } = context.store.state;
  const end = stampOf(clock.now() - minAgeMs);
  const found = await publishedOf(context, lateBefore);
  const published = new Set<string>();
  let bytes = found.reduce((sum, source) => sum + source.bytes, 0);
  const isFull = () => bytes >= sizes.itemTableBytes || found.length + published.size >= sizes.maxSources;
  let until = before;
  let hasYounger = false;
  for await (const source of sourcesAfter(context, before)) {
    hasYounger = source.file.slice(0, end.length) > end;
    if (isFull() || hasYounger) break;
    published.add(source.file);
    bytes += source.bytes;
    until = source.file;
  }
  if (found.length + published.size === 0 || !(finished || isFull())) return hasYounger ? 'younger' : 'done';
  const isFound = new Set(found.map(({ file }) => file));
  const late = [
    ...lateBefore.filter((name) => staged.has(name) && !isFound.has(name)),
    ...[...staged].filter((name) => name > before && name <= until && !published.has(name)),
  ];
  if (late.length > MAX_LATE) {
    warn(
      `${late.length} staged objects of items of ${crawl} were not published: no table is made of its items`,
    );
    return 'done';
  }
  return { until, late, found: [...isFound] };
}

/** Makes the table of the plan, and notes that it is there. */
async function finish(context: ItemTablesContext, plan: ItemTablePlan): Promise<void> {
  const { s3, bucket, clock, crawl, store, step, warn } = context;
  const { until: before, tables } = store.state;
  const isLate = new Set(plan.late);
  const sources = await publishedOf(context, plan.found);
  for await (const source of sourcesAfter(context, before)) {
    if (source.file > plan.until) break;
    if (!isLate.has(source.file)) sources.push(source);
  }
  const folder = folderOf(context, itemsPrefix(crawl));
  const objects: Uint8Array[] = [];
  for await (const bytes of ahead(sources, READS_AT_ONCE, async ({ file, bytes }) => {
    await step();
    return readRange(folder, file, 0, bytes);
  }))
    objects.push(bytes);
  const table = await encodeItems(objects, {
    step,
    skip: (i, reason) => warn(`${folder.folder}${sources[i]?.file} is not in the tables of items: ${reason}`),
  });
  if (table) {
    const key = itemTableKey(crawl, tables);
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: table,
      ContentType: 'application/vnd.apache.parquet',
    });
    await step();
    await withRetry(`storing ${key}`, () => s3.send(command), { clock });
  }
  const { until, late } = plan satisfies TabledItems;
  await store.replace({ until, late, tables: tables + (table ? 1 : 0) });
  if (table) context.onTable();
}

const folderOf = (context: ItemTablesContext, folder: string): FolderContext => ({
  ...context,
  folder,
});

/** Names as they are stored: other files in the folder are those of a person. */
const NAME = /^\d{14}-.{1,80}\.jsonl\.gz$/;

/** The published objects whose names come after that one, in order. */
async function* sourcesAfter(context: ItemTablesContext, after: string): AsyncGenerator<Source> {
  const folder = folderOf(context, itemsPrefix(context.crawl));
  for await (const page of listFiles(folder, after))
    for (const { file, bytes } of page) if (NAME.test(file)) yield { file, bytes };
}

/** The published ones among the objects. */
async function publishedOf(context: ItemTablesContext, names: readonly string[]): Promise<Source[]> {
  const folder = folderOf(context, itemsPrefix(context.crawl));
  const found: Source[] = [];
  for await (const { file, bytes } of ahead(names, READS_AT_ONCE, async (file) => ({
    file,
    bytes: await sizeOf(folder, file),
  })))
    if (bytes !== undefined) found.push({ file, bytes });
  return found;
}

async function namesIn(context: ItemTablesContext, folder: string): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const page of listFiles(folderOf(context, folder)))
    for (const { file } of page) if (NAME.test(file)) names.add(file);
  return names;
}
