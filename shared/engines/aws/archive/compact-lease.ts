/** Who compacts a crawl, and what he is about to do: one item of CrawlState. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { COMPACTION, type StateTable } from '../state/tables.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { type Change, deleteItem, updateItem } from '../table/table.ts';
import { type JoinPlan, layOut, type Source } from './compact-layout.ts';

export interface CompactStateContext extends StateTable {
  readonly crawl: CrawlId;
}

/** Thrown where another process has the crawl's compaction now. Nothing needs to be undone: stop. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';

  constructor(crawl: CrawlId) {
    super(`another process compacts the crawl ${crawl}`);
  }
}

/**
 * The right to compact a crawl, which one process has at a time, and the one plan of the crawl. A process
 * that held on beyond its time can make no plan any more; what it does for the old one does no harm, as that
 * has one outcome.
 */
export interface CompactLease {
  /** The plan that was begun and not ended, if there is one. */
  readonly plan: JoinPlan | undefined;
  /** Whether the plan's joined file and index are there: then it cannot be dropped any more. */
  readonly isStored: boolean;
  /** Holds the lease for another while, if it ends soon. Throws {@link LeaseLost}. */
  keep(): Promise<void>;
  /** Throws {@link LeaseLost}. */
  begin(plan: JoinPlan): Promise<void>;
  /** Says that joined file and index are there. False if the plan is not, any more. */
  markStored(plan: JoinPlan): Promise<boolean>;
  /** Ends a plan, done or given up. Throws {@link LeaseLost}. */
  end(plan: JoinPlan): Promise<void>;
  /** Lets others in, who will find a plan that was not ended. Never rejects. */
  release(): Promise<void>;
}

/** Longer than any step between two calls of `keep`: a copy of 256 MiB, with retries. */
const LEASE_MS = 5 * 60_000;

/** Undefined while another process has it. */
export async function takeLease(context: CompactStateContext): Promise<CompactLease | undefined> {
  const item = new LeaseItem(context);
  const found = await item.hold('attribute_not_exists(holder) OR leaseUntil < :now OR holder = :me', {
    now: N(context.clock.now()),
  });
  return found && new HeldLease(context, item, found);
}

/** The lease's item, as this process may write it. */
class LeaseItem {
  readonly holder: string;
  readonly #context: CompactStateContext;
  #leaseUntil = 0;

  constructor(context: CompactStateContext) {
    this.#context = context;
    this.holder = context.clock.uuid();
  }

  get me(): Item {
    return { me: S(this.holder) };
  }

  /** Undefined if the condition does not hold. */
  async hold(condition: string, values: Item): Promise<Item | undefined> {
    const until = this.#context.clock.now() + LEASE_MS;
    const item = await this.update({
      update: 'SET holder = :me, leaseUntil = :until',
      condition,
      values: { ...this.me, until: N(until), ...values },
    });
    if (item) this.#leaseUntil = until;
    return item;
  }

  endsSoon(): boolean {
    return this.#leaseUntil - this.#context.clock.now() <= LEASE_MS / 2;
  }

  /** The item after the change; undefined if the condition does not hold. */
  async update(change: Change): Promise<Item | undefined> {
    const { isWritten, returned, found } = await updateItem(this.#context, this.#key, change, 'ALL_NEW');
    return isWritten ? (returned ?? found) : undefined;
  }

  /** As above, as the process that holds the lease. */
  async updateHeld(change: Change): Promise<void> {
    if (await this.update(change)) return;
    throw new LeaseLost(this.#context.crawl);
  }

  /** Lets others in. */
  async release(hasPlan: boolean): Promise<void> {
    const held = { condition: 'holder = :me', values: this.me };
    await (hasPlan
      ? updateItem(this.#context, this.#key, { ...held, update: 'REMOVE holder, leaseUntil' })
      : deleteItem(this.#context, this.#key, held));
  }

  get #key(): Item {
    return itemKey(this.#context.crawl, COMPACTION);
  }
}

class HeldLease implements CompactLease {
  readonly plan: JoinPlan | undefined;
  readonly isStored: boolean;
  readonly #context: CompactStateContext;
  readonly #item: LeaseItem;
  #hasPlan: boolean;

  constructor(context: CompactStateContext, item: LeaseItem, found: Item) {
    this.#context = context;
    this.#item = item;
    this.plan = found.planFile && decodePlan(found);
    this.isStored = found.isStored?.BOOL === true;
    this.#hasPlan = this.plan !== undefined;
  }

  async keep(): Promise<void> {
    if (!this.#item.endsSoon()) return;
    if (!(await this.#item.hold('holder = :me', {}))) throw new LeaseLost(this.#context.crawl);
  }

  async begin(next: JoinPlan): Promise<void> {
    this.#hasPlan = true;
    await this.#item.updateHeld({
      update: 'SET planFile = :file, planSources = :sources',
      condition: 'holder = :me',
      values: { ...this.#item.me, file: S(next.file), sources: { B: encodePlan(next) } },
    });
  }

  async markStored({ file }: JoinPlan): Promise<boolean> {
    const marked = await this.#item.update({
      update: 'SET isStored = :yes',
      condition: 'planFile = :file',
      values: { file: S(file), yes: { BOOL: true } },
    });
    return marked !== undefined;
  }

  async end({ file }: JoinPlan): Promise<void> {
    await this.#item.updateHeld({
      update: 'REMOVE planFile, planSources, isStored',
      condition: 'holder = :me AND planFile = :file',
      values: { ...this.#item.me, file: S(file) },
      isOurs: (found) => found.holder?.S === this.#item.holder && found.planFile === undefined,
    });
    this.#hasPlan = false;
  }

  async release(): Promise<void> {
    // The lease ends by itself.
    await this.#item.release(this.#hasPlan).catch(() => {});
  }
}

/** The order is the plan's: another version of the layout could make another one. */
const encodePlan = ({ sources }: JoinPlan): Uint8Array =>
  gzipSync(JSON.stringify(sources.map(({ file, bytes }) => [file, bytes])));

function decodePlan({ planFile, planSources }: Item): JoinPlan {
  const json = gunzipSync(planSources?.B as Uint8Array).toString('utf8');
  const sources = (JSON.parse(json) as [string, number][]).map(([file, bytes]): Source => ({ file, bytes }));
  return layOut(planFile?.S as string, sources);
}
