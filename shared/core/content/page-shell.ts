/** Pages whose content is made by scripts. */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';

/** "You need to enable JavaScript to run this app", "Loading ...": no more text than this. */
const MAX_TEXT_CHARS = 200;

/** Whether a page has scripts, hardly any text, no links, and an empty element for what its scripts make. */
export function isShell(elements: readonly ContentElement[], blocks: readonly TextBlock[]): boolean {
  let chars = 0;
  for (const { text } of blocks) {
    chars += text.length;
    if (chars > MAX_TEXT_CHARS) return false;
  }
  let hasScript = false;
  let hasPlace = false;
  for (const { name, attributes, children, isUnseen, parent } of elements) {
    if (name === 'a' && attributes.href !== undefined) return false;
    hasScript ||= name === 'script';
    const mayHold = name === 'div' || name === 'main' || name.includes('-');
    hasPlace ||= mayHold && !isUnseen && parent !== undefined && children.every(isBlank);
  }
  return hasScript && hasPlace;
}

const isBlank = (node: ContentElement | string): boolean => typeof node === 'string' && node.trim() === '';
