/** Checks of a hostile case after the crawl. A check returns the reason why it fails, or undefined. */

/** A row of `strand export`, as far as the checks need it. */
export interface ExportRow {
  readonly url: string;
  readonly status: string;
  readonly httpStatus?: number;
  readonly warcFile?: string;
  readonly bodyBytes?: number;
  readonly kind?: string;
  readonly cause?: string;
}

/** A link that the crawl left out: a row of `strand export --skipped`. */
export interface SkippedRow {
  readonly url: string;
  readonly reason: string;
}

/** The records of server and crawl about one case. */
export interface CaseResult {
  /** `http://127.66.1.1:PORT`. */
  readonly origin: string;
  /** Targets of all requests to the host, in order, with robots.txt. */
  readonly requests: readonly string[];
  /** By URL: what the crawl knows. URLs of other hosts that were found on this one are among them. */
  readonly rows: ReadonlyMap<string, ExportRow>;
  readonly skipped: ReadonlyMap<string, SkippedRow>;
  /** Hosts that fail or were given up, as `strand status` names them, with the cause. */
  readonly hostCauses: ReadonlyMap<string, string>;
  /** Connections to the canary that named this case. */
  readonly canaryRequests: number;
}

export interface Check {
  /** In words, for the table. */
  readonly says: string;
  failure(result: CaseResult): string | undefined;
}

const hostOf = (origin: string): string => origin.slice(origin.indexOf('//') + 2);
const rowOf = ({ origin, rows }: CaseResult, path: string) =>
  rows.get(path.startsWith('/') ? `${origin}${path}` : path);
const shortOf = (path: string): string => (path.length > 60 ? `${path.slice(0, 60)}...` : path);
const textOf = (row: ExportRow | undefined): string =>
  row === undefined
    ? 'the crawl does not know it'
    : [row.status, row.httpStatus, row.cause].filter((part) => part !== undefined).join(', ');

/** The page was fetched and is in the archive. */
export const kept = (path = '/', httpStatus = 200): Check => ({
  says: `${path} is kept`,
  failure(result) {
    const row = rowOf(result, path);
    const isKept = row?.httpStatus === httpStatus && row.warcFile !== undefined && row.status !== 'waiting';
    return isKept ? undefined : `${shortOf(path)}: ${textOf(row)}`;
  },
});

/** The page is not in the archive, and the crawl says why. It may still wait for another attempt. */
export const leftOut = (path: string, cause: RegExp): Check => ({
  says: `${path} is left out with its cause`,
  failure(result) {
    const row = rowOf(result, path);
    const reason =
      row === undefined
        ? result.skipped.get(`${result.origin}${path}`)?.reason
        : (row.cause ?? result.hostCauses.get(hostOf(result.origin)));
    if (row?.status === 'fetched') return `${shortOf(path)}: ${textOf(row)}`;
    return reason !== undefined && cause.test(reason)
      ? undefined
      : `${shortOf(path)}: ${reason ?? textOf(row)}`;
  },
});

/** Kept, or left out with a cause, or waiting at a host whose failure the crawl explains. */
export const settled = (path = '/'): Check => ({
  says: `${path} is kept or left out with its cause`,
  failure(result) {
    const row = rowOf(result, path);
    if (row === undefined && result.skipped.has(`${result.origin}${path}`)) return undefined;
    const cause = row?.cause ?? result.hostCauses.get(hostOf(result.origin));
    const isSettled = row !== undefined && (row.status !== 'waiting' || cause !== undefined);
    return isSettled ? undefined : `${shortOf(path)}: ${textOf(row)}`;
  },
});

export const asked = (path: string): Check => ({
  says: `${path} is requested`,
  failure: ({ requests }) => (requests.includes(path) ? undefined : `${path} was not requested`),
});

export const neverAsked = (path: string | RegExp): Check => ({
  says: `${path} is never requested`,
  failure({ requests }) {
    const found = requests.find((target) => (typeof path === 'string' ? target === path : path.test(target)));
    return found === undefined ? undefined : `${found.slice(0, 80)} was requested`;
  },
});

/** Requests to the case's host, robots.txt and all. */
export const atMost = (count: number): Check => ({
  says: `at most ${count} requests`,
  failure: ({ requests }) =>
    requests.length <= count ? undefined : `${requests.length} requests: ${requests.map(shortOf).join(' ')}`,
});

/** All of these paths were requested before more than `count` requests that match. */
export const askedBefore = (paths: readonly string[], count: number, others: RegExp): Check => ({
  says: `${paths.length} pages are requested before ${count} of ${others}`,
  failure({ requests }) {
    let met = 0;
    const end = requests.findIndex((target) => others.test(target) && ++met > count);
    const before = new Set(end < 0 ? requests : requests.slice(0, end));
    const missing = paths.filter((path) => !before.has(path));
    return missing.length === 0
      ? undefined
      : `${missing.length} of ${paths.length} pages not requested in time`;
  },
});

/** No connection reached the canary in the name of this case. Every case has this check. */
export const NO_CANARY: Check = {
  says: 'the canary is not reached',
  failure: ({ canaryRequests }) =>
    canaryRequests === 0 ? undefined : `${canaryRequests} requests reached the canary`,
};
