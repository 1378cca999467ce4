/** The rule of the scope that decided about a URL, in words, for people. */
import { hostKey, hostName, pathOf } from '../url/host-key.ts';
import { registrableDomain } from '../url/registrable-domain.ts';
import type { ScopePreset } from './config.ts';
import type { HostRules, Pattern } from './host-rules.ts';
import type { SkipReason } from './skip-reason.ts';
import { pathDepth, queryParameters, type TrapConfig } from './traps.ts';

export interface ScopeFacts {
  readonly url: string;
  readonly depth: number;
  readonly isSeed: boolean;
  readonly preset: ScopePreset;
  readonly maxUrlLength: number;
  readonly domains: readonly string[];
  /** The rules of the URL's host. */
  readonly rules: HostRules;
  readonly traps: TrapConfig;
}

/**
 * `exclude: /logout matches`. Begins with the setting, unless there is none: `reason` undefined, and a seed.
 */
export function ruleInWords(reason: SkipReason | undefined, facts: ScopeFacts): string {
  return reason === undefined ? whyIn(facts) : WHY_NOT[reason](facts);
}

const WHY_NOT: Record<SkipReason, (facts: ScopeFacts) => string> = {
  urlLength: ({ url, maxUrlLength }) =>
    `maxUrlLength: it has ${url.length} characters, more than ${maxUrlLength}`,
  domain: ({ url, domains }) => `domains: ${hostKey(url)} is not within ${domains.join(', ')}`,
  port: ({ url }) => `allowPorts: browsers refuse the port of ${hostKey(url)}, and it is not named`,
  depth: ({ depth, rules }) =>
    `maxDepth: it is ${depth} ${depth === 1 ? 'hop' : 'hops'} from a seed, more than ${rules.maxDepth}`,
  scope: (facts) => presetInWords(facts, false),
  pathDepth: ({ url, traps }) =>
    `maxPathDepth: its path has ${pathDepth(url)} segments, more than ${traps.maxPathDepth}`,
  repeatedSegments: ({ traps }) =>
    `maxRepeatedSegments: the same segments stand more than ${traps.maxRepeatedSegments} times in a row`,
  queryParameters: ({ url, traps }) => {
    const count = queryParameters(url);
    return count > traps.maxQueryParameters
      ? `maxQueryParameters: its query has ${count} parameters, more than ${traps.maxQueryParameters}`
      : 'maxQueryParameters: the same parameter with the same value stands more than 3 times in its query';
  },
  repeatedEscapes: () => 'its escapes were escaped more than twice, as in URLs that grow without end',
  exclude: ({ url, rules }) => `exclude: ${matching(url, rules.exclude)} matches`,
  include: ({ rules: { include } }) =>
    include.length === 1
      ? `include: ${include[0]?.text} does not match`
      : `include: none of the ${include.length} patterns matches`,
};

function whyIn(facts: ScopeFacts): string {
  if (facts.isSeed) return 'it is a seed';
  const included = matching(facts.url, facts.rules.include);
  const preset = presetInWords(facts, true);
  return included === undefined ? preset : `${preset}; include: ${included} matches`;
}

/** The first pattern that matches, as the operator wrote it. */
const matching = (url: string, patterns: readonly Pattern[]): string | undefined =>
  patterns.find(({ regExp }) => regExp.test(url))?.text;

function presetInWords({ preset, url }: ScopeFacts, isIn: boolean): string {
  return `scope ${preset}: ${PRESETS[preset](url, isIn)}`;
}

const PRESETS: Record<ScopePreset, (url: string, isIn: boolean) => string> = {
  page: (_, isIn) => `it is ${isIn ? 'the' : 'no'} URL of a seed`,
  prefix: (url, isIn) =>
    `${pathOf(url).split('?', 1)[0]} is ${isIn ? "below a seed's folder" : "below no seed's folder"} on ${hostKey(url)}`,
  host: (url, isIn) => `the host ${hostKey(url)} is ${isIn ? '' : 'not '}a seed's`,
  domain: (url, isIn) => {
    const host = hostKey(url);
    return `the domain ${registrableDomain(host) ?? hostName(host)} is ${isIn ? '' : 'not '}a seed's`;
  },
  any: () => 'every URL belongs',
};
