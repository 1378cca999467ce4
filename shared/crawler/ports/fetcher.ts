import type { FetchOutcome } from '../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../core/outcome/fetch-request.ts';
import type { HostKey } from '../../core/url/host-key.ts';

/** Performs one HTTP exchange. Redirects are not followed: they are outcomes, and their targets links. */
export interface Fetcher {
  fetch(request: FetchRequest): Promise<FetchOutcome>;
  /**
   * The IP addresses to which the host's next connection may go. Empty if that is not known: its name does not resolve, or
   * a proxy resolves it. Never rejects. Fetchers without it know no addresses.
   */
  addressesOf?(host: HostKey): Promise<readonly string[]>;
  close(): Promise<void>;
}
