import { PAGING } from './combination-of.ts';
import { pathOf } from './host-key.ts';
import { parameterName } from './template-of.ts';

/** Further paths under which sites show their front page. */
const FRONT_PAGE = /^\/(?:(?:index|default|home|main|start|welcome)(?:\.[a-z]{1,5})?\/?)?$/i;
/** Names of the front page that a template writes for each page. */
const NAMED_FRONT_PAGE = /^\/(?:(?:index|default)\.[a-z]{1,5})?$/i;
/** A script, whose pages differ in nothing but their queries. */
const SCRIPT = /\.(?:php\d?|aspx?|jsp|cgi|pl|cfm)$/i;
/** `page=2` and `/page/2`. More digits are not a page number. */
const NUMBER = /^\d{1,9}$/;
const NUMBERED_PATH = /\/(?:p|pg|page|seite)[/-]?(\d{1,9})$/i;

/**
 * Whether a page's canonical URL is one of three frequent mistakes of templates, so that the page is not a copy: all
 * pages of a site name the front page; all pages of a list or of a long text name the first one; or all pages of a
 * script name the script itself, without the `id` of the page. (Google Search Central, "5 common mistakes with
 * rel=canonical", 2013, has the second one: what the later pages hold would be found nowhere.) Both URLs in canonical
 * form.
 */
export function isMistakenCanonical(page: string, canonical: string): boolean {
  const path = pathOf(page);
  const mark = path.indexOf('?');
  const isFront = FRONT_PAGE.test(mark < 0 ? path : path.slice(0, mark));
  if (NAMED_FRONT_PAGE.test(pathOf(canonical)) && !isFront) return true;
  if (losesId(page, canonical)) return true;
  const own = placeInList(page);
  const named = placeInList(canonical);
  return own.number > 1 && named.number <= 1 && own.list === named.list;
}

/** Whether the URLs are those of one script, and the canonical one alone lacks the `id`. */
function losesId(page: string, canonical: string): boolean {
  const [script, query] = splitQuery(page);
  const [named, namedQuery] = splitQuery(canonical);
  return named === script && SCRIPT.test(script) && ID.test(query) && !ID.test(namedQuery);
}

const ID = /(?:^|&)id=[^&]/i;

function splitQuery(url: string): readonly [string, string] {
  const mark = url.indexOf('?', 8);
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** `list`: the URL without the number of its page and without a slash at the end of its path. `number`: 1 if it has none. */
function placeInList(url: string): { readonly list: string; readonly number: number } {
  let number = 1;
  const mark = url.indexOf('?', 8);
  const query = mark < 0 ? [] : url.slice(mark + 1).split('&');
  const others = query.filter((parameter) => {
    const value = parameter.slice(parameter.indexOf('=') + 1);
    if (!PAGING.test(parameterName(parameter)) || !NUMBER.test(value)) return true;
    number = Math.max(number, Number(value));
    return false;
  });
  let path = withoutSlash(mark < 0 ? url : url.slice(0, mark));
  const numbered = NUMBERED_PATH.exec(path);
  if (numbered !== null) {
    number = Math.max(number, Number(numbered[1]));
    path = withoutSlash(path.slice(0, numbered.index));
  }
  return { list: [path, ...others].join('&'), number };
}

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);
