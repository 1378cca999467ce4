import type { HostKey } from '../shared/core/url/host-key.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { TurnQueue } from '../shared/crawler/ports/turn-queue.ts';
import type { WorkerStats } from '../shared/crawler/turn/worker-stats.ts';
import {
  activeMembers,
  grownTo,
  isSurplus,
  mayGrow,
  needsSuccessor,
  type PoolMember,
  readPauseMs,
  startTimes,
} from '../shared/crawler/worker/pool-plan.ts';
import {
  fittingHosts,
  type Load,
  RecentLoad,
  type SmallWorker,
} from '../shared/crawler/worker/small-worker.ts';
import { turnShardOf } from '../shared/engines/aws/queues/turn-shards.ts';
import type { WorkerPool } from '../shared/engines/aws/workers/worker-pool.ts';
import { errorFields, type Log } from './log.ts';

export interface PoolWorkerOptions {
  readonly pool: WorkerPool;
  /** The turn queue that the worker receives from. */
  readonly queue: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Hosts that the worker may serve now, if it serves this number. */
  readonly placesFor: (hosts: number) => number;
  /** The small worker of the stack; absent: the stack has none, or it must not replace this worker. */
  readonly small?: SmallWorker | undefined;
  /** Whether this is a small worker itself. */
  readonly isSmall: boolean;
  /** CPU time of the process since it began, in milliseconds of one whole CPU. */
  readonly cpuMs: () => number;
  /** Called with the worker's load each time it shows itself. */
  readonly onLoad?: ((load: Load) => void) | undefined;
  /** The worker takes on no hosts after that. */
  readonly receiveUntil: number;
  /** No call is begun after that: a slow one would cost the invocation its answer. */
  readonly lastCallAt: number;
}

/** The figures of a worker that the others of its pool see. */
type PoolStats = Pick<WorkerStats, 'hostsActive' | 'quarantineSince'>;

/** The worker shows itself this often, and looks at the others as often, or less in a large pool. */
const SHOW_MS = 5000;
/**
 * If a worker serves only suspicious hosts for this long, others are to take the messages that wait. A host that was
 * parked some times is suspicious, too: that takes a turn's time at most, and needs no second worker.
 */
const LONG_QUARANTINE_MS = 30_000;

/**
 * A worker's membership in the pool of its turn queue: shows it to the others, starts others, and ends this one when
 * the others have capacity for its hosts, or when a worker of the other size is to replace it.
 */
export class PoolWorker {
  readonly #options: PoolWorkerOptions;
  readonly #id: string;
  readonly #drain = new AbortController();
  readonly #leaving = new AbortController();
  /** When the hosts that this worker has parked come back. By then another worker may have them. */
  readonly #parked = new Map<HostKey, number>();
  /** Turn queues, other than this one, that were sent messages. */
  readonly #sentTo = new Set<number>();
  readonly #load = new RecentLoad();
  /** The other workers are not read before this time. */
  #nextReadAt = Number.NEGATIVE_INFINITY;
  #isHidden = false;
  #statsNow = (): PoolStats => ({ hostsActive: 0 });
  #following: Promise<void> | undefined;
  /** The last look, which may be in progress. Never rejects. */
  #looking: Promise<void> = Promise.resolve();
  #leavingToLarger: Promise<void> = Promise.resolve();

  constructor(options: PoolWorkerOptions) {
    this.#options = options;
    this.#id = options.clock.uuid();
  }

  /** Aborted when the worker is to take on no more hosts. */
  get drain(): AbortSignal {
    return this.#drain.signal;
  }

