import { cdxjLine } from '../../../core/archive/cdxj.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Table } from '../table/table.ts';
import { ahead } from './compact-ahead.ts';
import { indexName, type JoinPlan, type Source } from './compact-layout.ts';
import { type CompactLease, LeaseLost } from './compact-lease.ts';
import { deleteFiles, type FolderContext, sizeOf } from './compact-objects.ts';
import { type ScanOptions, scanObject } from './compact-scan.ts';
import {
  deleteTables,
  type EncodedTables,
  encodeTables,
  putTables,
  type TabledCapture,
  type TabledLine,
} from './compact-tables.ts';
import { putIndex, type UploadSteps, uploadJoined } from './compact-upload.ts';
import { isMissing } from './is-missing.ts';
import { announceJoined, joinedSources } from './joined-warcs.ts';

export interface FinishContext extends UploadSteps, ScanOptions {
  readonly folder: FolderContext;
  readonly mapping: Table;
  readonly crawl: CrawlId;
  readonly lease: CompactLease;
  readonly warn: (message: string) => void;
  /** The captures of a source; undefined if it cannot be joined, which it reports. */
  readonly check: (source: Source) => Promise<readonly TabledCapture[] | undefined>;
}

/** Each holds up to 16 MiB. */
export const SCANS_AT_ONCE = 4;

/**
 * Carries out the rest of the lease's plan (steps 2 to 5 of `compactor.ts`). `given` are the sources'
 * captures by file, if they are known. False if it cannot be carried out, as sources are gone or damaged:
 * then it is given up.
 */
export async function finishPlan(
  context: FinishContext,
  plan: JoinPlan,
  isStored: boolean,
  given?: ReadonlyMap<string, readonly TabledCapture[]>,
): Promise<boolean> {
  const { folder, mapping, crawl, lease, warn } = context;
  if (!isStored) {
    if (!(await store(context, plan, given))) {
      warn(`${folder.folder}${plan.file} cannot be made: some of its objects are gone or damaged`);
      await lease.end(plan);
      return false;
    }
    if (!(await lease.markStored(plan))) await leaveToOthers(context, plan);
  }
  await announceJoined(mapping, crawl, plan);
  await deleteFiles(
    folder,
    plan.sources.map(({ file }) => file),
  );
  await lease.end(plan);
  return true;
}

/** Makes the joined object, its tables and its index, if they are not there. False if the sources do not allow it. */
async function store(
  context: FinishContext,
  plan: JoinPlan,
  given?: ReadonlyMap<string, readonly TabledCapture[]>,
): Promise<boolean> {
  const { folder } = context;
  const size = await sizeOf(folder, plan.file);
  if (size !== undefined && size !== plan.bytes)
    throw new Error(`Expected ${plan.bytes} bytes in ${folder.folder}${plan.file}, found ${size}`);
  const found = given ? linesOf(plan, given) : size === undefined && (await linesOfSources(context, plan));
  // Made before the joined object appears: the steps after that must be done within seconds.
  const index = found && (await encodeIndex(context, plan, found));
  if (size === undefined) {
    if (!index) return false;
    try {
      await uploadJoined(folder, plan, context);
    } catch (error) {
      if (!isMissing(error)) throw error;
      return false;
    }
  }
  if (index) await putBeside(context, plan, index);
  else if ((await sizeOf(folder, indexName(plan.file))) === undefined)
    await putBeside(context, plan, await encodeIndex(context, plan, await linesOfJoined(context, plan)));
  return true;
}

interface EncodedIndex {
  readonly lines: readonly string[];
  readonly tables: EncodedTables;
}

async function encodeIndex(
  { step, tables, warn }: FinishContext,
  { file }: JoinPlan,
  found: readonly TabledLine[],
): Promise<EncodedIndex> {
  return {
    lines: found.map(({ line }) => line),
    tables: tables ? await encodeTables(found, file, { step, warn }) : new Map(),
  };
}

/** The index last: where it is, the tables are. */
async function putBeside(
  { folder, crawl }: FinishContext,
  { file }: JoinPlan,
  { lines, tables }: EncodedIndex,
): Promise<void> {
  await putTables(folder, crawl, file, tables);
  await putIndex(folder, indexName(file), lines);
}

/** In the order of an index: by the bytes of the lines, which is the order of strings as they are ASCII. No two are equal. In place. */
const sorted = (lines: TabledLine[]): TabledLine[] => lines.sort((a, b) => (a.line < b.line ? -1 : 1));

function linesOf(plan: JoinPlan, captures: ReadonlyMap<string, readonly TabledCapture[]>): TabledLine[] {
  return sorted(
    plan.sources.flatMap(({ file, offset }) =>
      (captures.get(file) ?? []).map((capture) => ({
        line: cdxjLine(capture, plan.file, offset),
        heads: capture.heads,
      })),
    ),
  );
}

async function linesOfSources(context: FinishContext, plan: JoinPlan): Promise<TabledLine[] | undefined> {
  const found = new Map<string, readonly TabledCapture[]>();
  const scans = ahead(plan.sources, SCANS_AT_ONCE, async (source) => ({
    file: source.file,
    captures: await context.check(source),
  }));
  for await (const { file, captures } of scans) {
    if (!captures) return undefined;
    found.set(file, captures);
  }
  return linesOf(plan, found);
}

/**
 * For a process that ended between the joined object and its index: the sources need not be there any more.
 */
async function linesOfJoined(context: FinishContext, plan: JoinPlan): Promise<TabledLine[]> {
  const { folder } = context;
  const scan = await scanObject(folder, plan, context);
  if (scan.status !== 'whole')
    throw new Error(`${folder.folder}${plan.file}, joined from whole files, is ${JSON.stringify(scan)}`);
  return linesOf(
    { ...plan, sources: [{ file: plan.file, bytes: plan.bytes, offset: 0 }] },
    new Map([[plan.file, scan.captures]]),
  );
}

/**
 * Another process has ended the plan: it announced the joined file, or gave it up, and then this one is
 * nobody's.
 */
async function leaveToOthers(context: FinishContext, plan: JoinPlan): Promise<never> {
  const { folder, mapping, crawl } = context;
  const first = plan.sources[0]?.file ?? '';
  const announced = (await joinedSources(mapping, crawl, [first])).get(first);
  if (announced?.file !== plan.file) {
    await deleteFiles(folder, [plan.file, indexName(plan.file)]);
    if (context.tables) await deleteTables(folder, crawl, plan.file);
  }
  throw new LeaseLost(crawl);
}
