import type { AccountState } from './account-state.ts';

/** An account as the operator sees it. */
export interface AccountReport {
  readonly name: string;
  /** The registrable domain of its hosts. */
  readonly domain: string;
  readonly state: 'signedIn' | 'signedOut' | 'signingIn' | 'resting' | 'locked';
  /** Requests that it has made, its logins, and those that have failed. */
  readonly pages: number;
  readonly logins: number;
  readonly failures: number;
  /** Why the last login has failed. */
  readonly failure?: string;
  /** Until then it is not used. */
  readonly restUntil?: string;
  /** Accounts that would do for the pace of its host, if all of them were used up. */
  readonly wanted?: number;
}

export function accountReport(name: string, domain: string, state: AccountState, now: number): AccountReport {
  const { pages, logins, failures, failure, restUntil = 0, wanted } = state;
  return {
    name,
    domain,
    state: wordOf(state, now),
    pages,
    logins,
    failures,
    ...(failure !== undefined && { failure }),
    ...(restUntil > now && { restUntil: new Date(restUntil).toISOString() }),
    ...(wanted !== undefined && { wanted }),
  };
}

function wordOf({ isLocked, lease, restUntil = 0, isSignedIn }: AccountState, now: number) {
  if (isLocked) return 'locked';
  if (lease && lease.until > now) return 'signingIn';
  if (restUntil > now) return 'resting';
  return isSignedIn ? 'signedIn' : 'signedOut';
}
