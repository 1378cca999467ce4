import type { FetchedResponse, FetchOutcome } from '../../core/outcome/fetch-outcome.ts';
import { fieldValues } from '../../core/outcome/response-head.ts';
import { parseRetryAfter } from '../../core/robots/retry-after.ts';

/** The values of all fields of that name (given in lower case), in the order received. */
export function headersOf({ headers }: Pick<FetchedResponse, 'headers'>, name: string): string[] {
  return fieldValues(headers, name);
}

/** Returns the wait that a response requests by Retry-After, in milliseconds. */
export function retryAfterOf(outcome: FetchOutcome, now: number): number | undefined {
  return outcome.status === 'response'
    ? parseRetryAfter(headersOf(outcome, 'retry-after')[0], now)
    : undefined;
}
