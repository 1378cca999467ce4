import type { Message } from '../../../core/frontier/message.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { HostDeliveries, PackedHost, TurnQueue } from '../../../crawler/ports/turn-queue.ts';
import { CrawlShares } from './crawl-shares.ts';
import type { SqsTurnQueue } from './turn-queue.ts';

export interface FairTurnQueueOptions {
  readonly turns: SqsTurnQueue;
  /** Sends to the turn queue what it has had before: nothing of that is a duplicate. */
  readonly again: Pick<TurnQueue, 'send'>;
  /** Hosts of crawls that hold more than their share wait here, in the order in which they came. */
  readonly backlog: TurnQueue;
  readonly clock: Pick<Clock, 'now'>;
  readonly warn?: ((message: string) => void) | undefined;
}

/** While hosts of the turn queue have waited longer than this, those of crawls with more than their share are moved. */
const BEHIND_MS = 15_000;
/** Its stock: while hosts have waited less than this, one comes back from the backlog for each that is received ... */
const STOCK_MS = 6000;
/** ... and while they have waited less than this, two. */
const LOW_STOCK_MS = 3000;
/** A receive moves about this number of hosts to the backlog at most, and then takes what comes. */
const MAX_MOVES = 300;
/** After a longer rest, the host is handed out again, for nothing. */
const MAX_RELEASE_MS = 60_000;
/** A worker with room asks the backlog this often, and always while that has hosts. */
const ASK_MS = 30_000;
/**
 * Though the turn queue has enough, one comes back for this number of hosts that are received: a host waits at most
 * five times as long as it would if all waited in the turn queue ...
 */
const RECEIVED_FOR_ONE = 4;
/** ... and for this longer, since this number comes back together ... */
const ANYWAY_HOSTS = 10;
/** ... or, after this time, as many as there are by then. */
const ANYWAY_MS = 20_000;

/**
 * The turn queue as a worker sees it that gives each crawl its share. SQS hands out hosts about in the order in which their
 * messages came, so that one crawl of very many hosts would delay each turn of all others. While hosts wait for long, those of
 * crawls that hold more than their share are moved to the backlog, a second FIFO queue. When the turn queue has fewer hosts
 * than the worker has room for, hosts of the backlog come back to it. No host is served from the backlog: its lock, and so its
 * pace for all crawls, is its message group in the turn queue.
 */
export const createFairTurnQueue = (options: FairTurnQueueOptions): TurnQueue =>
  boundMethods<TurnQueue>(new FairTurnQueue(options));

class FairTurnQueue implements TurnQueue {
  readonly #options: FairTurnQueueOptions;
  readonly #shares = new CrawlShares();
  /** The backlog had hosts when it was last seen. */
  #hasBacklog = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Hosts that were received since hosts last came back. */
  #receivedSince = 0;
  /** Hosts in service whose next token is in the backlog. */
  readonly #later = new Set<HostKey>();

  constructor(options: FairTurnQueueOptions) {
    this.#options = options;
  }

  /** A token that would be moved as soon as it is received goes to the backlog at once. */
  async send(messages: Parameters<TurnQueue['send']>[0]): Promise<void> {
    const { turns, backlog } = this.#options;
    const isLater = ({ message }: (typeof messages)[number]) =>
      this.#hasBacklog && message.kind === 'token' && this.#shares.holdsMore(message.crawl);
    const later = messages.filter(isLater);
    const now = messages.filter((message) => !isLater(message));
    await Promise.all([
      now.length > 0 ? turns.send(now) : undefined,
      later.length > 0 ? backlog.send(later) : undefined,
    ]);
    for (const { host } of later) this.#later.add(host);
  }

  async receive(maxHosts: number, waitMs: number, signal?: AbortSignal): Promise<HostDeliveries[]> {
    const taken: HostDeliveries[] = [];
    this.#shares.noteRoom(maxHosts);
    // A worker that would wait for the turn queue asks the backlog first.
    const firstMs = this.#hasBacklog ? 0 : waitMs;
    await this.#take(taken, maxHosts, firstMs, signal);
    if (signal?.aborted) return taken;
    const isBack = await this.#stockUp(taken.length, maxHosts - taken.length);
    const restMs = taken.length > 0 || this.#hasBacklog ? 0 : waitMs - firstMs;
    if (isBack || restMs > 0) await this.#take(taken, maxHosts, restMs, signal);
    return taken;
  }

