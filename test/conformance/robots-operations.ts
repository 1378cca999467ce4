/** Whether robots.txt lets a URL be fetched, what else it says, and what its own fetching comes to. */
import { parseConfig } from '../../shared/core/crawl/config.ts';
import type { FailureReason } from '../../shared/core/outcome/failure-codes.ts';
import { parseRobots, productToken } from '../../shared/core/robots/parse-robots.ts';
import { expiry, type RobotsExchange, robotsUrl, robotsVerdict } from '../../shared/core/robots/policy.ts';
import { isAllowed } from '../../shared/core/robots/rules.ts';
import { canonicalize } from '../../shared/core/url/canonical.ts';
import { pathOf } from '../../shared/core/url/host-key.ts';
import { type Answer, bytesOf, isObject, type Operation, type Question, textOf } from './question.ts';

export const ROBOTS_OPERATIONS: Readonly<Record<string, Operation>> = {
  robots(question) {
    const given = textOf(question, 'url');
    // Some references are requested a path alone.
    const url = canonicalize(given, 'http://none/');
    if (url === undefined) throw new Error(`Expected an http or https URL, got ${JSON.stringify(given)}`);
    return { allowed: isAllowed(rulesOf(question), pathOf(url)).allowed };
  },

  robots_meta(question) {
    const { crawlDelayMs, sitemaps } = rulesOf(question);
    const base = textOf(question, 'robots_url');
    return {
      crawlDelay: crawlDelayMs === undefined ? null : crawlDelayMs / 1000,
      sitemaps: sitemaps.map((sitemap) => URL.parse(sitemap, base)?.href ?? sitemap),
    };
  },

  robots_url: (question) => ({ robots_url: robotsUrl(textOf(question, 'url')) ?? null }),

  /**
   * How long a robots.txt with these Cache-Control fields is used; `max_age`: the operator's own limit in
   * seconds.
   */
  robots_cache({ cache_control, max_age }) {
    if (!Array.isArray(cache_control)) throw new Error('Expected `cache_control` to be a list');
    const maxAgeMs = typeof max_age === 'number' ? max_age * 1000 : parseConfig({}).robotsMaxAgeMs;
    return { seconds: expiry(0, cache_control.map(String), maxAgeMs) / 1000 };
  },

  robots_fetch: (question) => ({ outcome: outcomeOf(question) }),
};

function rulesOf(question: Question) {
  return parseRobots(bytesOf(question, 'robots'), productToken(textOf(question, 'agent')));
}

/** As the robots keeper of the worker does: exchange by exchange, until one is no redirect. */
function outcomeOf(question: Question): 'parse' | 'allow_all' | 'disallow_all' {
  const { steps } = question;
  if (!Array.isArray(steps)) throw new Error(`Expected \`steps\` to be a list, got ${typeof steps}`);
  const start = textOf(question, 'start');
  let url = robotsUrl(start);
  if (url === undefined) throw new Error(`Expected an http or https URL, got ${JSON.stringify(start)}`);
  for (let redirects = 0; ; redirects++) {
    const verdict = robotsVerdict(exchangeOf(steps[redirects], url), redirects);
    if (verdict.kind === 'rules') return 'parse';
    if (verdict.kind === 'allowAll') return 'allow_all';
    if (verdict.kind === 'unreachable') return 'disallow_all';
    url = verdict.location;
  }
}

/** A step that is not there is a server that does not answer. */
function exchangeOf(step: unknown, url: string): RobotsExchange {
  if (!isObject(step) || typeof step.status !== 'number')
    return { status: 'failed', reason: failureOf(isObject(step) ? step.error : undefined), message: '' };
  const headers = fieldsOf(step);
  return { status: 'response', httpStatus: step.status, headers, url };
}

/** Fields come from the network as Latin-1: one character an octet. */
function fieldsOf({ headers, location }: Answer): [string, string][] {
  const pairs: unknown[] = Array.isArray(headers)
    ? headers
    : Object.entries(isObject(headers) ? headers : {});
  const fields = pairs.filter((pair) => Array.isArray(pair)).map(([name, value]) => [name, value]);
  if (typeof location === 'string') fields.push(['location', location]);
  return fields.map(([name, value]) => [String(name), Buffer.from(String(value)).toString('latin1')]);
}

const FAILURES: readonly FailureReason[] = ['dns', 'connect', 'tls', 'timeout', 'reset', 'protocol'];

function failureOf(error: unknown): FailureReason {
  return FAILURES.find((reason) => reason === error) ?? 'timeout';
}
