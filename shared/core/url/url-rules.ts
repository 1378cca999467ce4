/**
 * Rules that take two spellings for one URL though no standard says that they are one: what webmasters, shops
 * and advertisers do, named one by one, so that an operator can switch each off. They go beyond
 * `canonical.ts`, on its results. A crawl knows its pages by the form that they give, so a change of what a
 * rule does is one of `URL_RULES_VERSION`.
 */
import { origin, pathOf } from './host-key.ts';
import { mayHaveKnownParameter, type ParameterUse, useOf } from './known-parameters.ts';

/** Which of the rules are on. */
export interface UrlRules {
  readonly trackingParameters: boolean;
  readonly sessionParameters: boolean;
  readonly sortQuery: boolean;
  readonly indexPages: boolean;
}

type RuleName = keyof UrlRules;

/** False: the crawl takes each spelling as it is (`--url-rules none`). */
export const isAnyOn = (rules: UrlRules): boolean => Object.values(rules).some(Boolean);

/** The rules in the order in which they are applied, each with the reason for what it does by default. */
export const URL_RULES: readonly { readonly name: RuleName; readonly why: string }[] = [
  {
    name: 'trackingParameters',
    why: 'they only say where a visitor came from (utm_source, gclid): no page depends on them',
  },
  {
    name: 'sessionParameters',
    why: 'they name a visit (;jsessionid=, PHPSESSID): each would find every page under new URLs',
  },
  { name: 'sortQuery', why: 'off unless requested: some sites answer by the order of parameters' },
  { name: 'indexPages', why: 'off unless requested: servers need not answer /a/index.html and /a/ alike' },
];

/**
 * Maps a canonical URL to the representative of all URLs that are equal under the rules. The result is canonical, too,
 * and the rules do not change it. A URL to which no rule applies comes back as the same string, quickly: 20 ns without
 * a query, 150 ns with one.
 */
export function createUrlRules(rules: UrlRules): (url: string) => string {
  const { trackingParameters, sessionParameters, sortQuery, indexPages } = rules;
  const dropsParameters = trackingParameters || sessionParameters;

  return (url) => {
    const mark = url.indexOf('?');
    const hasSession = sessionParameters && url.includes(';');
    const readsQuery = mark >= 0 && (sortQuery || (dropsParameters && mayHaveKnownParameter(url)));
    if (!readsQuery && !hasSession && (mark >= 0 || !indexPages)) return url;
    let path = mark < 0 ? url : url.slice(0, mark);
    let query = mark < 0 ? undefined : url.slice(mark + 1);
    if (hasSession) path = origin(path) + pathOf(path).replace(PATH_SESSION, '');
    if (query && readsQuery) query = rewriteQuery(query, rules);
    if (indexPages && query === undefined) path = path.replace(INDEX_PAGE, '/');
    const result = query === undefined ? path : `${path}?${query}`;
    return result === url ? url : result;
  };
}

/** The rules that change a canonical URL, in the order in which they do. */
export function appliedUrlRules(rules: UrlRules, url: string): readonly RuleName[] {
  const applied: RuleName[] = [];
  let now = url;
  for (const { name } of URL_RULES) {
    if (!rules[name]) continue;
    const next = createUrlRules({ ...NO_RULES, [name]: true })(now);
    if (next !== now) applied.push(name);
    now = next;
  }
  return applied;
}

const NO_RULES: UrlRules = {
  trackingParameters: false,
  sessionParameters: false,
  sortQuery: false,
  indexPages: false,
};

/**
 * The servlet containers' session id, up to the segment's or parameter's end. Not from a segment that would
 * become a dot segment by it: `/..;jsessionid=1/` is not a step upwards. Nor where an `&` shows that something
 * else is meant, too.
 */
const PATH_SESSION = /(?<!\/\.{1,2});jsessionid=[^/;&]*(?=[/;]|$)/gi;

/** The names that web servers' manuals give for a folder's page. */
const INDEX_PAGE = /\/(?:index\.(?:html?|xhtml|php|aspx?|jsp|cfm)|default\.(?:html?|aspx?)|home\.html?)$/i;

/** Undefined if nothing is left of it. */
function rewriteQuery(query: string, rules: UrlRules): string | undefined {
  const given = query.split('&');
  let pairs = given;
  if (rules.trackingParameters || rules.sessionParameters) {
    const uses = given.map(useOf);
    if (uses.some((use) => use !== 'page')) {
      const dropped = droppedUses(uses, rules);
      pairs = given.filter((_, i) => !dropped.has(uses[i]));
      if (pairs.length < given.length && pairs.every((pair) => pair === '')) return undefined;
    }
  }
  if (rules.sortQuery) pairs = pairs.toSorted(comparePairs);
  return pairs === given ? query : pairs.join('&');
}

function droppedUses(uses: readonly ParameterUse[], rules: UrlRules): ReadonlySet<ParameterUse | undefined> {
  const dropped = new Set<ParameterUse>();
  if (rules.trackingParameters) dropped.add('tracking');
  if (rules.sessionParameters) {
    dropped.add('session');
    if (uses.includes('cfid') && uses.includes('cftoken')) dropped.add('cfid').add('cftoken');
  }
  return dropped;
}

/** By name, then by value, in the order of code units. */
function comparePairs(a: string, b: string): number {
  const nameA = nameOf(a);
  const nameB = nameOf(b);
  if (nameA !== nameB) return nameA < nameB ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function nameOf(pair: string): string {
  const equals = pair.indexOf('=');
  return equals < 0 ? pair : pair.slice(0, equals);
}
