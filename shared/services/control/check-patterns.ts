/**
 * Checks the patterns `include` and `exclude` of a request: workers that crawls share match each link against
 * each of them.
 */
import { type CrawlOptions, InvalidConfig } from '../../core/crawl/config.ts';
import { compilePatterns } from '../../core/crawl/scope-patterns.ts';
import { quoted } from '../../core/text/printable.ts';
import { ControlError } from './control.ts';
import { patternCost } from './pattern-cost.ts';

const KEYS = ['include', 'exclude'] as const;
const MAX_PATTERNS = 1000;
const MAX_PATTERN_LENGTH = 2000;
/** Limit for all patterns together, by {@link patternCost}: some 1 to 10 ms for the worst URL. */
const MAX_COST = 2e7;

/**
 * Throws {@link ControlError} for patterns that are none, or that may hold up a worker. `maxUrlLength`: that of the crawl, if it
 * names none.
 */
export function checkPatterns(
  given: Pick<CrawlOptions, (typeof KEYS)[number] | 'overrides' | 'maxUrlLength'>,
  maxUrlLength: number,
): void {
  const length = given.maxUrlLength ?? maxUrlLength;
  let cost = 0;
  // A host may be meant by all of them: their costs add up.
  const places = [
    { at: 'config', ...given },
    ...(given.overrides ?? []).map((override, i) => ({ at: `config.overrides.${i}`, ...override })),
  ];
  for (const place of places)
    for (const key of KEYS) {
      const patterns = place[key] ?? [];
      if (patterns.length > MAX_PATTERNS)
        throw refusal(
          `${place.at}.${key}`,
          `Expected ${place.at}.${key} to have at most ${MAX_PATTERNS} items, got ${patterns.length}`,
        );
      for (const [i, pattern] of patterns.entries()) {
        const field = `${place.at}.${key}.${i}`;
        if (pattern.length > MAX_PATTERN_LENGTH)
          throw refusal(field, `Expected ${field} to have at most ${MAX_PATTERN_LENGTH} characters`);
        checkSyntax(key, pattern, `${place.at}.${key}`);
        cost += patternCost(pattern, length);
        if (cost > MAX_COST)
          throw refusal(
            field,
            `${field}: ${quoted(pattern)} may take too long on some URL, by itself or with those before it. Where it has ` +
              'a lookahead, a backreference or a count beyond 16, it must repeat no repetition and no choice, and have ' +
              'few long repetitions, fewer still without a `^` at its beginning',
          );
      }
    }
}

const refusal = (field: string, message: string) => new ControlError('invalid', message, field);

function checkSyntax(key: (typeof KEYS)[number], pattern: string, field: string): void {
  try {
    compilePatterns(key, [pattern]);
  } catch (cause) {
    if (!(cause instanceof InvalidConfig)) throw cause;
    throw refusal(field, `${field}: ${cause.message}`);
  }
}
