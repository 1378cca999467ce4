/** Each host's robots.txt, and what it allows: judged from the plan, not from the text. */
import { matchesNaively } from '../../test/web/naive-pattern.ts';
import { type Chance, DRAW } from './chance.ts';
import type { WebHost } from './hosts.ts';
import type { Usage } from './usage.ts';

export interface RulesPlan {
  /** None: robots.txt is not there (404), and all is allowed. */
  readonly rules?: readonly PlannedRule[];
  readonly crawlDelayMs?: number;
  /** `max-age` of Cache-Control, if there is one. */
  readonly maxAgeSeconds?: number;
}

export interface PlannedRule {
  readonly isAllow: boolean;
  readonly pattern: string;
}

export interface Rules {
  /** Which of the host's versions is there so long after the web's beginning. */
  versionAt(host: WebHost, age: number): number;
  planOf(host: WebHost, version: number): RulesPlan;
  allows(host: WebHost, version: number, path: string): boolean;
  /** Whether the version forbids each use of the path that a site can forbid. */
  forbidsUse(host: WebHost, version: number, path: string): boolean;
  textOf(host: WebHost, version: number): string;
}

const FORBIDDEN = [
  '/private/',
  '/p/*1.html$',
  '/p/*.html$',
  '/*.php',
  '/*sort=',
  '/a/*/deep/',
  '/list?page=',
  '/c-x/',
  '/missing',
  '/cal/*-',
  '/hop/',
  '/*/b/*0.html$',
];
const ALLOWED = ['/private/a/', '/*2.html$', '/shop/item-1', '/list?page=2', '/a/b/', '/$'];
const HOUR_MS = 3_600_000;
/** A robots.txt is used for at least five minutes, and for a day by default. */
const PERIODS = [HOUR_MS / 4, HOUR_MS, 3 * HOUR_MS];
const MAX_AGES = [0, 300, 600, 900];

/** `namedBy`: the sitemaps that a host's robots.txt names. */
export function createRules(
  chance: Chance,
  usage: Usage,
  namedBy: (host: WebHost) => readonly string[],
): Rules {
  function planOf(host: WebHost, version: number): RulesPlan {
    const random = chance.stream(DRAW.robots, host.number, version + 1);
    const { kind } = host;
    const crawlDelayMs = 500 * (1 + Math.floor(random() ** 3 * 40));
    const hasAge = random() < (kind === 'robotsChanging' ? 0.8 : 0.1);
    const maxAgeSeconds = hasAge ? MAX_AGES[Math.floor(random() * MAX_AGES.length)] : undefined;
    if (kind === 'ordinary' && random() < 0.5) return {};
    if (kind === 'closed') return { rules: CLOSED, maxAgeSeconds };
    const isRuled = kind === 'forbidding' || kind.startsWith('robots') || (kind === 'trap' && random() < 0.3);
    const hasDelay = kind === 'delaying' || (kind.startsWith('robots') && random() < 0.3);
    return {
      rules: isRuled ? drawRules(random) : [],
      maxAgeSeconds,
      ...(hasDelay && { crawlDelayMs }),
    };
  }

  return {
    planOf,
    versionAt(host, age) {
      if (host.kind !== 'robotsChanging') return 0;
      const at = chance.at(DRAW.robots, host.number);
      return Math.floor(age / (PERIODS[Math.floor(at * PERIODS.length)] as number));
    },
    allows(host, version, path) {
      if (path === '/robots.txt') return true;
      let longest: PlannedRule | undefined;
      for (const rule of planOf(host, version).rules ?? []) {
        const isLonger = !longest || rule.pattern.length > longest.pattern.length;
        const isEqual = rule.pattern.length === longest?.pattern.length;
        if ((isLonger || (isEqual && rule.isAllow)) && matchesNaively(rule.pattern, path)) longest = rule;
      }
      return longest?.isAllow ?? true;
    },
    forbidsUse(host, version, path) {
      const forbidden = usage.ofRobots(host);
      return (
        forbidden !== undefined && planOf(host, version).rules !== undefined && path.startsWith(forbidden)
      );
    },
    textOf(host, version) {
      const { rules = [], crawlDelayMs } = planOf(host, version);
      const random = chance.stream(DRAW.robots, host.number, -1);
      const sitemaps = namedBy(host);
      return write(rules, { crawlDelayMs, forbiddenUse: usage.ofRobots(host), sitemaps }, random());
    },
  };
}

/** All but a few pages. */
const CLOSED: readonly PlannedRule[] = [
  { isAllow: false, pattern: '/' },
  { isAllow: true, pattern: '/p/' },
];

function drawRules(random: () => number): PlannedRule[] {
  const draw = (from: readonly string[], count: number, isAllow: boolean): PlannedRule[] =>
    Array.from({ length: count }, () => ({
      isAllow,
      pattern: from[Math.floor(random() * from.length)] as string,
    }));
  return [
    ...draw(FORBIDDEN, 1 + Math.floor(random() * 4), false),
    ...draw(ALLOWED, Math.floor(random() * 3), true),
  ];
}

/** The value of `Content-Usage` that forbids the uses that a crawl of this web may make. */
export const FORBIDDEN_USES = 'search=n, train-ai=n';

interface WrittenRules {
  readonly crawlDelayMs?: number;
  readonly forbiddenUse?: string;
  readonly sitemaps: readonly string[];
}

/** Groups of others and comments are there for reading past them. */
function write(
  rules: readonly PlannedRule[],
  { crawlDelayMs, forbiddenUse, sitemaps }: WrittenRules,
  way: number,
): string {
  const end = way < 0.3 ? '\r\n' : '\n';
  const lines = rules.map(({ isAllow, pattern }) => `${isAllow ? 'Allow' : 'Disallow'}: ${pattern}`);
  const delay = crawlDelayMs === undefined ? [] : [`Crawl-delay: ${crawlDelayMs / 1000}`];
  const usage = forbiddenUse === undefined ? [] : [`Content-Usage: ${forbiddenUse} ${FORBIDDEN_USES}`];
  const ours = ['User-agent: *', ...delay, ...(lines.length > 0 ? lines : ['Disallow:']), ...usage];
  const others = [
    'User-agent: OtherBot',
    'Crawl-delay: 77',
    'Disallow: /',
    `Content-Usage: ${FORBIDDEN_USES}`,
  ];
  // They belong to no group, wherever they stand.
  const named = sitemaps.map((url, i) => `${i === 0 ? 'Sitemap' : 'sitemap '}: ${url}`);
  const groups = way < 0.5 ? [...others, '', ...ours] : [...ours, '', ...others];
  const lists = way < 0.2 ? [...named, ...groups] : [...groups, ...named];
  return ['# Rules of this host', ...lists, ''].join(end);
}
