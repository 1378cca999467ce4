/**
 * Robots rules as text, to be kept in a host's head or a part: a first line `1` or `1 <crawl delay in ms>`,
 * then one line a rule, `+` (allow) or `-` and its line in robots.txt (base 36), a space, its pattern, in
 * order of precedence, and one line a sitemap, `s` and its URL. Rules with preferences about the use of content
 * begin with `2`, which earlier versions of the program do not read, and have one line for each: `u`, `g` or `l`
 * (Content-Usage, Content-Signal, License), its pattern, a space, its value. What a file about the use of content states
 * begins with `3`, and has the letters `t`, `p` and `r` (tdm-reservation, tdm-policy, rsl). Equal rules give equal text.
 */
import type { RobotsRule, RobotsRules, UsageRule } from './robots-rules.ts';

const SIGNALS: Readonly<Record<string, UsageRule['signal']>> = {
  u: 'content-usage',
  g: 'content-signal',
  l: 'license',
  t: 'tdm-reservation',
  p: 'tdm-policy',
  r: 'rsl',
};
const IN_FILES = new Set<UsageRule['signal']>(['tdm-reservation', 'tdm-policy', 'rsl']);
const LETTERS = new Map(Object.entries(SIGNALS).map(([letter, signal]) => [signal, letter]));

export function encodeRules({ rules, crawlDelayMs, sitemaps, usage = [] }: RobotsRules): string {
  const version = usage.some(({ signal }) => IN_FILES.has(signal)) ? '3' : usage.length > 0 ? '2' : '1';
  const lines = [crawlDelayMs === undefined ? version : `${version} ${crawlDelayMs}`];
  for (const { allow, line, pattern } of rules)
    lines.push(`${allow ? '+' : '-'}${line.toString(36)} ${pattern}`);
  for (const sitemap of sitemaps) lines.push(`s${sitemap}`);
  for (const { signal, pattern, value } of usage) lines.push(`${LETTERS.get(signal)}${pattern} ${value}`);
  return lines.join('\n');
}

/**
 * The rules that {@link encodeRules} wrote; undefined for text of another version: fetch robots.txt again.
 */
export function decodeRules(text: string): RobotsRules | undefined {
  const [first = '', ...lines] = text.split('\n');
  const header = /^[123](?: (\d+))?$/.exec(first);
  if (header === null) return undefined;
  const rules: RobotsRule[] = [];
  const sitemaps: string[] = [];
  const usage: UsageRule[] = [];
  for (const line of lines) {
    const space = line.indexOf(' ');
    const signal = SIGNALS[line.charAt(0)];
    if (line.startsWith('s')) sitemaps.push(line.slice(1));
    else if (signal) usage.push({ signal, pattern: line.slice(1, space), value: line.slice(space + 1) });
    else {
      rules.push({
        allow: line.startsWith('+'),
        pattern: line.slice(space + 1),
        line: Number.parseInt(line.slice(1, space), 36),
      });
    }
  }
  return {
    rules,
    ...(header[1] !== undefined && { crawlDelayMs: Number(header[1]) }),
    sitemaps,
    ...(usage.length > 0 && { usage }),
  };
}
