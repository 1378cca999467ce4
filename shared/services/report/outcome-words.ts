import type { Cause } from '../../core/causes/cause.ts';
import { optionalText } from '../../core/causes/cause-text.ts';
import type { UrlState } from '../../core/frontier/url-record.ts';
import { STATUS_CODES } from './status-codes.ts';

/** The last try of a URL. */
export interface LastTry {
  readonly state: UrlState;
  readonly httpStatus?: number | undefined;
  readonly cause?: Cause | undefined;
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'it requires a login',
  403: 'it refuses this crawler, or requires a login',
};

/**
 * Why a URL was not fetched, for people: `HTTP 404 (Not Found)`, `denied by robots.txt, line 2: Disallow: /`.
 */
export function outcomeInWords({ state, httpStatus, cause }: LastTry): string {
  const words = optionalText(cause);
  if (state === 'redirect') return `redirects ${words ?? 'to nowhere'}`;
  if (cause?.code === 'usageForbidden') return `not used: ${words}`;
  if (state === 'deniedByRobots') return `denied by ${words ?? 'robots.txt'}`;
  const isStatus = cause === undefined || cause.code === 'httpStatus';
  if (httpStatus !== undefined && isStatus) return statusInWords(httpStatus);
  return words ?? state;
}

function statusInWords(httpStatus: number): string {
  const words = [STATUS_CODES[httpStatus], HINTS[httpStatus]].filter(Boolean).join(': ');
  return `HTTP ${httpStatus}${words === '' ? '' : ` (${words})`}`;
}
