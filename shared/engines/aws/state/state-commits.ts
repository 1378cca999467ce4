/**
 * Commits changes of the state of hooks together with the heads of the visits that made them. A change is a function of the
 * value, so it can be made only by the process that has it, and only once if the head says so: by one transaction for the
 * head and the values. Visits that end while one is in progress share the next one, since workers that change the same
 * value hinder each other.
 */
import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { StateChange } from '../../../crawler/ports/shared-state.ts';
import { type Item, itemKey, S } from '../table/item.ts';
import {
  type Condition,
  deleteOf,
  isOwnWrite,
  putItem,
  putOf,
  type Write,
  type Written,
} from '../table/table.ts';
import { CONDITION_FAILED, tryTransact } from '../table/transact.ts';
import { type StateValues, type StoredValue, storedValueIn, valueAttributes } from './state-values.ts';
import { type StateTable, statePartition } from './tables.ts';

/** A write of a head. */
export interface HeadPut {
  readonly item: Item;
  readonly when: Condition;
}

export interface StateCommitsOptions extends StateTable {
  readonly crawl: CrawlId;
  /** Kept up to date. */
  readonly values: StateValues;
}

interface Commit {
  readonly head: HeadPut | undefined;
  readonly changes: readonly StateChange[];
}

interface Waiting extends Commit {
  readonly done: PromiseWithResolvers<Written>;
}

interface Batch {
  /** Transactions that are not settled. */
  left: readonly Waiting[];
}

/** A value that is to be written. */
interface ValueWrite {
  readonly key: string;
  readonly before: StoredValue | undefined;
  readonly after: StoredValue | undefined;
}

/** A transaction has 100 items at most, and 4 MB (DynamoDB developer guide). A visit may change 60 values. */
const MAX_VISITS = 10;
const MAX_CHANGED = 80;
/** How long a commit is tried while other workers change the same values. The visit's lease has about as long. */
const MAX_TRIES_MS = 20_000;
const FIRST_WAIT_MS = 20;
const MAX_WAIT_MS = 2000;

export class StateCommits {
  readonly #options: StateCommitsOptions;
  #waiting: Waiting[] = [];
  #isWorking = false;

  constructor(options: StateCommitsOptions) {
    this.#options = options;
  }

  /** Resolves when the changes and the head are stored, or if the head's condition does not hold. */
  async add(commit: Commit): Promise<Written> {
    const waiting = { ...commit, done: Promise.withResolvers<Written>() };
    this.#waiting.push(waiting);
    if (!this.#isWorking) void this.#work();
    return waiting.done.promise;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      while (this.#waiting.length > 0) await this.#commitAll(this.#takeBatch());
    } finally {
      this.#isWorking = false;
    }
  }

  #takeBatch(): Waiting[] {
    const keys = new Set<string>();
    let count = 0;
    for (const { changes } of this.#waiting) {
      for (const { key } of changes) keys.add(key);
      if (count > 0 && (count >= MAX_VISITS || keys.size > MAX_CHANGED)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Never rejects. If several fail together, each is tried by itself: the transaction may be too large. */
  async #commitAll(all: readonly Waiting[]): Promise<void> {
    const batch = { left: all };
    try {
      await this.#commit(batch);
    } catch (error) {
      if (all.length === 1) return all[0]?.done.reject(error);
      await this.#commitEach(batch.left);
    }
  }

  async #commitEach(batch: readonly Waiting[]): Promise<void> {
    for (const one of batch) await this.#commitAll([one]);
  }

  /** Settles all of the batch. If it throws, those that are left are not settled. */
  async #commit(batch: Batch): Promise<void> {
    const { clock, crawl } = this.#options;
    const endsAt = clock.now() + MAX_TRIES_MS;
    const sent = new Set<string>();
    for (let tries = 0; ; tries++) {
      const { left } = batch;
      const writes = this.#writesOf(left);
      // A transaction costs twice as much.
      if (writes.length === 0 && left.length > 1) return this.#commitEach(left);
      const reasons = writes.length > 0 ? await this.#transact(left, writes) : await this.#putHead(left[0]);
      if (reasons === undefined) {
        for (const { key, after } of writes) this.#options.values.set(key, after);
        for (const { done } of left) done.resolve({ isWritten: true });
        return;
      }
      batch.left = settleHeads(left, reasons);
      for (const { after } of writes) if (after) sent.add(after.version);
      // Carried out before, and the response was lost. Commits with a head know it by their head.
      if (this.#learn(writes, reasons.slice(reasons.length - writes.length), sent))
        batch.left = batch.left.filter(
          ({ head, done }) => head !== undefined || done.resolve({ isWritten: true }),
        );
      if (batch.left.length === 0) return;
      if (clock.now() >= endsAt) {
        const error = new Error(`The state of ${crawl} was changed by others for ${MAX_TRIES_MS} ms`);
        for (const { done } of batch.left) done.reject(error);
        return;
      }
      const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
      await clock.sleep(clock.random() * waitMs);
    }
  }

  /** All changes applied to the values as they are known. Changes that change nothing are left out. */
  #writesOf(commits: readonly Commit[]): ValueWrite[] {
    const { values, clock } = this.#options;
    const after = new Map<string, string | undefined>();
    for (const { changes } of commits)
      for (const { key, apply } of changes)
        after.set(key, apply(after.has(key) ? after.get(key) : values.get(key)));
    return [...after].flatMap(([key, json]) => {
      const before = values.stored(key);
      if (before?.json === json) return [];
      return { key, before, after: json === undefined ? undefined : { json, version: clock.uuid() } };
    });
  }

