/**
 * The lease of an IP address: which worker may ask it. Kept in a head like that of a registrable domain
 * (`DomainState.lease`), under a name that no domain can have. Pure.
 */

export interface AddressLease {
  /** Empty after a worker has given it back. */
  readonly owner: string;
  /** After this time the owner begins no request, if others want the address. */
  readonly beginUntil: number;
  /** After this time anybody may have it: the owner's last request, and the rest after it, are over. */
  readonly until: number;
  /** Another worker waits for it. */
  readonly isWanted?: true;
}

/** The owner asks the address for so long before others have it. */
export const LEASE_MS = 30_000;
/** Those who wait look again after this, if the owner should have given it back already. */
const LOOK_AGAIN_MS = 2000;

/** The name in place of a domain's. No domain has a `#`. */
export const leaseName = (address: string): string => `#${address}`;

/** Whether a head that stands where those of domains do is the lease of an address. */
export const isLease = ({ lease }: { readonly lease?: AddressLease }): boolean => lease !== undefined;

export interface LeaseClaim {
  readonly owner: string;
  readonly now: number;
  /** A request, and the rest after it, take no longer. */
  readonly requestMs: number;
  /** The rest after a request. */
  readonly delayMs: number;
  /** No request of the owner is in flight. */
  readonly isIdle: boolean;
}

export interface ClaimedLease {
  /** Undefined: it stays as it is. */
  readonly lease: AddressLease | undefined;
  /** When to claim it again; undefined: the claimant has it. */
  readonly askAgainAt: number | undefined;
}

/**
 * Claims an address: the claimant has it if nobody else does, or if it has it already and nobody waits. Claiming it
 * once more with the answer lost changes nothing for others.
 */
export function claimLease(
  lease: AddressLease | undefined,
  { owner, now, requestMs, delayMs, isIdle }: LeaseClaim,
): ClaimedLease {
  const beginUntil = now + LEASE_MS;
  const taken = { lease: { owner, beginUntil, until: beginUntil + requestMs }, askAgainAt: undefined };
  // One that lasts for longer than any was written by a clock that is ahead.
  if (lease === undefined || lease.until <= now || lease.until - now > 2 * (LEASE_MS + requestMs))
    return taken;
  if (lease.owner === '') return { lease: undefined, askAgainAt: lease.until };
  if (lease.owner !== owner) {
    const askAgainAt = Math.min(
      lease.until,
      lease.beginUntil > now ? lease.beginUntil + delayMs : now + LOOK_AGAIN_MS,
    );
    return { lease: lease.isWanted ? undefined : { ...lease, isWanted: true }, askAgainAt };
  }
  if (now < lease.beginUntil) return { lease: undefined, askAgainAt: undefined };
  if (!lease.isWanted) return taken;
  if (!isIdle) return { lease: undefined, askAgainAt: now + LOOK_AGAIN_MS };
  // The others come within the next moments.
  const given = { owner: '', beginUntil: now, until: now + delayMs };
  return { lease: given, askAgainAt: given.until + 2 * LOOK_AGAIN_MS };
}
