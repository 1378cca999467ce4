/**
 * Path patterns of robots.txt (RFC 9309, sections 2.2.2 and 2.2.3): the one form in which patterns and paths
 * are compared, and the comparison.
 *
 * In that form a text is ASCII without spaces: unreserved characters bare, reserved ones as they were written
 * (`/` and `%2F` differ), every other octet as `%XX` in upper case. `*` and `$` are special in patterns only,
 * so in a path, and where a pattern means them literally, they stand as `%2A` and `%24`.
 */

/**
 * Matches text that needs no work: unreserved and reserved characters (RFC 3986, section 2.2) except `*` and
 * `$`.
 */
const PLAIN = /^[\w\-.~:/?#[\]@!&'()+,;=]*$/;
const NOT_PLAIN = /%[\dA-Fa-f]{2}|[^\w\-.~:/?#[\]@!&'()+,;=]/g;
const UNRESERVED = /[\w\-.~]/;
const NOT_ASCII = /[\u0080-\uffff]/;

const STAR = 0x2a;

/** A pattern as written, one character an octet, in the form compared. */
export function normalPattern(octets: string): string {
  const anchored = octets.endsWith('$');
  const text = anchored ? octets.slice(0, -1) : octets;
  return text.split('*').map(normalOctets).join('*') + (anchored ? '$' : '');
}

/** Path and query of a URL in the form compared. An empty path is `/`. */
export function normalPath(pathAndQuery: string): string {
  const rooted = pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`;
  return normalOctets(NOT_ASCII.test(rooted) ? Buffer.from(rooted, 'utf8').toString('latin1') : rooted);
}

function normalOctets(octets: string): string {
  return PLAIN.test(octets) ? octets : octets.replace(NOT_PLAIN, normalOctet);
}

function normalOctet(written: string): string {
  const isEscape = written.length === 3;
  const octet = isEscape ? Number.parseInt(written.slice(1), 16) : written.charCodeAt(0);
  const character = String.fromCharCode(octet);
  if (isEscape && UNRESERVED.test(character)) return character;
  return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Comparisons of two characters that may still be made. A match takes what it used, and may overdraw. */
export interface StepBudget {
  left: number;
}

/**
 * Whether `path` begins with what `pattern` describes, both in normal form: `*` is any run of characters, a
 * final `$` the path's end. Greedy with one point of return (the latest `*`), since an earlier one never
 * helps: at most path x pattern steps whatever the number of stars, about the path's length for patterns that
 * people write. When the budget runs out the answer is false and means nothing.
 */
export function matchesPattern(pattern: string, path: string, budget: StepBudget): boolean {
  const anchored = pattern.endsWith('$');
  const end = anchored ? pattern.length - 1 : pattern.length;
  let left = budget.left;
  let at = 0;
  let inPath = 0;
  let afterStar = -1;
  let starFrom = 0;
  let matched = false;
  while (left-- > 0) {
    if (at === end) {
      matched = !anchored || inPath === path.length;
      if (matched) break;
    } else {
      const wanted = pattern.charCodeAt(at);
      if (wanted === STAR) {
        afterStar = ++at;
        starFrom = inPath;
        matched = at === end;
        if (matched) break;
        continue;
      }
      // A longer run for the star would leave still less of the path.
      if (inPath === path.length) break;
      if (wanted === path.charCodeAt(inPath)) {
        at++;
        inPath++;
        continue;
      }
    }
    if (afterStar < 0) break;
    // Tried again where the character after the star stands next: three times as fast on real patterns.
    starFrom = path.indexOf(pattern.charAt(afterStar), starFrom + 1);
    if (starFrom < 0) break;
    at = afterStar;
    inPath = starFrom;
  }
  budget.left = left;
  return matched;
}
