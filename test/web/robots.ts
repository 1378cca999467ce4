/**
 * robots.txt of the generated hosts: the rules as data, their text, and a judgement of our own (RFC 9309).
 */
import { page, type Resource, redirect } from './resource.ts';

export interface Group {
  /** Product tokens, or `*`. */
  readonly agents: readonly string[];
  readonly rules: readonly (readonly ['allow' | 'disallow', pattern: string])[];
  /** Seconds. */
  readonly crawlDelay?: number;
}

/**
 * The kinds of answers to a request for /robots.txt. `missing` (404) and `forbidden` (403) allow all (RFC
 * 9309 section 2.3.1.3), `down` (5xx forever) forbids all (2.3.1.4), `flaky` does until it is fine, `moved`
 * and `movedAway` redirect, within the host and to a host that serves nothing else (2.3.1.2).
 */
export type RobotsKind = 'rules' | 'missing' | 'forbidden' | 'moved' | 'movedAway' | 'flaky' | 'down';

export interface RobotsPlan {
  readonly kind: RobotsKind;
  readonly groups: readonly Group[];
}

/** Requests that a `flaky` robots.txt fails before it is there. */
export const ROBOTS_FAILURES = 2;

const KINDS: readonly RobotsKind[] = [
  'rules',
  'rules',
  'missing',
  'moved',
  'rules',
  'flaky',
  'down',
  'rules',
  'forbidden',
  'movedAway',
];

/** The plan of the `index`-th host: every kind comes once in ten hosts, rules first. */
export function robotsPlan(index: number, crawlDelay: boolean): RobotsPlan {
  const kind = KINDS[index % KINDS.length]!;
  const delay = crawlDelay && index % 3 === 1 ? { crawlDelay: (1 + (index % 5)) / 100 } : {};
  const everyone: Group = {
    agents: ['*'],
    rules: [
      ['disallow', '/private/'],
      ['allow', '/private/open/'],
      ['disallow', '/*.cgi$'],
    ],
    ...delay,
  };
  const groups: Group[] = [everyone, { agents: ['GreedyBot', 'other-bot'], rules: [['disallow', '/']] }];
  // Named groups replace the one for everyone: here the crawler of this project may read /private/, not
  // /deep/.
  if (index % 7 === 4)
    groups.push({
      agents: ['strand'],
      rules: [
        ['disallow', '/deep'],
        ['allow', '/deep/a/b/c/p1'],
      ],
      ...delay,
    });
  return { kind, groups };
}

/** Whether `agent` (a product token) may request `path` (with its query) once robots.txt is known. */
export function isAllowed(plan: RobotsPlan, agent: string, path: string): boolean {
  if (plan.kind === 'down') return false;
  if (!hasRules(plan)) return true;
  let best = -1;
  let allowed = true;
  for (const group of groupsFor(plan, agent))
    for (const [verdict, pattern] of group.rules) {
      if (!matches(pattern, path) || pattern.length < best) continue;
      allowed = verdict === 'allow' || (pattern.length === best && allowed);
      best = pattern.length;
    }
  return allowed;
}

/** Returns the crawl delay that the host requests of `agent`, in milliseconds. */
export function crawlDelayMs(plan: RobotsPlan, agent: string): number {
  if (!hasRules(plan)) return 0;
  return 1000 * Math.max(0, ...groupsFor(plan, agent).map((group) => group.crawlDelay ?? 0));
}

/** Where a host's rules are in the end, or the URL whose answer (404, 403, 5xx) replaces them. */
export function robotsEnd(plan: RobotsPlan, origin: string): string {
  if (plan.kind === 'moved') return `${origin}/rules/robots.txt`;
  return plan.kind === 'movedAway' ? `${robotsOrigin(origin)}/robots.txt` : `${origin}/robots.txt`;
}

/** The origin that serves the robots.txt of a `movedAway` host, and nothing else. */
export function robotsOrigin(origin: string): string {
  return origin.replace('://', '://robots.');
}

/** Returns the resource at `url`, if it is one of the URLs of the host's robots.txt. */
export function robotsResource(plan: RobotsPlan, origin: string, url: string): Resource | undefined {
  const end = robotsEnd(plan, origin);
  if (url === end) {
    const file = page('robots', [], { contentType: 'text/plain', body: robotsText(plan) });
    if (plan.kind === 'missing') return page('missing', [], { status: 404 });
    if (plan.kind === 'forbidden') return page('forbidden', [], { status: 403 });
    if (plan.kind === 'down') return page('down', [], { status: 503 });
    return plan.kind === 'flaky' ? { ...file, flaky: { times: ROBOTS_FAILURES, status: 503 } } : file;
  }
  return url === `${origin}/robots.txt` ? redirect(302, end, end) : undefined;
}

export function robotsText(plan: RobotsPlan): string {
  const lines = ['# Generated.'];
  for (const group of plan.groups) {
    lines.push('', ...group.agents.map((agent) => `User-agent: ${agent}`));
    for (const [verdict, pattern] of group.rules)
      lines.push(`${verdict === 'allow' ? 'Allow' : 'Disallow'}: ${pattern}`);
    if (group.crawlDelay !== undefined) lines.push(`Crawl-delay: ${group.crawlDelay}`);
  }
  return `${lines.join('\n')}\n`;
}

function hasRules(plan: RobotsPlan): boolean {
  return plan.kind !== 'missing' && plan.kind !== 'forbidden' && plan.kind !== 'down';
}

function groupsFor(plan: RobotsPlan, agent: string): readonly Group[] {
  const named = plan.groups.filter((group) =>
    group.agents.some((token) => token.toLowerCase() === agent.toLowerCase()),
  );
  return named.length > 0 ? named : plan.groups.filter((group) => group.agents.includes('*'));
}

const compiled = new Map<string, RegExp>();

function matches(pattern: string, path: string): boolean {
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    const parts = pattern.replace(/\$$/, '').split('*');
    const quoted = parts.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*');
    expression = new RegExp(`^${quoted}${pattern.endsWith('$') ? '$' : ''}`, 's');
    compiled.set(pattern, expression);
  }
  return expression.test(path);
}