  /**
   * Shows the worker to the others. False if there are that many already: then it is not needed. `inPlaceOf`: the item that
   * has stood for it since its start.
   */
  async join(workers: number, inPlaceOf?: string): Promise<boolean> {
    const { pool, queue } = this.#options;
    // Ids of such items come after those of workers. Of small workers that begin at once the first does not yield.
    const others = (await this.#others()).filter(({ id }) => inPlaceOf === undefined || id < inPlaceOf);
    if (activeMembers(others).length >= workers) return false;
    this.#noteLoad();
    await pool.show(queue, this.#me());
    if (inPlaceOf !== undefined) await pool.hide(queue, inPlaceOf);
    return true;
  }

  /** Notes which hosts the worker has parked, and which other turn queues it has sent messages to. */
  watch<Q extends TurnQueue>(watched: Q): Q {
    const { pool, queue, clock } = this.#options;
    const own: TurnQueue = {
      ...watched,
      send: async (messages) => {
        await watched.send(messages);
        for (const { host } of messages) {
          const other = turnShardOf(host, pool.queues);
          if (other !== queue) this.#sentTo.add(other);
        }
      },
      receive: async (max, waitMs, signal) => {
        const batch = await watched.receive(max, waitMs, signal);
        for (const { host } of batch) this.#parked.delete(host);
        return batch;
      },
      park: async (received, ms, isServed) => {
        await watched.park(received, ms, isServed);
        this.#parked.set(received.host, clock.now() + ms);
      },
    };
    return { ...watched, ...own };
  }

  /** From now to `leave`, shows the worker and looks after the pool. */
  follow(statsNow: () => PoolStats): void {
    this.#statsNow = statsNow;
    this.#following = this.#run();
  }

  /** Called when this worker is too small for a page: it takes on no more hosts, and starts one of full size. */
  leaveToLarger(): void {
    if (this.#drain.signal.aborted) return;
    this.#drain.abort();
    this.#leavingToLarger = this.#attempt(async () => this.#startNextOf(await this.#others(), 'full'));
  }

  /** Called before an idle worker's last receive. From then on, others are started for what comes. */
  async hide(): Promise<void> {
    const { pool, queue } = this.#options;
    this.#isHidden = true;
    // It may be showing the worker just now.
    await this.#looking;
    await this.#attempt(() => pool.hide(queue, this.#id));
  }

  /**
   * Ends the membership, and has others started for later messages. Never rejects. A worker that ends in its last
   * seconds starts nobody: it has started its successor before, and counts as dead soon.
   */
  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#following;
    await this.#leavingToLarger;
    await this.hide();
    await this.#startSentTo();
    await this.#attempt(() => this.#noteFewHosts());
    await this.#attempt(() => this.#startForParked());
    await this.#attempt(() => this.#startNext());
  }

  /** It takes on no hosts, for long or for ever. */
  get #isEnding(): boolean {
    const { quarantineSince = Infinity } = this.#statsNow();
    return this.#drain.signal.aborted || this.#options.clock.now() - quarantineSince >= LONG_QUARANTINE_MS;
  }

  get #hostsNow(): number {
    return this.#statsNow().hostsActive;
  }

  #me(): PoolMember {
    const hosts = this.#hostsNow;
    const { placesFor, isSmall } = this.#options;
    const me = { id: this.#id, hosts, maxHosts: placesFor(hosts), isEnding: this.#isEnding };
    return isSmall ? { ...me, isSmall } : me;
  }

  #noteLoad(): void {
    const { clock, cpuMs, onLoad } = this.#options;
    const load = { at: clock.now(), hosts: this.#hostsNow, cpuMs: cpuMs() };
    this.#load.note(load);
    onLoad?.(load);
  }

  async #others(): Promise<PoolMember[]> {
    const { pool, queue } = this.#options;
    return (await pool.members(queue)).filter(({ id }) => id !== this.#id);
  }

