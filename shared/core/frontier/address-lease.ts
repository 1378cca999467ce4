/**
 * The lease of an IP address: which worker may send requests to it. Kept in a head like that of a registrable domain
 * (`DomainState.lease`), under a name that no domain can have. Pure.
 */

export interface AddressLease {
  /** Empty after a worker has given it back. */
  readonly owner: string;
  /** After this time the owner begins no request, if others want the address. */
  readonly beginUntil: number;
  /** After this time anybody may have it: the owner's last request, and the rest after it, are over. */
  readonly until: number;
  /** The waiting workers, in the order in which they get the lease; {@link MAX_WAITING} at most. */
  readonly waiting?: readonly string[];
}

/** The owner keeps the address this long while others wait. */
export const LEASE_MS = 30_000;
/** Waiting workers look again after this, if the owner should have given it back already. */
const LOOK_AGAIN_MS = 2000;
/** The worker whose turn it is has so long to come. Then it is the next one's turn: it may have died. */
const TURN_MS = 2 * LOOK_AGAIN_MS;
/** Further workers wait outside of the queue: which of them comes next is left to chance. */
export const MAX_WAITING = 64;

/** Replaces the name of a domain. No domain has a `#`. */
export const leaseName = (address: string): string => `#${address}`;

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
 * Claims an address: the claimant gets it if it is free and no other worker is before the claimant in the queue, or if
 * the claimant holds it and nobody waits. So of N workers that claim it all the time, each gets it again after N - 1
 * leases. Claiming it once more with the answer lost changes nothing for others.
 */
export function claimLease(lease: AddressLease | undefined, claim: LeaseClaim): ClaimedLease {
  const { owner, now, requestMs, isIdle } = claim;
  // A lease that ends later than any lease can was written by a clock that is ahead.
  if (lease === undefined || lease.until - now > 2 * (LEASE_MS + requestMs)) return taken(claim, []);
  const { waiting = [] } = lease;
  if (lease.owner !== owner || lease.until <= now) return comeInTurn(lease, claim);
  if (now < lease.beginUntil) {
    const until = lease.beginUntil + requestMs;
    return { lease: lease.until < until ? { ...lease, until } : undefined, askAgainAt: undefined };
  }
  if (waiting.length === 0) return taken(claim, []);
  if (!isIdle) return { lease: undefined, askAgainAt: now + LOOK_AGAIN_MS };
  const given = withWaiting(freed(lease, claim), owner);
  return { lease: given, askAgainAt: given.until + waiting.length * TURN_MS };
}

/** Given back by its owner. The address rests. */
const freed = (
  { waiting = [] }: AddressLease,
  { now, delayMs }: Pick<LeaseClaim, 'now' | 'delayMs'>,
): AddressLease => ({
  owner: '',
  beginUntil: now,
  until: now + delayMs,
  ...(waiting.length > 0 && { waiting }),
});

/**
 * The lease when the owner has no more use for the address, and no request in flight; undefined: it is another's.
 * Waiting workers come at `beginUntil`, so until then the owner may still come back; but nobody has to wait for a
 * request that it might have begun at the last moment.
 */
export function unusedLease(
  lease: AddressLease | undefined,
  { owner, now, delayMs }: Pick<LeaseClaim, 'owner' | 'now' | 'delayMs'>,
): AddressLease | undefined {
  if (lease === undefined || lease.owner !== owner || lease.until <= now + delayMs) return undefined;
  if (lease.waiting === undefined || lease.beginUntil <= now) return freed(lease, { now, delayMs });
  return { ...lease, until: Math.min(lease.until, lease.beginUntil + delayMs) };
}

/** Takes the address if it is free and this worker's turn, or joins those that wait for it. */
function comeInTurn(lease: AddressLease, claim: LeaseClaim): ClaimedLease {
  const { owner, now } = claim;
  const { waiting = [] } = lease;
  const place = waiting.indexOf(owner);
  const before = place < 0 ? waiting.length : place;
  // The waiting workers before it have not come in time.
  if (lease.until + before * TURN_MS <= now) return taken(claim, waiting.slice(before + 1));
  const joined = withWaiting(lease, owner);
  return {
    lease: joined === lease ? undefined : joined,
    askAgainAt: freeAt(lease, claim) + before * TURN_MS,
  };
}

/** When the lease has probably been given back. */
function freeAt({ owner, until, beginUntil }: AddressLease, { now, delayMs }: LeaseClaim): number {
  if (owner === '' || until <= now) return until;
  return Math.min(until, beginUntil > now ? beginUntil + delayMs : now + LOOK_AGAIN_MS);
}

function taken({ owner, now, requestMs }: LeaseClaim, waiting: readonly string[]): ClaimedLease {
  const beginUntil = now + LEASE_MS;
  const lease = { owner, beginUntil, until: beginUntil + requestMs };
  return { lease: { ...lease, ...(waiting.length > 0 && { waiting }) }, askAgainAt: undefined };
}

function withWaiting(lease: AddressLease, owner: string): AddressLease {
  const { waiting = [] } = lease;
  if (waiting.includes(owner) || waiting.length >= MAX_WAITING) return lease;
  return { ...lease, waiting: [...waiting, owner] };
}
