import QuickLRU from 'quick-lru';
import { Semaphore } from '../../../core/base/semaphore.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import {
  type DomainState,
  domainKey,
  NO_DOMAIN_STATE,
  withLinkers,
} from '../../../core/frontier/domain-state.ts';
import { type Head, NEW_HEAD } from '../../../core/frontier/head.ts';
import { addCounts, type HostTotals } from '../../../core/frontier/host-totals.ts';
import { roundedLinkers } from '../../../core/frontier/link-budget.ts';
import {
  countLinkers,
  type LinkerSketch,
  mergeSketches,
  NO_LINKERS,
} from '../../../core/frontier/linker-sketch.ts';
import type { Engine } from '../../ports/engine.ts';
import { StaleTurn } from '../../ports/stale-turn.ts';

/** The state of a domain without what the store needs besides. */
export type DomainFacts = Omit<DomainState, 'writer'>;

/** A change of a domain's head. */
interface DomainChange<T> {
  /** Absent: it stays. */
  readonly state?: DomainFacts;
  /** Links that are skipped from now on, as the quota of hosts is used up. */
  readonly skipped?: number;
  readonly result: T;
}

/**
 * The domains of crawls, by their heads. Changes of one process wait for each other; conflicts with other processes are
 * detected.
 */
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
  /**
   * Adds domains that link to this one. Domains that this process added lately cost no access to the store.
   */
  learn(crawl: CrawlId, domain: string, linkers: LinkerSketch): Promise<void>;
}

interface DomainHeadsContext {
  readonly ledgers: Pick<Engine['ledgers'], 'loadHead' | 'commit'>;
  readonly clock: Pick<Engine['clock'], 'sleep' | 'random' | 'uuid'>;
}

/** Tries of one change, each after a random pause that may be twice as long as the one before. */
const MAX_TRIES = 12;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 2000;
/** Domains whose linking domains are remembered: at most 64 characters each. */
const MAX_LEARNED = 20_000;

export function createDomainHeads({ ledgers, clock }: DomainHeadsContext): DomainHeads {
  /** A lock for each domain that is being changed. */
  const places = new Map<string, Semaphore>();
  const learned = new QuickLRU<string, LinkerSketch>({ maxSize: MAX_LEARNED });

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
    await ledgers.commit(crawl, domainKey(domain), {
      ...head,
      version: head.version + 1,
      domain: { ...state, writer: clock.uuid() },
      totals: totalsOf(head.totals, state, skipped),
    });
    return result;
  }

  const heads: DomainHeads = {
    load: async (crawl, domain) => (await load(crawl, domain)).domain ?? NO_DOMAIN_STATE,
    async learn(crawl, domain, linkers) {
      const key = `${crawl} ${domain}`;
      const known = learned.get(key) ?? NO_LINKERS;
      if (mergeSketches(known, linkers) === known) return;
      const all = await heads.change(crawl, domain, (before) => {
        const state = withLinkers(before, linkers);
        return { state, result: state.linkers ?? NO_LINKERS };
      });
      learned.set(key, all);
    },
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
  return heads;
}

/** The counts of a domain's head: `skipped` more links, and its number of linking domains. */
function totalsOf(totals: HostTotals, { linkers }: DomainFacts, skipped: number): HostTotals {
  return {
    ...totals,
    ...(skipped > 0 && { skipped: addCounts(totals.skipped, { hostsPerDomain: skipped }) }),
    ...(linkers !== undefined && { linking: { [roundedLinkers(countLinkers(linkers))]: 1 } }),
  };
}
