import { StorageFailed } from '../../core/base/storage-failed.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { NewerFormat } from '../../core/frontier/bytes.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { Crawl } from '../crawl-state/crawls.ts';
import type { Clock } from '../ports/clock.ts';
import { StaleTurn } from '../ports/stale-turn.ts';
import type { Delivery, HostDeliveries, TurnQueue } from '../ports/turn-queue.ts';
import { leaseOf, type WorkerTimes } from '../turn/lease.ts';
import { MAX_PARK_MS } from '../turn/next-turn.ts';
import type { TurnServices } from '../turn/services.ts';
import { leastLeaseMs, runTurn } from '../turn/turn.ts';
import { NeedsLargerWorker } from './needs-larger-worker.ts';

/** A shorter rest of a host is waited out in the worker, a longer one parks the host's group. */
const SHORT_REST_MS = 200;
/** A failed turn is tried again after this, twice as long each time. */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 300_000;
/** As above, for a ledger that a newer version of the program has written. */
const NEWER_RETRY_MS = 60_000;
/** If this many turns fail one after the other, the hosts are not the reason. */
const MAX_FAILURES = 20;

export interface HostServerOptions extends WorkerTimes {
  /** The hosts were handed to this process by another one. */
  readonly isApart?: boolean;
  /** Called when a page needs more than this worker has, which is a small one. */
  readonly onTooLarge?: (() => void) | undefined;
  /** Called with turns that failed by our own fault. */
  readonly onError?: ((error: unknown, host: string) => void) | undefined;
}

/** The result of the turns of one received host. */
interface Served {
  readonly deliveries: Delivery[];
  restUntil: number;
  hasRequested: boolean;
}

/** Serves hosts that a worker has received: runs their turns and gives them back to the queue. */
export class HostServer {
  readonly #services: TurnServices;
  readonly #options: HostServerOptions;
  /** Turns that failed one after the other, over all hosts. */
  #failures = 0;

  constructor(services: TurnServices, options: HostServerOptions) {
    this.#services = services;
    this.#options = options;
  }

  /**
   * Runs the turns of one received host: one for each crawl that has sent it something. Rejects if the worker
   * cannot continue.
   */
  async serve(received: HostDeliveries): Promise<void> {
    const { stats } = this.#services;
    stats.hostsActive++;
    const served: Served = { deliveries: [], restUntil: 0, hasRequested: false };
    try {
      await this.#runTurns(received, served);
      this.#failures = 0;
      await this.#giveBack(received, served);
    } catch (error) {
      await this.#handleFailure(received, served.restUntil, error);
    } finally {
      stats.hostsActive--;
    }
  }

