import QuickLRU from 'quick-lru';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import {
  type ClaimedLease,
  claimLease,
  type LeaseClaim,
  leaseName,
  unusedLease,
} from '../../../core/frontier/address-lease.ts';
import type { Engine } from '../../ports/engine.ts';
import { StaleTurn } from '../../ports/stale-turn.ts';
import type { DomainHeads } from '../links/domain-heads.ts';

/** Leases of addresses where several workers crawl. */
export interface AddressLeases {
  /** Returns when to try again, in ms since the epoch; undefined: this worker may send requests to the address now. */
  claim(crawl: CrawlId, address: string, terms: LeaseTerms): Promise<number | undefined>;
  /** A turn is about to claim the address. */
  enter(crawl: CrawlId, address: string): void;
  /**
   * A turn that has entered makes no more requests to the address. With the last one of this worker, others need not wait
   * for it longer than they do already.
   */
  exit(crawl: CrawlId, address: string, delayMs: number): Promise<void>;
}

type LeaseTerms = Omit<LeaseClaim, 'owner' | 'now'>;

/** The addresses whose leases are remembered. */
const MAX_ADDRESSES = 20_000;
/** Other workers write at the same time. */
const CONTENDED_MS = 2000;
const MAX_TRIES = 4;

interface Known {
  /** Until then nothing needs to be read. */
  readonly until: number;
  /** It is another's. */
  readonly askAgainAt?: number;
}

/** `ownerOf`: the name under which this worker has leases; none: no other worker crawls, so there are none. */
export function createAddressLeases(
  domains: DomainHeads,
  clock: Pick<Engine['clock'], 'now'>,
  ownerOf: (() => string) | undefined,
): AddressLeases {
  if (ownerOf === undefined)
    return { claim: async () => undefined, enter: () => undefined, exit: async () => undefined };
  const known = new QuickLRU<string, Known>({ maxSize: MAX_ADDRESSES });
  const asking = new Map<string, Promise<number | undefined>>();
  /** Turns of this worker that may send requests to the address. */
  const users = new Map<string, number>();

  async function ask(crawl: CrawlId, address: string, terms: LeaseTerms): Promise<number | undefined> {
    const now = clock.now();
    const claim = { ...terms, owner: ownerOf!(), now };
    const change = (state: Parameters<Parameters<DomainHeads['change']>[2]>[0]) => {
      const result = claimLease(state.lease, claim);
      return {
        ...(result.lease && { state: { ...state, lease: result.lease } }),
        result: { ...result, state },
      };
    };
    let claimed: ClaimedLease & { readonly state: { readonly lease?: { readonly beginUntil: number } } };
    try {
      claimed = await domains.change(crawl, leaseName(address), change, MAX_TRIES);
    } catch (error) {
      if (!(error instanceof StaleTurn)) throw error;
      return now + CONTENDED_MS;
    }
    const { lease = claimed.state.lease, askAgainAt } = claimed;
    const key = keyOf(crawl, address);
    if (askAgainAt === undefined) known.set(key, { until: lease?.beginUntil ?? now });
    else known.set(key, { until: askAgainAt, askAgainAt });
    return askAgainAt;
  }

  return {
    async claim(crawl, address, terms) {
      const key = keyOf(crawl, address);
      const last = known.get(key);
      if (last && clock.now() < last.until) return last.askAgainAt;
      const asked = asking.get(key) ?? ask(crawl, address, terms).finally(() => asking.delete(key));
      asking.set(key, asked);
      return asked;
    },
    enter(crawl, address) {
      const key = keyOf(crawl, address);
      users.set(key, (users.get(key) ?? 0) + 1);
    },
    async exit(crawl, address, delayMs) {
      const key = keyOf(crawl, address);
      const left = (users.get(key) ?? 1) - 1;
      if (left > 0) return void users.set(key, left);
      users.delete(key);
      const last = known.get(key);
      if (last === undefined || last.askAgainAt !== undefined) return;
      // A turn that comes meanwhile reads it again, after this.
      known.delete(key);
      await leaveUnused(crawl, address, delayMs);
    },
  };

  async function leaveUnused(crawl: CrawlId, address: string, delayMs: number): Promise<void> {
    try {
      await domains.change(
        crawl,
        leaseName(address),
        (state) => {
          const lease = unusedLease(state.lease, { owner: ownerOf!(), now: clock.now(), delayMs });
          return { ...(lease && { state: { ...state, lease } }), result: undefined };
        },
        MAX_TRIES,
      );
    } catch (error) {
      // It ends by itself.
      if (!(error instanceof StaleTurn)) throw error;
    }
  }
}

const keyOf = (crawl: CrawlId, address: string): string => `${crawl} ${address}`;
