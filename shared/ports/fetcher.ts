import type { FetchOutcome } from '../fetcher/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../fetcher/outcome/fetch-request.ts';

/** Performs one HTTP exchange. Redirects are not followed: they are outcomes, and their targets links. */
export interface Fetcher {
  fetch(request: FetchRequest): Promise<FetchOutcome>;
  close(): Promise<void>;
}
