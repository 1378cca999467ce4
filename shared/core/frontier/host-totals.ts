/** The sums of a host, and of all hosts of a crawl. */

/** The cost and the results of the host so far. */
export interface HostTotals {
  /** Responses other than redirects, robots.txt, sitemaps and requisites. */
  readonly pages: number;
  /** Bytes of all bodies as received, robots.txt included. */
  readonly bytes: number;
  readonly requests: number;
  readonly httpStatus: Readonly<Record<string, number>>;
  /** Discovered URLs that did not come into the ledger, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Exchanges that failed, by reason. */
  readonly errors: Readonly<Record<string, number>>;
  /**
   * Seeds that are done with, and what their redirects led to, by their outcome: a state, or `login`
   * for a login page that a seed redirected to.
   */
  readonly seeds?: Readonly<Record<string, number>>;
  /**
   * Counts of the project's hooks: `pages` that they were called for, pages at which one `failed`, `items`.
   */
  readonly hooks?: Readonly<Record<string, number>>;
  /**
   * Requisites: those `fetched` (responses other than redirects) and those `waiting`; of the latter, those
   * `awaited` before the crawl ends at its limit of pages; and links to requisites of other hosts, `sent`
   * there.
   */
  readonly requisites?: Readonly<Record<string, number>>;
  /** Pages by the obstacle between a crawler and their content: `javascript`, `login`. */
  readonly hints?: Readonly<Record<string, number>>;
  /**
   * Exchanges by what the crawl's cache did for them: `hit` (no request was made, and none is counted), `miss`,
   * `unreadable`.
   */
  readonly cache?: Readonly<Record<string, number>>;
  /**
   * `bytes` that were sent for those `requests` of which it is known: with the handshakes of new connections, without
   * the headers of TCP and IP.
   */
  readonly sent?: Readonly<Record<string, number>>;
  /**
   * Fetches of URLs that were fetched before, by what they have shown: `changed`, `unchanged` (the same content in
   * full), `notModified` (304), `gone`, `failed`.
   */
  readonly recrawl?: Readonly<Record<string, number>>;
  /** Fetches per day that the known pages are worth at each of some prices, in millionths (`recrawl/demand-curve.ts`). */
  readonly demand?: Readonly<Record<string, number>>;
  /** If the budget of its domain is used up: URLs that wait for the next period (`urls`), and 1 for the host (`hosts`). */
  readonly overBudget?: Readonly<Record<string, number>>;
  /** If the host has had its `maxPagesPerHost` pages: URLs that wait for more (`urls`), and 1 for the host (`hosts`). */
  readonly full?: Readonly<Record<string, number>>;
  /**
   * If the host refuses the crawler: 1 for the host (`hosts`, and its kind of refusal), and its URLs that wait (`urls`).
   * `pages`: URLs that were refused, and have failed.
   */
  readonly refused?: Readonly<Record<string, number>>;
  /**
   * Pages that were rendered (`pages`), tried (`trials`) and could not be (`failed`); the requests that they made
   * (`requests`), and the time that they took (`ms`).
   */
  readonly render?: Readonly<Record<string, number>>;
  /** `requests` that accounts have made, and their `logins`, those that failed among them. */
  readonly accounts?: Readonly<Record<string, number>>;
  /** Only in the head of a domain: 1 under the rounded number of domains that link to it (`link-budget.ts`). */
  readonly linking?: Readonly<Record<string, number>>;
}

/** How many exchanges there were, with the host or with the cache instead. */
export const exchangesOf = ({ requests, cache }: Pick<HostTotals, 'requests' | 'cache'>): number =>
  requests + (cache?.hit ?? 0);

/**
 * The counts of {@link HostTotals} that are kept by a key: those that all hosts have, and those that few
 * have.
 */
export const COUNT_MAPS = [
  'httpStatus',
  'skipped',
  'errors',
  'seeds',
  'hooks',
  'hints',
  'requisites',
  'cache',
  'sent',
  'recrawl',
  'demand',
  'overBudget',
  'full',
  'refused',
  'render',
  'accounts',
  'linking',
] as const satisfies (keyof HostTotals)[];

export const NO_TOTALS: HostTotals = {
  pages: 0,
  bytes: 0,
  requests: 0,
  httpStatus: {},
  skipped: {},
  errors: {},
};

/** Sums, key by key. */
export function addTotals(a: HostTotals, b: HostTotals): HostTotals {
  return {
    pages: a.pages + b.pages,
    bytes: a.bytes + b.bytes,
    requests: a.requests + b.requests,
    httpStatus: addCounts(a.httpStatus, b.httpStatus),
    skipped: addCounts(a.skipped, b.skipped),
    errors: addCounts(a.errors, b.errors),
    ...addOptional('seeds', a, b),
    ...addOptional('hooks', a, b),
    ...addOptional('hints', a, b),
    ...addOptional('requisites', a, b),
    ...addOptional('cache', a, b),
    ...addOptional('sent', a, b),
    ...addOptional('recrawl', a, b),
    ...addOptional('demand', a, b),
    ...addOptional('overBudget', a, b),
    ...addOptional('full', a, b),
    ...addOptional('refused', a, b),
    ...addOptional('render', a, b),
    ...addOptional('accounts', a, b),
    ...addOptional('linking', a, b),
  };
}

type OptionalMap = Exclude<(typeof COUNT_MAPS)[number], 'httpStatus' | 'skipped' | 'errors'>;

function addOptional(
  map: OptionalMap,
  { [map]: a }: HostTotals,
  { [map]: b }: HostTotals,
): Partial<HostTotals> {
  return a || b ? { [map]: addCounts(a ?? {}, b ?? {}) } : {};
}

export function addCounts(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Record<string, number> {
  const sum: Record<string, number> = { ...a };
  for (const key in b) sum[key] = (sum[key] ?? 0) + (b[key] as number);
  return sum;
}
