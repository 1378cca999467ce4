import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { HostDeliveries } from '../ports/turn-queue.ts';
import { areSuspicious, haveLostAgain } from '../turn/lost-turns.ts';
import type { TurnServices } from '../turn/services.ts';

/**
 * Hands hosts of one crawl to a process that serves no others. `refused`: they are still with this process.
 */
export type HandOver = (hosts: readonly HostDeliveries[]) => Promise<'accepted' | 'refused'>;

/** Hosts of one crawl that a process is given at once. */
const MAX_GROUP = 10;
/** Groups that are with other processes. Further hosts wait. */
const MAX_GROUPS = 8;
const WAIT_MS = 20_000;

interface Group {
  readonly hosts: Set<HostKey>;
  readonly until: number;
}

/**
 * Hands hosts that have perhaps killed their workers to other processes, each of which serves hosts of one crawl and
 * then ends. So such a process takes no other crawl with it, and no host of this process waits. A host of which such a
 * process has died is given to one alone.
 */
export class ApartHosts {
  readonly #services: Pick<TurnServices, 'engine' | 'lanes'>;
  readonly #handOver: HandOver;
  /** Until one of their hosts is received again, or their lease is over. */
  #groups: readonly Group[] = [];

  constructor(services: Pick<TurnServices, 'engine' | 'lanes'>, handOver: HandOver) {
    this.#services = services;
    this.#handOver = handOver;
  }

  /** Hands over the suspicious hosts of a batch. Returns those that are left to this process. */
  async take(batch: readonly HostDeliveries[]): Promise<readonly HostDeliveries[]> {
    const { lanes, engine } = this.#services;
    const came = batch.map(({ host }) => host);
    const now = engine.clock.now();
    this.#groups = this.#groups.filter(
      ({ hosts, until }) => until > now && !came.some((host) => hosts.has(host)),
    );
    const suspicious = batch.filter(({ deliveries }) => areSuspicious(deliveries, lanes.receives));
    const refused = new Set<HostDeliveries>();
    for (const group of this.#groupsOf(suspicious))
      if (!(await this.#give(group))) for (const received of group) refused.add(received);
    const gone = new Set(suspicious);
    return batch.filter((received) => !gone.has(received) || refused.has(received));
  }

  /** False: the hosts are left to this process. */
  async #give(group: readonly HostDeliveries[]): Promise<boolean> {
    const { engine, lanes } = this.#services;
    if (this.#groups.length >= MAX_GROUPS) {
      await Promise.all(group.map((received) => engine.queue.park(received, WAIT_MS)));
      return true;
    }
    if ((await this.#handOver(group)) === 'refused') return false;
    // Whether the other process survives them is not known here.
    for (const received of group) lanes.receives.forget(received);
    const until = Math.max(...group.map(({ leaseUntil }) => leaseUntil));
    this.#groups = [...this.#groups, { hosts: new Set(group.map(({ host }) => host)), until }];
    return true;
  }

  #groupsOf(suspicious: readonly HostDeliveries[]): readonly (readonly HostDeliveries[])[] {
    const { receives } = this.#services.lanes;
    const alone = suspicious.filter(({ deliveries }) => haveLostAgain(deliveries, receives));
    const others = suspicious.filter((received) => !alone.includes(received));
    const byCrawl = Map.groupBy(others, crawlOf);
    const groups = [...byCrawl.values()].flatMap((hosts) =>
      Array.from({ length: Math.ceil(hosts.length / MAX_GROUP) }, (_, i) =>
        hosts.slice(i * MAX_GROUP, (i + 1) * MAX_GROUP),
      ),
    );
    return [...alone.map((received) => [received]), ...groups];
  }
}

/** The crawl of the first message: few hosts have messages of several. */
const crawlOf = ({ deliveries: [first] }: HostDeliveries): CrawlId => first?.message.crawl ?? '';
