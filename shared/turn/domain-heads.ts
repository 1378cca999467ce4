import type { CrawlId } from '../crawl/crawl-id.ts';
import { type DomainState, domainKey, NO_DOMAIN_STATE } from '../frontier/domain-state.ts';
import { addCounts, type Head, NEW_HEAD } from '../frontier/head.ts';
import type { Engine } from '../ports/engine.ts';
import { StaleTurn } from '../ports/stale-turn.ts';
import { Semaphore } from '../semaphore.ts';

/** The state of a domain without what the store needs besides. */
export type DomainFacts = Omit<DomainState, 'writer'>;

/** A change of a domain's head. */
export interface DomainChange<T> {
  /** None: it stays. */
  readonly state?: DomainFacts;
  /** Links that are skipped from now on, for want of room for their hosts. */
  readonly skipped?: number;
  readonly result: T;
}

/** The domains of crawls, by their heads. Those of one process wait for each other; others are detected. */
export interface DomainHeads {
  load(crawl: CrawlId, domain: string): Promise<DomainFacts>;
  /**
   * Replaces the domain's head by what `change` makes of it, and makes it again if another process was first, at most
   * `tries` times: then it throws `StaleTurn`. A change that was stored may be made once more if the answer was lost, so
   * one that must not be has one try.
   */
  change<T>(
    crawl: CrawlId,
    domain: string,
    change: (state: DomainFacts) => DomainChange<T>,
    tries?: number,
  ): Promise<T>;
}

interface DomainHeadsContext {
  readonly ledgers: Pick<Engine['ledgers'], 'loadHead' | 'commit'>;
  readonly clock: Pick<Engine['clock'], 'sleep' | 'random' | 'uuid'>;
}

/** Tries of one change, each after a random pause that may be twice as long as the one before. */
const MAX_TRIES = 12;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 2000;

export function createDomainHeads({ ledgers, clock }: DomainHeadsContext): DomainHeads {
  /** A place for each domain that is being changed. */
  const places = new Map<string, Semaphore>();

  const load = async (crawl: CrawlId, domain: string): Promise<Head> =>
    (await ledgers.loadHead(crawl, domainKey(domain))) ?? NEW_HEAD;

  async function tryChange<T>(
    crawl: CrawlId,
    domain: string,
    change: (state: DomainFacts) => DomainChange<T>,
  ): Promise<T> {
    const head = await load(crawl, domain);
    const before = head.domain ?? NO_DOMAIN_STATE;
    const { state = before, skipped = 0, result } = change(before);
    if (state === before && skipped === 0) return result;
    const { totals } = head;
    await ledgers.commit(crawl, domainKey(domain), {
      ...head,
      version: head.version + 1,
      domain: { hosts: state.hosts, granted: state.granted, writer: clock.uuid() },
      ...(skipped > 0 && {
        totals: { ...totals, skipped: addCounts(totals.skipped, { hostsPerDomain: skipped }) },
      }),
    });
    return result;
  }

  return {
    load: async (crawl, domain) => (await load(crawl, domain)).domain ?? NO_DOMAIN_STATE,
    async change(crawl, domain, change, most = MAX_TRIES) {
      const key = `${crawl} ${domain}`;
      const place = places.get(key) ?? new Semaphore(1);
      places.set(key, place);
      const release = await place.acquire(1);
      try {
        for (let tries = 1; ; tries++) {
          try {
            return await tryChange(crawl, domain, change);
          } catch (error) {
            if (!(error instanceof StaleTurn) || tries >= most) throw error;
            await clock.sleep(clock.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries));
          }
        }
      } finally {
        release?.();
        if (place.taken === 0) places.delete(key);
      }
    },
  };
}
