/**
 * The requests of a correct crawl of a generated web, and the result of each URL: worked out from the graph
 * alone. It shares no code with the crawler: not the URL rules, not the HTML parser, not the judgement of
 * robots.txt.
 */
import { canonical, domainOf, hostOf } from './canonical.ts';
import type { Web } from './graph.ts';
import { NOT_FOUND } from './render.ts';
import { isFollowed, type Resource } from './resource.ts';
import { isAllowed } from './robots.ts';

export interface CrawlPlan {
  readonly seeds: readonly string[];
  /** As in the crawler's configuration: drawn around the seeds, and around what they redirect to. */
  readonly scope: 'page' | 'prefix' | 'host' | 'domain' | 'any';
  /** The crawler's product token. Without it, robots.txt is neither read nor obeyed. */
  readonly robotsAgent?: string;
  /** Redirects in a row that are followed. Default 10, as the crawler's. */
  readonly maxRedirects?: number;
  /** Requests for a URL that fails each time. Default 3, as the crawler's. */
  readonly maxAttempts?: number;
  /** Links with `rel=nofollow` are followed, left, or either. Default `either`. */
  readonly nofollow?: 'follow' | 'leave' | 'either';
  /** Where given, URLs it says no to are not requested: `include` and `exclude`. */
  readonly isIncluded?: (url: string) => boolean;
}

/**
 * `redirect`: also one that leads nowhere. `gone`: 404 or 410. `failed`: no whole response within the tries.
 */
export type FinalState = 'fetched' | 'redirect' | 'gone' | 'deniedByRobots' | 'failed';

export interface Expectation {
  readonly state: FinalState;
  /** Another state that is right too. */
  readonly orState?: FinalState;
  /** Fewer requests are too few: 0 where a crawl is right without the URL, 2 where the first one fails. */
  readonly minRequests: number;
  /** More requests are too many: 0 for what robots.txt forbids. */
  readonly maxRequests: number;
}

export interface Truth {
  readonly plan: CrawlPlan;
  /**
   * By canonical URL: all that belongs to the crawl, without /robots.txt, traps and hosts outside the web.
   */
  readonly urls: ReadonlyMap<string, Expectation>;
  /** By canonical URL: what was mentioned and must not be requested, and why. Not complete, for messages. */
  readonly never: ReadonlyMap<string, string>;
  /** Links in scope to hosts that the web does not have: requests for them do not reach its server. */
  readonly outside: ReadonlySet<string>;
}

