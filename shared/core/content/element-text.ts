import type { ContentElement } from './content-element.ts';
import { fold } from './fold.ts';

/**
 * Returns the text in the element, white space folded. Looks at `maxNodes` elements and texts at most, and at
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
  for (let node = rest.pop(); node !== undefined && left > 0; node = rest.pop(), left--) {
    if (typeof node === 'string') pieces.push(node.slice(0, maxChars));
    else for (let i = Math.min(node.children.length, left) - 1; i >= 0; i--) rest.push(node.children[i]!);
  }
  return fold(pieces.join(' '));
}
