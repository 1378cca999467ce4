import { type Capture, cdxjLine, sortCdxj } from '../../../archive/cdxj.ts';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import { ahead } from './compact-ahead.ts';
import { indexName, type JoinPlan, type Source } from './compact-layout.ts';
import { type CompactLease, LeaseLost } from './compact-lease.ts';
import { deleteFiles, type FolderContext, sizeOf } from './compact-objects.ts';
import { scanObject } from './compact-scan.ts';
import { putIndex, type UploadSteps, uploadJoined } from './compact-upload.ts';
import { isMissing } from './is-missing.ts';
import { announceJoined, type JoinedOptions, joinedSources } from './joined-warcs.ts';

export interface FinishContext extends UploadSteps {
  readonly folder: FolderContext;
  readonly mapping: JoinedOptions;
  readonly crawl: CrawlId;
  readonly lease: CompactLease;
  readonly warn: (message: string) => void;
  /** The captures of a source; undefined if it cannot be joined, which it reports. */
  readonly check: (source: Source) => Promise<readonly Capture[] | undefined>;
}

/** Each holds up to 16 MiB. */
export const SCANS_AT_ONCE = 4;

/**
 * Carries out what is left of the lease's plan (steps 2 to 5 of `compactor.ts`). `given` are the sources'
 * captures by file, if they are known. False if it cannot be carried out, as sources are gone or damaged:
 * then it is given up.
 */
export async function finishPlan(
  context: FinishContext,
  plan: JoinPlan,
  isStored: boolean,
  given?: ReadonlyMap<string, readonly Capture[]>,
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

/** Makes the joined object and its index, if they are not there. False if the sources do not allow it. */
async function store(
  context: FinishContext,
  plan: JoinPlan,
  given?: ReadonlyMap<string, readonly Capture[]>,
): Promise<boolean> {
  const { folder } = context;
  const size = await sizeOf(folder, plan.file);
  if (size !== undefined && size !== plan.bytes)
    throw new Error(`Expected ${plan.bytes} bytes in ${folder.folder}${plan.file}, found ${size}`);
  const index = given ? indexOf(plan, given) : size === undefined && (await indexOfSources(context, plan));
  if (size === undefined) {
    if (!index) return false;
    try {
      await uploadJoined(folder, plan, context);
    } catch (error) {
      if (!isMissing(error)) throw error;
      return false;
    }
  }
  if (index) await putIndex(folder, indexName(plan.file), index);
  else if ((await sizeOf(folder, indexName(plan.file))) === undefined)
    await putIndex(folder, indexName(plan.file), await indexOfJoined(context, plan));
  return true;
}

function indexOf(plan: JoinPlan, captures: ReadonlyMap<string, readonly Capture[]>): string[] {
  const lines: string[] = [];
  for (const { file, offset } of plan.sources)
    for (const capture of captures.get(file) ?? []) lines.push(cdxjLine(capture, plan.file, offset));
  return sortCdxj(lines);
}

async function indexOfSources(context: FinishContext, plan: JoinPlan): Promise<string[] | undefined> {
  const found = new Map<string, readonly Capture[]>();
  const scans = ahead(plan.sources, SCANS_AT_ONCE, async (source) => ({
    file: source.file,
    captures: await context.check(source),
  }));
  for await (const { file, captures } of scans) {
    if (!captures) return undefined;
    found.set(file, captures);
  }
  return indexOf(plan, found);
}

/**
 * For a process that ended between the joined object and its index: the sources need not be there any more.
 */
async function indexOfJoined({ folder, step }: FinishContext, plan: JoinPlan): Promise<string[]> {
  const scan = await scanObject(folder, plan, step);
  if (scan.status !== 'whole')
    throw new Error(`${folder.folder}${plan.file}, joined from whole files, is ${JSON.stringify(scan)}`);
  return sortCdxj(scan.captures.map((capture) => cdxjLine(capture, plan.file)));
}

/**
 * Another process has ended the plan: it announced the joined file, or gave it up, and then this one is
 * nobody's.
 */
async function leaveToOthers({ folder, mapping, crawl }: FinishContext, plan: JoinPlan): Promise<never> {
  const first = plan.sources[0]?.file ?? '';
  const announced = (await joinedSources(mapping, crawl, [first])).get(first);
  if (announced?.file !== plan.file) await deleteFiles(folder, [plan.file, indexName(plan.file)]);
  throw new LeaseLost(crawl);
}