/** Throws RangeError for a seed that is no URL, and beyond `maxUrls`. */
export function closure(web: Web, plan: CrawlPlan, maxUrls = 5_000_000): Truth {
  const { maxRedirects = 10, maxAttempts = 3, nofollow = 'either', robotsAgent } = plan;
  const urls = new Map<string, Expectation>();
  const never = new Map<string, string>();
  const outside = new Set<string>();
  const hosts = new Set(web.hosts);
  const seeds = plan.seeds.map((seed) => {
    const url = canonical(seed);
    if (url === undefined) throw new RangeError(`Expected a seed that is a URL, got ${seed}`);
    return url;
  });
  const isInScope = drawScope(plan, widen(web, seeds, maxRedirects, robotsAgent));

  /** Fewest redirects in a row by which each URL was reached. */
  const reached = new Map<string, number>();
  const queue: string[] = [];
  const reach = (url: string, redirects: number) => {
    const before = reached.get(url);
    if (before !== undefined && before <= redirects) return;
    if (reached.size > maxUrls) throw new RangeError(`Expected at most ${maxUrls} URLs in the crawl`);
    reached.set(url, redirects);
    queue.push(url);
  };
  const meet = (url: string, redirects: number, isOptional: boolean) => {
    if (!isInScope(url)) return void never.set(url, 'it is out of scope');
    if (!hosts.has(hostOf(url))) return void outside.add(url);
    if (web.isTrap(url)) return;
    if (!isOptional) return reach(url, redirects);
    optional.add(url);
  };
  const optional = new Set<string>();

  for (const seed of seeds) meet(seed, 0, false);
  // The array grows while it is walked.
  for (const url of queue) {
    const path = url.slice(url.indexOf('/', 'http://'.length));
    if (robotsAgent !== undefined && !isAllowed(web.robots(hostOf(url))!, robotsAgent, path)) {
      urls.set(url, { state: 'deniedByRobots', minRequests: 0, maxRequests: 0 });
      continue;
    }
    const resource = web.at(url) ?? NOT_FOUND;
    const expectation = expect(resource, maxAttempts);
    urls.set(url, expectation);
    if (expectation.state === 'failed') continue;
    for (const { how, target } of resource.references) {
      if (target === undefined) continue;
      if (how === 'location') {
        const redirects = reached.get(url)! + 1;
        if (redirects <= maxRedirects) meet(target, redirects, false);
        else never.set(target, `it is beyond ${maxRedirects} redirects in a row`);
      } else if (isFollowed(how) || (how === 'nofollow' && nofollow === 'follow')) meet(target, 0, false);
      else if (how === 'nofollow' && nofollow === 'either') meet(target, 0, true);
      else
        never.set(
          target,
          how === 'nofollow' ? 'its only link says nofollow' : `it stands in a ${how}, which is no link`,
        );
    }
  }
  // No page behind an optional link has links of its own.
  for (const url of optional)
    if (!urls.has(url)) urls.set(url, { ...expect(web.at(url) ?? NOT_FOUND, maxAttempts), minRequests: 0 });
  for (const url of urls.keys()) never.delete(url);
  return { plan, urls, never, outside };
}

function expect(resource: Resource, maxAttempts: number): Expectation {
  const { status, flaky, fault, references, location } = resource;
  const failed = { state: 'failed', minRequests: 1, maxRequests: maxAttempts } as const;
  if (flaky !== undefined && flaky.times >= maxAttempts) return failed;
  if (fault === 'truncated') return { ...failed, orState: 'fetched' };
  if (fault !== undefined || status >= 500) return failed;
  const requests = (flaky?.times ?? 0) + 1;
  const right = { minRequests: requests, maxRequests: requests };
  if (status === 404 || status === 410) return { state: 'gone', ...right };
  if (status < 300 || status >= 400) return { state: 'fetched', ...right };
  const leads = location !== undefined && references[0]?.target !== undefined;
  return leads
    ? { state: 'redirect', ...right }
    : { state: 'redirect', orState: 'failed', ...right, maxRequests: maxAttempts };
}

/** The seeds and what they redirect to, through URLs that robots.txt allows. */
function widen(
  web: Web,
  seeds: readonly string[],
  maxRedirects: number,
  agent: string | undefined,
): Set<string> {
  const all = new Set(seeds);
  for (const seed of seeds) {
    let url: string | undefined = seed;
    for (let redirects = 0; redirects <= maxRedirects && url !== undefined; redirects++) {
      all.add(url);
      const robots = web.robots(hostOf(url));
      const path: string = url.slice(url.indexOf('/', 'http://'.length));
      if (robots === undefined || (agent !== undefined && !isAllowed(robots, agent, path))) break;
      url = web.at(url)?.references.find(({ how }) => how === 'location')?.target;
    }
  }
  return all;
}

function drawScope(plan: CrawlPlan, around: ReadonlySet<string>): (url: string) => boolean {
  const isIncluded = plan.isIncluded ?? (() => true);
  if (plan.scope === 'any') return isIncluded;
  if (plan.scope === 'page') return (url) => around.has(url) && isIncluded(url);
  if (plan.scope === 'prefix') {
    const folders = [...around].map((url) => url.replace(/[?].*$/s, '').replace(/[^/]*$/, ''));
    return (url) => folders.some((folder) => url.startsWith(folder)) && isIncluded(url);
  }
  const keyOf = plan.scope === 'host' ? hostOf : (url: string) => domainOf(hostOf(url));
  const keys = new Set([...around].map(keyOf));
  return (url) => keys.has(keyOf(url)) && isIncluded(url);
}
