import type { AccountLimits } from '../../../core/access/account-state.ts';
import type { CookieOptions } from '../../../core/crawl/network-options.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { HostCookies } from '../../access/host-cookies.ts';

/** Whether a response shows that the account is signed in, or out. Undefined: it shows neither. */
export type Sign = 'in' | 'out' | undefined;

/** A login as it is made. */
export interface LoginAt {
  /** Makes a request at the host's pace, with the cookies of the login. */
  readonly fetch: (
    request: Pick<FetchRequest, 'url' | 'method' | 'headers' | 'body'>,
  ) => Promise<FetchedResponse>;
  /** The origin of the URL for which it signs in. */
  readonly origin: string;
  readonly cookies: Pick<HostCookies, 'headerFor'>;
}

/** An account of the operator at a site. */
export interface Account {
  /** As reports name it. */
  readonly name: string;
  readonly limits: AccountLimits;
  /** Cookies to begin with at a host: those of its domain. A jar has no room for others. */
  cookies(host: HostKey): Promise<readonly CookieOptions[]>;
  /** The URL that shows whether it is signed in, if the operator has named one. */
  readonly check?: string | undefined;
  isSignOut(url: string): boolean;
  /** The response's body is read, and not disposed of. */
  signOf(response: FetchedResponse): Promise<Sign>;
  /**
   * Signs in. Resolves to the page on which the login has ended, whose body is the caller's to dispose of. Rejects with what the
   * project's function has thrown. Absent: the account has nothing but its cookies.
   */
  readonly login?: (at: LoginAt) => Promise<FetchedResponse>;
}

/** The accounts of the project. */
export interface Accounts {
  /** The accounts for a host, the one that the host takes first before the others. */
  of(host: HostKey): readonly Account[];
}
