import type { ContentElement } from './content-element.ts';
import { fold } from './fold.ts';
import { isPermalink } from './permalink.ts';

/** At an element that a style sheet may set apart: a word that begins with a capital is another one than that before. */
const ENDS_LOW = /\p{Ll}$/u;
const BEGINS_HIGH = /^\p{Lu}/u;

/**
 * Returns the text in the element, white space folded: words are apart where a line ends, and none of what readers do not see. Looks at `maxNodes` elements and texts at most, and at
 * `maxChars` characters of each text: nested elements would be read again and again otherwise.
 */
export function textOf(
  element: ContentElement,
  maxNodes = Number.POSITIVE_INFINITY,
  maxChars = Number.POSITIVE_INFINITY,
): string {
  const pieces: string[] = [];
  const rest: (ContentElement | string)[] = [element];
  let left = maxNodes;
  let last = '';
  for (let node = rest.pop(); node !== undefined && left > 0; node = rest.pop(), left--) {
    if (typeof node === 'string') {
      if (BEGINS_HIGH.test(node) && ENDS_LOW.test(last.slice(-2))) pieces.push(' ');
      last = node.slice(0, maxChars);
      pieces.push(last);
    } else if (node === element || !(node.isUnseen || isPermalink(node))) {
      if (!node.isInline || node.name === 'br') {
        pieces.push(' ');
        last = '';
        if (node !== element) rest.push(' ');
      }
      for (let i = Math.min(node.children.length, left) - 1; i >= 0; i--) rest.push(node.children[i]!);
    }
  }
  return fold(pieces.join(''));
}
