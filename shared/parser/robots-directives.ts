/** What a page asks of robots about itself, in `<meta name=robots>` and in X-Robots-Tag. */
export interface RobotsDirectives {
  /** Its links are not to be followed. */
  readonly nofollow: boolean;
  /** It is not to be shown in search results. */
  readonly noindex: boolean;
}

/** Reads a comma-separated list; `none` means both. Unknown directives are left aside. */
export function parseRobotsDirectives(content: string): RobotsDirectives {
  const directives = content.toLowerCase().split(/[\t\n\f\r ,]+/);
  const isNone = directives.includes('none');
  return {
    nofollow: isNone || directives.includes('nofollow'),
    noindex: isNone || directives.includes('noindex'),
  };
}

/** Directives add up: what one forbids no other allows. */
export function bothRobotsDirectives(one: RobotsDirectives, other: RobotsDirectives): RobotsDirectives {
  return { nofollow: one.nofollow || other.nofollow, noindex: one.noindex || other.noindex };
}