  async #run(): Promise<void> {
    const { clock, receiveUntil } = this.#options;
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      const leftMs = receiveUntil - clock.now();
      await clock.sleep(leftMs > 0 ? Math.min(SHOW_MS, leftMs) : SHOW_MS, signal);
      if (signal.aborted) return;
      this.#looking = this.#attempt(() => this.#look());
      await this.#looking;
      await this.#startSentTo();
    }
  }

  async #look(): Promise<void> {
    const { pool, queue, clock, receiveUntil } = this.#options;
    // An idle worker that is about to end stays hidden, until a host comes.
    if (this.#isHidden && this.#hostsNow === 0) return;
    this.#isHidden = false;
    this.#noteLoad();
    await pool.show(queue, this.#me());
    const isTimeUp = () => !this.#drain.signal.aborted && clock.now() >= receiveUntil;
    if (clock.now() < this.#nextReadAt && !isTimeUp()) return;
    const members = [this.#me(), ...(await this.#others())];
    this.#nextReadAt = clock.now() + readPauseMs(this.#id, members);
    if (this.#drain.signal.aborted) await this.#replace(members);
    else if (isTimeUp() || isSurplus(this.#id, members)) await this.#endReceiving(members);
    else if (this.#isEnding) await this.#replace(members);
    else if (await this.#isOfWrongSize(members)) await this.#endReceiving(members);
    else await this.#grow(members);
  }

  async #endReceiving(members: readonly PoolMember[]): Promise<void> {
    const { pool, queue, isSmall, small } = this.#options;
    this.#drain.abort();
    await pool.show(queue, this.#me());
    if (!needsSuccessor(this.#id, members)) return;
    const stays = isSmall && small !== undefined && !this.#load.exceeds(small);
    const next = stays || (await this.#mayBeSmall(members)) ? 'small' : 'full';
    await this.#startNextOf(members, next);
  }

  /**
   * Whether a worker of the other size is to replace this one. A small worker that is full is joined by others, not
   * replaced.
   */
  async #isOfWrongSize(members: readonly PoolMember[]): Promise<boolean> {
    const { small, isSmall } = this.#options;
    if (small === undefined) return false;
    return isSmall ? this.#load.exceeds(small) : await this.#mayBeSmall(members);
  }

  /** Whether a small worker can replace this full-size one, which is the last one that takes on hosts. */
  async #mayBeSmall(members: readonly PoolMember[]): Promise<boolean> {
    const { pool, queue, small, isSmall } = this.#options;
    if (isSmall || small === undefined || !this.#load.fits(small)) return false;
    const isLast = activeMembers(members).every(({ id }) => id === this.#id);
    return isLast && !(await pool.hasLostSmall(queue));
  }

  /** Starts the worker that replaces this one. */
  async #startNextOf(members: readonly PoolMember[], size: 'small' | 'full'): Promise<void> {
    const { pool, queue } = this.#options;
    const workers = activeMembers(members).filter(({ id }) => id !== this.#id).length + 1;
    if (size === 'full' || !(await pool.startSmall(queue, workers))) await pool.start(queue, 1, workers);
  }

  /**
   * Starts a worker for the messages that wait while this one only finishes its turns. The successor may have ended
   * because all hosts were still with this worker; and of two workers, each may have left its hosts to the other.
   */
  async #replace(members: readonly PoolMember[]): Promise<void> {
    const { pool, queue } = this.#options;
    if (activeMembers(members).length === 0 && (await pool.waiting(queue)) > 0) await pool.start(queue, 1, 1);
  }

  async #grow(members: readonly PoolMember[]): Promise<void> {
    const { pool, queue } = this.#options;
    const { length } = activeMembers(members);
    // A small worker runs besides those that the start queue's event source allows.
    const endingSmall = members.filter(({ isEnding, isSmall }) => isEnding && isSmall).length;
    if (length + endingSmall >= pool.maxWorkers || !mayGrow(this.#id, members)) return;
    const wanted = grownTo(members, await pool.waiting(queue), pool.maxWorkers);
    if (wanted > length) await pool.start(queue, wanted - length, wanted);
  }

  /** Starts workers for the other turn queues that were sent messages and have no worker. Never rejects. */
  async #startSentTo(): Promise<void> {
    const queues = [...this.#sentTo];
    this.#sentTo.clear();
    // Each by itself: one that cannot be looked after keeps no other from it.
    for (const queue of queues) await this.#attempt(() => this.#options.pool.ensure(queue));
  }

  /** A small worker is enough for messages that follow an idle one, such as links to hosts that are done. */
  async #noteFewHosts(): Promise<void> {
    const { pool, queue, small } = this.#options;
    if (small !== undefined && this.#isIdle && this.#load.couldBe(small)) await pool.noteFewHosts(queue);
  }

  /** Whether the worker ends because it was idle. */
  get #isIdle(): boolean {
    const { clock, receiveUntil } = this.#options;
    return !this.#drain.signal.aborted && clock.now() < receiveUntil;
  }

  /** Has a worker started for each time at which hosts come back. It ends at once where there is one by then. */
  async #startForParked(): Promise<void> {
    const { pool, queue, clock, small } = this.#options;
    const now = clock.now();
    const fits = small !== undefined && this.#parked.size <= fittingHosts(small) && this.#load.couldBe(small);
    const isSmall = fits && this.#parked.size > 0 && !(await pool.hasLostSmall(queue));
    const start = (at: number) => pool.start(queue, 1, 1, { delayMs: at - clock.now(), isSmall });
    for (const at of startTimes([...this.#parked.values()], now)) await this.#attempt(() => start(at));
  }

  /** Starts a worker if no other one exists, unless this one has ended because it was idle. */
  async #startNext(): Promise<void> {
    const { pool, queue } = this.#options;
    if (!this.#isIdle) await pool.ensure(queue);
  }

  /** Whatever fails here, hosts are served all the same. */
  async #attempt(work: () => Promise<unknown>): Promise<void> {
    if (this.#options.clock.now() >= this.#options.lastCallAt) return;
    try {
      await work();
    } catch (error) {
      this.#options.log('warn', { pool: 'cannot be read or changed', ...errorFields(error) });
    }
  }
}
