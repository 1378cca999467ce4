/**
 * Robots rules as text, to be kept in a host's head or a part: a first line `1` or `1 <crawl delay in ms>`,
 * then one line a rule, `+` (allow) or `-` and its line in robots.txt (base 36), a space, its pattern, in
 * order of precedence, and one line a sitemap, `s` and its URL. Equal rules give equal text.
 */
import type { RobotsRule, RobotsRules } from './robots-rules.ts';

const VERSION = '1';

export function encodeRules({ rules, crawlDelayMs, sitemaps }: RobotsRules): string {
  const lines = [crawlDelayMs === undefined ? VERSION : `${VERSION} ${crawlDelayMs}`];
  for (const { allow, line, pattern } of rules)
    lines.push(`${allow ? '+' : '-'}${line.toString(36)} ${pattern}`);
  for (const sitemap of sitemaps) lines.push(`s${sitemap}`);
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
  for (const line of lines) {
    if (line.startsWith('s')) sitemaps.push(line.slice(1));
    else {
      const space = line.indexOf(' ');
      rules.push({
        allow: line.startsWith('+'),
        pattern: line.slice(space + 1),
        line: Number.parseInt(line.slice(1, space), 36),
      });
    }
  }
  return { rules, ...(header[1] === undefined ? {} : { crawlDelayMs: Number(header[1]) }), sitemaps };
}
