/** Which elements of a page a browser does not show, by the page alone: external style sheets and scripts are not read. */
import type { ContentElement } from './content-element.ts';
import { hidesByStyle, hidingSelectors } from './hiding-styles.ts';
import { isStreamedPart } from './streamed-parts.ts';

/** Elements that browsers show with scripts switched off, or never before something opens them. */
const CLOSED: ReadonlySet<string> = new Set(['noscript', 'noembed', 'rp', 'param']);
/** Classes for text that screen readers alone are given, and those by which frameworks hide. */
const HIDING_CLASS =
  /^(?:sr-only|visually-?hidden|screen-?reader-text|screen-?reader-only|offscreen|d-none|hidden|invisible)$/i;
/** `md:block`, `d-md-block`: shown again on a screen that is wide enough. */
const SHOWN_AGAIN = /^(?:[\w-]{1,20}:[\w-]{1,30}|d-(?:sm|md|lg|xl|xxl)-[\w-]{1,30})$/;
const MAX_PANELS = 10_000;

/**
 * Returns a function that says whether an element is hidden. Panels that a tab of the page opens count as shown. Linear in
 * the page's length.
 */
export function createHiddenCheck(html: string): (element: ContentElement) => boolean {
  const selectors = hidingSelectors(html);
  const panels = panelsOfTabs(html);
  const mayHaveFormulas = html.includes('MathJax');
  return ({ name, attributes }) => {
    const { id = '', role, class: classes } = attributes;
    if (CLOSED.has(name)) return true;
    if (name === 'script') return !mayHaveFormulas;
    if (name === 'dialog' && attributes.open === undefined) return true;
    if (attributes['aria-hidden']?.trim().toLowerCase() === 'true' || attributes.popover !== undefined)
      return true;
    if (role === 'tabpanel' && panels.has(id)) return false;
    if (attributes.hidden !== undefined) return !isMovedByScript(html, id);
    if (attributes.style !== undefined && hidesByStyle(attributes.style)) return true;
    if (id !== '' && (selectors.has(`#${id}`) || selectors.has(`${name}#${id}`))) return true;
    return classes !== undefined && isHiddenByClass(name, classes);
  };

  function isHiddenByClass(name: string, classes: string): boolean {
    const tokens = classes.slice(0, 2000).split(/\s+/);
    if (tokens.some((token) => selectors.has(`.${token}`) || selectors.has(`${name}.${token}`))) return true;
    return (
      tokens.some((token) => HIDING_CLASS.test(token)) && !tokens.some((token) => SHOWN_AGAIN.test(token))
    );
  }
}

const isMovedByScript = (html: string, id: string): boolean =>
  isStreamedPart(id) && html.includes(`"B:${id.slice(2)}","${id}"`);

/** The ids of elements that something of the page controls. */
function panelsOfTabs(html: string): ReadonlySet<string> {
  const panels = new Set<string>();
  for (const [, id = ''] of html.matchAll(/\baria-controls\s{0,3}=\s{0,3}["']?([\w:.-]{1,200})/gi)) {
    if (panels.size >= MAX_PANELS) break;
    panels.add(id);
  }
  return panels;
}
