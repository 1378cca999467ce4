/**
 * The blocks of text of a document: paragraphs, headings, list items, cells, and what stands between them.
 */
import type { ContentElement } from './element-tree.ts';
import { measureText, type TextCounts } from './text-measure.ts';

/** A run of text that holds no line of its own. */
export interface TextBlock {
  /** The innermost element that begins a line. */
  readonly element: ContentElement;
  /** Its nodes: the element's children from `first` to before `end`. */
  readonly first: number;
  readonly end: number;
  /** White space folded. */
  readonly text: string;
  readonly words: number;
  readonly counts: TextCounts;
  /** Words inside links. */
  readonly linkWords: number;
}

/** Further blocks of a document are left out. */
export const MAX_BLOCKS = 20_000;

/** Returns the blocks in document order, those of elements that are not seen left out. */
export function textBlocks(root: ContentElement): TextBlock[] {
  const blocks: TextBlock[] = [];
  visit(root, false);
  return blocks;

  function visit(element: ContentElement, isInLink: boolean): void {
    const { children } = element;
    let first = 0;
    for (let i = 0; i <= children.length && blocks.length < MAX_BLOCKS; i++) {
      const child = children[i];
      if (child !== undefined && (typeof child === 'string' || isInline(child))) continue;
      const block = blockOf(element, first, i, isInLink);
      if (block) blocks.push(block);
      first = i + 1;
      if (child !== undefined && !child.isUnseen) visit(child, isInLink || child.name === 'a');
    }
  }
}

function blockOf(
  element: ContentElement,
  first: number,
  end: number,
  isInLink: boolean,
): TextBlock | undefined {
  const run: Run = { text: '', linkText: '' };
  for (let i = first; i < end; i++) gather(element.children[i]!, run, isInLink);
  run.text = fold(run.text);
  return run.text === '' ? undefined : new Block(element, first, end, run);
}

/** A class for the reason that `element-tree.ts` gives. */
class Block implements TextBlock {
  readonly element: ContentElement;
  readonly first: number;
  readonly end: number;
  readonly text: string;
  readonly words: number;
  readonly counts: TextCounts;
  readonly linkWords: number;

  constructor(element: ContentElement, first: number, end: number, { text, linkText }: Run) {
    this.element = element;
    this.first = first;
    this.end = end;
    this.text = text;
    this.counts = measureText(text);
    this.words = this.counts.words;
    this.linkWords = linkText === '' ? 0 : Math.min(this.words, measureText(linkText).words);
  }
}

interface Run {
  text: string;
  linkText: string;
}

function gather(node: ContentElement | string, run: Run, isLink: boolean): void {
  if (typeof node === 'string') {
    run.text += node;
    if (isLink) run.linkText += node;
    return;
  }
  if (node.isUnseen) return;
  if (node.name === 'br') run.text += ' ';
  for (const child of node.children) gather(child, run, isLink || node.name === 'a');
}

/** Whether it stands within a line. What is not seen ends no line. */
const isInline = (element: ContentElement): boolean =>
  element.isUnseen || element.name === 'br' || (element.isInline && !element.hasBlocks);

/** A single space is no run to replace: most white space is that, if not around the text. */
export const fold = (text: string): string => text.trim().replace(/ \s+|[^\S ]\s*/g, ' ');
