/**
 * robots.txt as a plain crawler reads it, from the text: apart from `robots.ts`, which judges from the plan.
 */
import { matchesNaively } from './naive-pattern.ts';

export interface NaiveRules {
  readonly crawlDelayMs: number;
  allows(path: string): boolean;
}

export function readRobots(text: string, agent: string): NaiveRules {
  const groups: { agents: string[]; rules: { isAllow: boolean; pattern: string }[]; delay: number }[] = [];
  let wasAgent = false;
  for (const line of text.split('\n')) {
    const [, field = '', value = ''] = /^\s*([\w-]+)\s*:\s*(\S*)/.exec(line) ?? [];
    const name = field.toLowerCase();
    if (name === 'user-agent') {
      if (!wasAgent) groups.push({ agents: [], rules: [], delay: 0 });
      groups.at(-1)?.agents.push(value.toLowerCase());
    } else if (name === 'crawl-delay') groups.at(-1)!.delay = Number(value) * 1000;
    else if ((name === 'allow' || name === 'disallow') && value !== '')
      groups.at(-1)?.rules.push({ isAllow: name === 'allow', pattern: value });
    if (name !== '') wasAgent = name === 'user-agent';
  }
  const group =
    groups.find(({ agents }) => agents.includes(agent)) ?? groups.find(({ agents }) => agents.includes('*'));
  const longestFirst = (group?.rules ?? []).toSorted(
    (a, b) => b.pattern.length - a.pattern.length || (a.isAllow ? -1 : 1),
  );
  return {
    crawlDelayMs: group?.delay ?? 0,
    allows: (path) => longestFirst.find(({ pattern }) => matchesNaively(pattern, path))?.isAllow ?? true,
  };
}
