/**
 * Robots rules as text, to be kept in a host's head or a part: a first line `1` or `1 <crawl delay in ms>`,
 * then one line a rule, `+` (allow) or `-` and its line in robots.txt (base 36), a space, its pattern, in
 * order of precedence, and one line a sitemap, `s` and its URL. A preference about the use of content has a line, too: a
 * letter (`u` Content-Usage, `g` Content-Signal, `l` License, and of files about the use of content `t` tdm-reservation,
 * `p` tdm-policy, `r` rsl), its pattern, a space, its value. Equal rules give equal text.
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
const LETTERS = new Map(Object.entries(SIGNALS).map(([letter, signal]) => [signal, letter]));

export function encodeRules({ rules, crawlDelayMs, sitemaps, usage = [] }: RobotsRules): string {
  const lines = [crawlDelayMs === undefined ? '1' : `1 ${crawlDelayMs}`];
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
  const header = /^1(?: (\d+))?$/.exec(first);
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
