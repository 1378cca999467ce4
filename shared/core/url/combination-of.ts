import { parameterName, pathTemplateOf } from './template-of.ts';

/** A URL that combines values or words: perhaps a shop's filter over filters. */
export interface Combination {
  /**
   * The groups that it belongs to: `/shop?*&*`, or `/shop/*+*` for words of a path. The smaller group comes
   * first.
   */
  readonly groups: readonly [string, string];
  /** `name=value` for each value. Empty for words of a path. */
  readonly parts: readonly string[];
  /** The name of each part. */
  readonly names: readonly string[];
}

/** Parts that are looked at. */
const MAX_PARTS = 64;
/** Matches parameters that only number the pages of a list. */
export const PAGING = /^(?:p|pg|page|paged|page_?no|page_?num(?:ber)?|seite|offset|start|skip)$/i;
const NUMBER = /^\d+$/;
/** Between several values of one parameter. */
const SEPARATOR = /,|\||%2C|%7C/i;
const MANY = /&|,|\||%2C|%7C/i;

/**
 * Returns the combination in the query of a canonical URL: two or more parameters, or one with several
 * values. Undefined if it has one value at most, ignoring page numbers.
 */
export function combinationOf(url: string): Combination | undefined {
  const mark = url.indexOf('?', 8);
  if (mark < 0) return undefined;
  const query = url.slice(mark + 1);
  if (!MANY.test(query)) return undefined;
  const parts: string[] = [];
  const names: string[] = [];
  for (const parameter of query.split('&', MAX_PARTS)) {
    if (parameter === '') continue;
    const name = parameterName(parameter);
    const equals = parameter.indexOf('=');
    const value = equals < 0 ? parameter : parameter.slice(equals + 1);
    if (PAGING.test(name) && NUMBER.test(value)) continue;
    for (const one of value.split(SEPARATOR, MAX_PARTS - parts.length)) {
      names.push(name);
      parts.push(`${name}=${one}`);
    }
    if (parts.length >= MAX_PARTS) break;
  }
  if (parts.length < 2) return undefined;
  const path = pathTemplateOf(url);
  return { groups: [path + ANY, `${path.slice(0, path.lastIndexOf('/') + 1)}*${ANY}`], parts, names };
}

const ANY = '?*&*';

/**
 * Returns the combination in the path of a canonical URL without a query, if its last two words may be two of
 * a set: for `/red/large/` the host knows `/large/`, too, and `/large/red/`. The latter is not requested with
 * `inOneOrder`. `wants`: whether a group matters; called before `isKnown`.
 */
export function pathCombinationOf(
  url: string,
  isKnown: (url: string) => boolean,
  {
    inOneOrder = false,
    wants = () => true,
  }: { inOneOrder?: boolean; wants?: (group: string) => boolean } = {},
): Combination | undefined {
  if (url.includes('?', 8)) return undefined;
  const from = url.indexOf('/', 8);
  const end = url.endsWith('/') ? url.length - 1 : url.length;
  const second = separatorBefore(url, end);
  const before = separatorBefore(url, second);
  if (before < from) return undefined;
  const first = url.slice(before + 1, second);
  const last = url.slice(second + 1, end);
  // Two numbers are a date or a position in a list.
  if (first === '' || last === '' || NUMBER.test(first) || NUMBER.test(last)) return undefined;
  const top = url.indexOf('/', from + 1);
  const large = top < 0 || top > before ? from : top;
  const below = url.indexOf('/', large + 1);
  const small = below < 0 || below > before ? large : below;
  const groups = [`${url.slice(from, small + 1)}${WORDS}`, `${url.slice(from, large + 1)}${WORDS}`] as const;
  if (!groups.some(wants)) return undefined;
  const prefix = url.slice(0, before + 1);
  const isMixed =
    isKnown(prefix + last + url.slice(end)) &&
    (inOneOrder || (first !== last && isKnown(prefix + last + url[second] + first + url.slice(end))));
  return isMixed ? { groups, parts: [], names: [] } : undefined;
}

const WORDS = '*+*';

/** Where the last `/`, `+` or `,` before `end` stands, or -1: words of a path stand between them. */
function separatorBefore(url: string, end: number): number {
  for (let at = end - 1; at >= 0; at--) {
    const code = url.charCodeAt(at);
    if (code === SLASH || code === PLUS || code === COMMA) return at;
  }
  return -1;
}

const SLASH = 0x2f;
const PLUS = 0x2b;
const COMMA = 0x2c;