  async #runTurns(received: HostDeliveries, served: Served): Promise<void> {
    const { stopping, stats } = this.#services;
    const lease = leaseOf(this.#queue, this.#clock, received, this.#options);
    const leaseMs = lease.endsAt - this.#clock.now();
    for (const [crawlId, deliveries] of byCrawl(received.deliveries)) {
      // A turn of another crawl may have just sent a request to the host.
      const restMs = served.restUntil - this.#clock.now();
      if (restMs > SHORT_REST_MS) break;
      if (restMs > 0) await this.#clock.sleep(restMs, stopping);
      const crawl = await this.#crawlOf(crawlId, deliveries);
      if (!crawl || isDeleted(crawl)) {
        await this.#deleteParts(crawlId, received.host);
        served.deliveries.push(...deliveries);
        continue;
      }
      this.#checkLease(leaseMs, leastLeaseMs(this.#services, crawl));
      const end = await runTurn(this.#services, crawl, {
        host: received.host,
        deliveries,
        lease,
        isApart: this.#options.isApart ?? false,
      });
      served.restUntil = Math.max(served.restUntil, end.restUntil);
      served.hasRequested ||= end.hasRequested ?? false;
      if (end.isPostponed) break;
      served.deliveries.push(...deliveries);
      stats.turns++;
    }
  }

  /** A host that is tried again by a resume is tried with the settings of that resume. */
  async #crawlOf(id: CrawlId, deliveries: readonly Delivery[]): Promise<Crawl | undefined> {
    const { crawls } = this.#services;
    const crawl = await crawls.get(id);
    const resumes = deliveries.map(({ message }) => (message.kind === 'wake' ? (message.resume ?? 0) : 0));
    if (!crawl || Math.max(...resumes) <= crawl.resumes) return crawl;
    crawls.refresh(id);
    return crawls.get(id);
  }

  /**
   * A turn that died before its host had a head has left parts that nothing names. The deletion of the crawl finds
   * hosts by their heads, so these parts are found by the message of that turn, which comes again.
   */
  async #deleteParts(crawl: CrawlId, host: HostKey): Promise<void> {
    const { ledgers } = this.#services.engine;
    const parts = await ledgers.listParts(crawl, host);
    if (parts.length > 0) await ledgers.deleteParts(crawl, host, parts);
  }

  /** With a shorter lease a turn would commit and fetch nothing, over and over. */
  #checkLease(leaseMs: number, leastMs: number): void {
    if (leaseMs > leastMs) return;
    throw new Error(
      `Expected a lease of more than ${leastMs} ms (totalTimeoutMs, hooks and a commit), got ${leaseMs}`,
    );
  }

  async #handleFailure(received: HostDeliveries, restUntil: number, error: unknown): Promise<void> {
    const { stats } = this.#services;
    // The host is not given back: at the next start it rests as if it had just got a request, since no head says
    // otherwise.
    if (error instanceof StorageFailed) throw error;
    // The ledger waits for the version that wrote it. Nothing is wrong with this worker.
    const isNewer = error instanceof NewerFormat;
    if (error instanceof StaleTurn) stats.staleTurns++;
    if (error instanceof NeedsLargerWorker) this.#options.onTooLarge?.();
    else if (!(error instanceof StaleTurn)) {
      if (!isNewer) {
        this.#failures++;
        // The next turn is a small one: what it fetches may be in vain, too.
        this.#services.lanes.receives.forget(received);
      }
      this.#options.onError?.(error, received.host);
    }
    const tries = Math.max(...received.deliveries.map(({ receiveCount }) => receiveCount));
    const [firstMs, mostMs] = isNewer ? [NEWER_RETRY_MS, MAX_PARK_MS] : [RETRY_MS, MAX_RETRY_MS];
    const retryMs = Math.min(firstMs * 2 ** (tries - 1), mostMs);
    // The next owner of the host may be another process, which knows only committed state.
    const restMs = this.#restMs(received, restUntil);
    await this.#queue.park(received, Math.max(retryMs, restMs));
    if (this.#failures >= MAX_FAILURES) throw error;
  }

  /**
   * Acknowledges the served messages, but not before the host's next request is due, so that the next owner of the host
   * may fetch at once. A long rest parks the group instead, which takes one delivery that stays, for some minutes at
   * most, since links that come meanwhile are to be taken in. What comes back from that and leads to no request is
   * acknowledged though the host rests for longer: its head says so, and a delivery that is received again and again
   * looks as if it killed its workers.
   */
  async #giveBack(received: HostDeliveries, { deliveries, restUntil, hasRequested }: Served): Promise<void> {
    const restMs = Math.min(this.#restMs(received, restUntil), MAX_PARK_MS);
    const isAll = deliveries.length === received.deliveries.length;
    const hasComeBack = received.deliveries.every(({ receiveCount }) => receiveCount > 1);
    if (isAll && hasComeBack && !hasRequested) {
      await this.#queue.acknowledge(received, deliveries);
      return;
    }
    if (isAll && restMs <= SHORT_REST_MS) {
      // Also when the worker stops: another crawl's turn knows nothing of this one's rest.
      if (restMs > 0) await this.#clock.sleep(restMs);
      await this.#queue.acknowledge(received, deliveries);
      return;
    }
    await this.#queue.acknowledge(received, isAll ? deliveries.slice(0, -1) : deliveries);
    await this.#queue.park(received, Math.max(0, restMs), isAll);
  }

  /** How long the host must not be given to anybody: by its turns, and by its lane's memory. */
  #restMs({ host }: HostDeliveries, restUntil: number): number {
    return Math.max(restUntil, this.#services.lanes.restUntil(host)) - this.#clock.now();
  }

  get #queue(): TurnQueue {
    return this.#services.engine.queue;
  }

  get #clock(): Clock {
    return this.#services.engine.clock;
  }
}

const isDeleted = ({ reason }: Crawl): boolean => reason?.code === 'deleting';

function byCrawl(deliveries: readonly Delivery[]): Map<string, Delivery[]> {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const { crawl } = delivery.message;
    const group = groups.get(crawl);
    if (group) group.push(delivery);
    else groups.set(crawl, [delivery]);
  }
  return groups;
}
