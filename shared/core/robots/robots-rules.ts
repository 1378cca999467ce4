/** The rules of a robots.txt as data. */
export interface RobotsRule {
  readonly allow: boolean;
  /** In the form compared (`pattern.ts`): printable ASCII without spaces. */
  readonly pattern: string;
  /** Where it is in robots.txt, from 1. */
  readonly line: number;
}

/**
 * A statement about the use of content below a path: of robots.txt, or of a file about the use of the site's content
 * (`usage-files.ts`).
 */
export interface UsageRule {
  readonly signal: 'content-usage' | 'content-signal' | 'license' | 'tdm-reservation' | 'tdm-policy' | 'rsl';
  /** In the form compared; `/` if the URL has no path. */
  readonly pattern: string;
  readonly value: string;
}

/** The rules of robots.txt for one crawler. Plain data; at most `MAX_ROBOTS_BYTES` of lines went into it. */
export interface RobotsRules {
  /** The longest pattern first, of equally long ones those that allow: the first that matches decides. */
  readonly rules: readonly RobotsRule[];
  /** As written, however long; of several the longest. Not in RFC 9309. */
  readonly crawlDelayMs?: number;
  /** As written, perhaps relative to robots.txt; each once. They belong to no group. */
  readonly sitemaps: readonly string[];
  /** The longest pattern first: of Content-Usage the first that matches applies. Absent if there is none. */
  readonly usage?: readonly UsageRule[];
}
