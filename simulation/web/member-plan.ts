/** The accounts of a world, drawn by its seed, and the URLs by which its sites for members are used. */
import type { AccountOptions } from '../../shared/services/project/account-options.ts';
import { between, pick, randomOf } from '../models/random.ts';

/** The accounts of a world, and how its sites treat them. */
export interface MembersPlan {
  readonly accounts: readonly MemberAccount[];
  readonly limits: Required<Pick<NonNullable<AccountOptions['limits']>, 'loginsPerHour' | 'restMs'>> &
    AccountOptions['limits'];
  /** The accounts name the URL that shows whether they are signed in. */
  readonly hasCheck: boolean;
  readonly pagesPerSession: number;
  readonly sessionMs: number;
  readonly signedOut: SignedOutWay;
  /** Whether the form is shown again after a wrong password. */
  readonly showsFormAgain: boolean;
  /** A login ends the earlier sessions of its account. */
  readonly hasOneSession: boolean;
  /** Sessions get another id now and then. */
  readonly rotates: boolean;
}

export interface MemberAccount {
  readonly name: string;
  /** Logins that the site accepts until it locks the account. */
  readonly accepted: number;
}

export type SignedOutWay = 'redirect' | 'unauthorized' | 'forbidden' | 'form' | 'teaser';

/** A request to a host behind a login, beside those of pages. */
export interface MemberRequest {
  /** `check`: whether the session holds. `signedOut`: of a page, which was not shown. */
  readonly what: 'login' | 'check' | 'signedOut' | 'signOut';
  /** The login to which it belongs: its account's name, a dot and a number. */
  readonly login?: string;
  /** It sends a password, which is refused. */
  readonly isSent?: boolean;
  readonly isRefused?: boolean;
}

/** The share of worlds with accounts. */
const WITH_MEMBERS = 0.05;
/** On pages of those who are signed in. */
export const SIGN = 'Hello, member';
export const LOGIN_PATH = '/login';
export const SIGN_OUT_PATH = '/logout';
export const CHECK_PATH = '/account';
export const HOME_PATH = '/home';
const WAYS: readonly SignedOutWay[] = ['redirect', 'unauthorized', 'forbidden', 'form', 'teaser'];
const MINUTE_MS = 60_000;

/** Undefined: the world has no accounts. */
export function planMembers(seed: number, isCertain = false): MembersPlan | undefined {
  const random = randomOf(seed, 'members');
  if (random() >= WITH_MEMBERS && !isCertain) return undefined;
  const accounts = Array.from({ length: between(random, 1, 3) }, (_, i) => {
    const kind = random();
    const accepted = kind < 0.15 ? 0 : kind < 0.3 ? between(random, 1, 3) : Number.POSITIVE_INFINITY;
    return { name: `account-${i}`, accepted };
  });
  return {
    accounts,
    limits: {
      loginsPerHour: between(random, 6, 30),
      restMs: pick(random, [30_000, 60_000, 600_000]),
      ...(random() < 0.4 && { pagesPerSession: between(random, 2, 10) }),
      ...(random() < 0.2 && { pagesPerHour: between(random, 20, 60) }),
    },
    hasCheck: random() < 0.5,
    pagesPerSession: random() < 0.7 ? between(random, 3, 12) : Number.POSITIVE_INFINITY,
    sessionMs: random() < 0.4 ? between(random, 1, 10) * MINUTE_MS : Number.POSITIVE_INFINITY,
    signedOut: pick(random, WAYS),
    showsFormAgain: random() < 0.5,
    hasOneSession: random() < 0.3,
    rotates: random() < 0.2,
  };
}

export const wordOf = (account: string): string => `word of ${account}`;
