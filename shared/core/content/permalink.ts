/** Links to a place of the page itself that stand beside it and do not count as its text. */
import type { ContentElement } from './content-element.ts';
import { FOR_SCREEN_READERS } from './tags.ts';

/**
 * Whether it is a sign, or a picture of one, that links to the heading or the term in front of it, or from a note back to its mark; or a link
 * to a place of the page that is for those with a pointer alone, or has a name for screen readers alone.
 */
export function isPermalink({ name, attributes, children }: ContentElement): boolean {
  if (name !== 'a') return false;
  if (attributes['aria-hidden'] === 'true' && attributes.href?.startsWith('#') === true) return true;
  const [only] = children;
  if (attributes.href?.startsWith('#') === true && isNamedForReaders(children)) return true;
  if (children.length !== 1) return children.some(isPermalinkPicture) && children.every(isBlankOrPicture);
  if (typeof only !== 'string') return isPermalinkPicture(only);
  return SIGN.test(only.trim()) && attributes.href?.startsWith('#') === true;
}

/** Whether its text is for screen readers alone, beside a sign that is drawn. */
function isNamedForReaders(children: ContentElement['children']): boolean {
  if (children.length > 5) return false;
  let has = false;
  for (const child of children) {
    if (isDrawn(child)) continue;
    if (!isForReaders(child)) return false;
    has = true;
  }
  return has;
}

const isForReaders = (node: ContentElement | string): boolean =>
  typeof node === 'object' && FOR_SCREEN_READERS.test(node.attributes.class ?? '');

const isDrawn = (node: ContentElement | string): boolean =>
  typeof node === 'string'
    ? node.trim() === ''
    : node.isUnseen || node.attributes['aria-hidden'] === 'true' || node.children.length === 0;

/** `#`, a section sign, a pilcrow, a diamond; arrows back or up. */
const SIGN = /^(?:[#\u00a7\u00b6\u25c6\u2191\u2934]|\u21a9[\ufe0e\ufe0f]?)$/;

const isPermalinkPicture = (node: ContentElement | string | undefined): boolean =>
  typeof node === 'object' && node.name === 'img' && /^permalink$/i.test(node.attributes.alt?.trim() ?? '');

const isBlankOrPicture = (node: ContentElement | string): boolean =>
  typeof node === 'string' ? node.trim() === '' : node.name === 'img';