  /**
   * Brings hosts back from the backlog: as many as a worker has room for and the turn queue did not give, and a stock for
   * the next receives. Returns whether there were any.
   */
  async #stockUp(received: number, missing: number): Promise<boolean> {
    if (!this.#hasBacklog && !this.#askedLongAgo(ASK_MS)) return false;
    const { waitMs } = this.#shares;
    this.#receivedSince += received;
    if (waitMs < LOW_STOCK_MS) return this.#bringBack(missing + 2 * received);
    if (waitMs < STOCK_MS) return this.#bringBack(received);
    const owed = Math.ceil(this.#receivedSince / RECEIVED_FOR_ONE);
    return (owed >= ANYWAY_HOSTS || this.#askedLongAgo(ANYWAY_MS)) && this.#bringBack(owed);
  }

  /** Receives from the turn queue until `taken` has `maxHosts` or it has no more. */
  async #take(
    taken: HostDeliveries[],
    maxHosts: number,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const { turns } = this.#options;
    for (let moves = 0; taken.length < maxHosts && !signal?.aborted; ) {
      const room = maxHosts - taken.length;
      let batch: readonly HostDeliveries[];
      try {
        batch = await turns.receive(room, taken.length + moves > 0 ? 0 : waitMs, signal);
      } catch (error) {
        // The hosts received are locked: they must not be lost with the error.
        if (taken.length === 0) throw error;
        return this.#warn('No further hosts were received', error);
      }
      const later: HostDeliveries[] = [];
      for (const received of batch) {
        this.#shares.noteWait(received);
        if (moves < MAX_MOVES && this.#isMovable(received)) later.push(received);
        else this.#begin(received, taken);
      }
      moves += later.length;
      for (const received of await this.#move(later)) this.#begin(received, taken);
      if (batch.length === 0) this.#shares.noteEmpty();
      // SQS may give fewer than there are, which says nothing of how many wait.
      if (batch.length === 0 || (batch.length < room && !this.#hasBacklog)) return;
    }
  }

  #begin(received: HostDeliveries, taken: HostDeliveries[]): void {
    this.#shares.begin(received);
    taken.push(received);
  }

  /** A message that was received before is not: it may have killed its worker. Nor is one that comes from the backlog. */
  #isMovable({ deliveries }: HostDeliveries): boolean {
    return (
      this.#shares.waitMs > BEHIND_MS &&
      deliveries.every(
        ({ message, receiveCount, isSentAgain }) =>
          receiveCount === 1 &&
          !isSentAgain &&
          isRepeatable(message) &&
          this.#shares.holdsMore(message.crawl),
      )
    );
  }

  /** Moves hosts to the backlog. Returns those that could not be moved: they are served. */
  async #move(hosts: readonly HostDeliveries[]): Promise<readonly HostDeliveries[]> {
    if (hosts.length === 0) return [];
    const { turns, backlog } = this.#options;
    try {
      await backlog.send(messagesOf(hosts));
    } catch (error) {
      this.#warn('No hosts could be moved to the backlog', error);
      return hosts;
    }
    this.#hasBacklog = true;
    // A message that is not acknowledged comes twice.
    await this.#acknowledge(turns, hosts);
    return [];
  }

  #askedLongAgo(ms: number): boolean {
    return this.#options.clock.now() - this.#askedAt >= ms;
  }

  /** Sends up to `maxHosts` hosts of the backlog to the turn queue, at least one. Returns whether there were any. */
  async #bringBack(maxHosts: number): Promise<boolean> {
    const { again, backlog, clock } = this.#options;
    this.#askedAt = clock.now();
    this.#receivedSince = 0;
    try {
      const hosts = await backlog.receive(Math.max(1, maxHosts), 0);
      this.#hasBacklog = hosts.length > 0;
      if (hosts.length === 0) return false;
      await again.send(messagesOf(hosts));
      await this.#acknowledge(backlog, hosts);
      return true;
    } catch (error) {
      this.#warn('No hosts could be taken from the backlog', error);
      return false;
    }
  }

  async #acknowledge(queue: TurnQueue, hosts: readonly HostDeliveries[]): Promise<void> {
    try {
      await Promise.all(hosts.map((received) => queue.acknowledge(received, received.deliveries)));
    } catch (error) {
      this.#warn('Hosts that were moved could not be acknowledged', error);
    }
  }

  async acknowledge(...[received, deliveries]: Parameters<TurnQueue['acknowledge']>): Promise<void> {
    if (deliveries.length >= received.deliveries.length) this.#end(received);
    await this.#options.turns.acknowledge(received, deliveries);
  }

  hold(...given: Parameters<TurnQueue['hold']>): Promise<void> {
    return this.#options.turns.hold(...given);
  }

  isHeld(...given: Parameters<NonNullable<TurnQueue['isHeld']>>): boolean {
    return this.#options.turns.isHeld?.(...given) ?? true;
  }

  /** If the next token of a served host is in the backlog, nothing is to begin a turn after its rest. */
  async park(received: HostDeliveries, ms: number, isServed = false): Promise<void> {
    const { turns } = this.#options;
    const isReleased = this.#end(received) && isServed && ms <= MAX_RELEASE_MS;
    await (isReleased ? turns.release(received, ms) : turns.park(received, ms));
  }

  pack(received: HostDeliveries): PackedHost | undefined {
    const packed = this.#options.turns.pack?.(received);
    if (packed) this.#end(received);
    return packed;
  }

  async unpack(packed: PackedHost): Promise<HostDeliveries | undefined> {
    const received = await this.#options.turns.unpack?.(packed);
    if (received) this.#shares.begin(received);
    return received;
  }

  /** The worker serves the host no longer. Returns whether the host's next token is in the backlog. */
  #end(received: HostDeliveries): boolean {
    this.#shares.end(received);
    return this.#later.delete(received.host);
  }

  #warn(what: string, error: unknown): void {
    this.#options.warn?.(`${what}: ${error}`);
  }
}

const messagesOf = (hosts: readonly HostDeliveries[]) =>
  hosts.flatMap(({ host, deliveries }) => deliveries.map(({ message }) => ({ host, message })));

/** Whether the message means the same if it is sent once more: a request for robots.txt would have it fetched again. */
const isRepeatable = (message: Message): boolean => message.kind !== 'robots';
