/** Patterns of robots.txt as plainly as can be, apart from the crawler's own `robots/pattern.ts`. */

/** RFC 9309, section 2.2.3: a star is any run, a final `$` the end; else the path begins with the pattern. */
export function matchesNaively(pattern: string, path: string): boolean {
  if (pattern === '') return true;
  if (pattern === '$') return path === '';
  if (pattern[0] !== '*') return pattern[0] === path[0] && matchesNaively(pattern.slice(1), path.slice(1));
  for (let at = 0; at <= path.length; at++) if (matchesNaively(pattern.slice(1), path.slice(at))) return true;
  return false;
}
