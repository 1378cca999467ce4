/** A page's requests to robots about itself, in `<meta name=robots>` and in X-Robots-Tag. */
export interface RobotsDirectives {
  /** Its links must not be followed. */
  readonly nofollow: boolean;
  /** It must not be shown in search results. */
  readonly noindex: boolean;
}

/** Reads a comma-separated list; `none` means both. Unknown directives are ignored. */
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

/** Directives that have a value behind a colon of their own: in X-Robots-Tag no robot's name. */
const HAS_VALUE = /^(?:unavailable_after|max-snippet|max-image-preview|max-video-preview)$/;

/**
 * Returns the directives of one X-Robots-Tag field that are for us: `noindex, otherbot: nofollow, none`. A robot's name
 * applies to the directives after it, up to the next name; directives before the first name are for all.
 */
export function ourDirectives(field: string, robotName: string | undefined): string {
  let isOurs = true;
  const ours: string[] = [];
  for (const part of field.toLowerCase().split(',')) {
    const [, name, value] = /^[\t ]*([^\t :]+)[\t ]*:(.*)$/s.exec(part) ?? [];
    const isName = name !== undefined && !HAS_VALUE.test(name);
    if (isName) isOurs = name === robotName || name === 'robots' || name === '*';
    if (isOurs) ours.push(isName ? value! : part);
  }
  return ours.join(',');
}
