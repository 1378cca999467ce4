import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { HostDeliveries } from '../../../crawler/ports/turn-queue.ts';

/** The waiting times of this number of hosts, the last ones received, say how long the queue is. */
const RECENT_WAITS = 16;
/** A crawl with this number of a worker's places or fewer never holds more than its share. */
const FEW_HOSTS = 4;

/**
 * Which crawls' hosts a worker serves, and how long hosts wait in the turn queue. A crawl holds more than
 * its share if it has more than {@link FEW_HOSTS} of the worker's places, and more than it would have if one crawl more than
 * now had an equal part. Pure.
 */
export class CrawlShares {
  readonly #held = new Map<HostDeliveries, ReadonlySet<CrawlId>>();
  readonly #hosts = new Map<CrawlId, number>();
  #waits: readonly number[] = [];
  #places = 0;

  /** Notes that the worker has room for this number of hosts besides those that it serves. */
  noteRoom(hosts: number): void {
    this.#places = this.#held.size + hosts;
  }

  begin(received: HostDeliveries): void {
    const crawls = new Set(received.deliveries.map(({ message }) => message.crawl));
    this.#held.set(received, crawls);
    for (const crawl of crawls) this.#hosts.set(crawl, this.#hostsOf(crawl) + 1);
  }

  end(received: HostDeliveries): void {
    for (const crawl of this.#held.get(received) ?? []) {
      const hosts = this.#hostsOf(crawl) - 1;
      if (hosts > 0) this.#hosts.set(crawl, hosts);
      else this.#hosts.delete(crawl);
    }
    this.#held.delete(received);
  }

  holdsMore(crawl: CrawlId): boolean {
    const hosts = this.#hostsOf(crawl);
    return hosts > FEW_HOSTS && hosts * (this.#hosts.size + 1) > this.#places;
  }

  /** Takes in how long messages have waited that were received for the first time. The last of a host has waited for no turn. */
  noteWait({ deliveries }: HostDeliveries): void {
    const waits = deliveries.flatMap(({ receiveCount, waitedMs }) =>
      receiveCount === 1 && waitedMs !== undefined ? [waitedMs] : [],
    );
    if (waits.length === deliveries.length && waits.length > 0)
      this.#waits = [...this.#waits, Math.min(...waits)].slice(-RECENT_WAITS);
  }

  /** The queue has given no host. */
  noteEmpty(): void {
    this.#waits = [];
  }

  /** The median of what hosts have waited lately; 0 if that is not known. */
  get waitMs(): number {
    return this.#waits.toSorted((a, b) => a - b)[this.#waits.length >> 1] ?? 0;
  }

  #hostsOf(crawl: CrawlId): number {
    return this.#hosts.get(crawl) ?? 0;
  }
}