  /** Returns why nothing was written, for each head and then for each value; undefined: all was written. */
  #transact(commits: readonly Commit[], writes: readonly ValueWrite[]): Promise<Reasons | undefined> {
    const heads = commits.flatMap(({ head }) => head ?? []);
    return tryTransact(this.#options, [
      ...heads.map(({ item, when }) => putOf(this.#options, item, when)),
      ...writes.map((write) => this.#writeOf(write)),
    ]);
  }

  #writeOf({ key, before, after }: ValueWrite): Write {
    const when =
      before === undefined
        ? { condition: 'attribute_not_exists(pk)' }
        : { condition: '#version = :version', values: { version: S(before.version) } };
    const itsKey = itemKey(statePartition(this.#options.crawl), key);
    return after === undefined
      ? deleteOf(this.#options, itsKey, when)
      : putOf(this.#options, { ...itsKey, ...valueAttributes(after) }, when);
  }

  /** For changes that leave all values as they are. Returns the reason if the head was not written. */
  async #putHead({ head }: Partial<Commit> = {}): Promise<Reasons | undefined> {
    if (head === undefined) return undefined;
    const { isWritten, found } = await putItem(this.#options, head.item, head.when);
    return isWritten && !found ? undefined : [{ Code: CONDITION_FAILED, Item: found }];
  }

  /** Takes the values as they stand there. Returns whether one is of those versions. */
  #learn(writes: readonly ValueWrite[], reasons: Reasons, sent: ReadonlySet<string>): boolean {
    let isOwn = false;
    for (const [i, { key }] of writes.entries()) {
      const { Code, Item } = reasons[i] ?? {};
      if (Code !== CONDITION_FAILED) continue;
      const stored = storedValueIn(Item);
      isOwn ||= stored !== undefined && sent.has(stored.version);
      this.#options.values.set(key, stored);
    }
    return isOwn;
  }
}

type Reasons = readonly CancellationReason[];

/**
 * Settles the visits whose head's condition has failed, and returns the others. If one of them finds its own head stored,
 * the transaction was carried out and its answer lost: then all others of its heads were stored too, or replaced since.
 */
function settleHeads(commits: readonly Waiting[], reasons: Reasons): readonly Waiting[] {
  let next = 0;
  return commits.filter(({ head, done }) => {
    if (head === undefined) return true;
    const { Code, Item } = reasons[next++] ?? {};
    if (Code !== CONDITION_FAILED) return true;
    done.resolve({ isWritten: isOwnWrite(head.when, Item), found: Item });
    return false;
  });
}
