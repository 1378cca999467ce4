import QuickLRU from 'quick-lru';
import type { CrawlId } from '../crawl/crawl-id.ts';
import { type ClaimedLease, claimLease, type LeaseClaim, leaseName } from '../frontier/address-lease.ts';
import type { Engine } from '../ports/engine.ts';
import { StaleTurn } from '../ports/stale-turn.ts';
import type { DomainHeads } from './domain-heads.ts';

/** Leases of addresses where several workers crawl. */
export interface AddressLeases {
  /** Returns when to ask again, in ms since the epoch; undefined: this worker may ask the address now. */
  claim(crawl: CrawlId, address: string, terms: LeaseTerms): Promise<number | undefined>;
}

export type LeaseTerms = Omit<LeaseClaim, 'owner' | 'now'>;

/** The addresses whose leases are remembered. */
const MAX_ADDRESSES = 20_000;
/** Others write at the same time. */
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
  if (ownerOf === undefined) return { claim: async () => undefined };
  const known = new QuickLRU<string, Known>({ maxSize: MAX_ADDRESSES });
  const asking = new Map<string, Promise<number | undefined>>();

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
    const key = `${crawl} ${address}`;
    if (askAgainAt === undefined) known.set(key, { until: lease?.beginUntil ?? now });
    else known.set(key, { until: askAgainAt, askAgainAt });
    return askAgainAt;
  }

  return {
    async claim(crawl, address, terms) {
      const key = `${crawl} ${address}`;
      const last = known.get(key);
      if (last && clock.now() < last.until) return last.askAgainAt;
      const asked = asking.get(key) ?? ask(crawl, address, terms).finally(() => asking.delete(key));
      asking.set(key, asked);
      return asked;
    },
  };
}
