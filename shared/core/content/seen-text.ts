import { MAX_BLOCKS, textBlocks } from './blocks.ts';
import { textOf } from './element-text.ts';
import { MAX_ELEMENTS, parseElements } from './element-tree.ts';
import { MAX_CHARS } from './extract.ts';

/**
 * Returns the title and all text that a reader sees, a line for each block: navigation and footers too. Linear in the
 * page's length, up to the limits of `extractContent`.
 */
export function seenText(html: string): { readonly text: string; readonly isTruncated: boolean } {
  const elements = parseElements(html.slice(0, MAX_CHARS));
  const blocks = textBlocks(elements[0]!);
  const title = elements.find(({ name, parent }) => name === 'title' && parent?.name !== 'svg');
  const lines = [...(title ? [textOf(title)] : []), ...blocks.map(({ text }) => text)];
  return {
    text: lines.filter((line) => line !== '').join('\n'),
    isTruncated: html.length > MAX_CHARS || elements.length >= MAX_ELEMENTS || blocks.length >= MAX_BLOCKS,
  };
}
