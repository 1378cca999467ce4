/**
 * The blocks of text of a document: paragraphs, headings, list items, cells, and the text between them.
 */
import { codeText } from './code-text.ts';
import type { ContentElement } from './content-element.ts';
import { isPermalink } from './permalink.ts';
import { scriptText } from './script-text.ts';
import { readText, type SeenText, type TextCounts, WordHashes, wordsIn } from './text-measure.ts';

/** Nodes that follow one another within an element. */
export interface Run {
  readonly element: ContentElement;
  /** The element's children from `first` to before `end`. */
  readonly first: number;
  readonly end: number;
  /** Their text as readers see it: white space folded. */
  readonly text?: string;
}

/** A run of text that holds no line of its own. `element`: the innermost one that begins a line. */
export interface TextBlock extends Run {
  readonly text: string;
  readonly words: number;
  readonly counts: TextCounts;
  /** Words inside links. */
  readonly linkWords: number;
  readonly hashed: HashedWords;
}

/** Hashes of a block's words: `all.hashes[from..end)`. All blocks of a page share one list. */
export interface HashedWords {
  readonly all: WordHashes;
  readonly from: number;
  readonly end: number;
}

/** A run of pictures without text. */
export interface Picture extends Run {
  /** How many blocks stand before it. */
  readonly place: number;
  readonly figure: Figure | undefined;
}

/** A picture, table or code with its caption. */
export interface Figure {
  readonly element: ContentElement;
  /** Its blocks: `blocks[from..to)`. */
  readonly from: number;
  to: number;
}

export interface PageRuns {
  readonly blocks: readonly TextBlock[];
  readonly pictures: readonly Picture[];
  readonly figures: readonly Figure[];
}

/** Further blocks of a document are left out. */
export const MAX_BLOCKS = 20_000;

/** Returns the blocks in document order, those of elements that are not seen left out. */
export const textBlocks = (root: ContentElement): readonly TextBlock[] => pageRuns(root).blocks;

/** All in document order. */
export function pageRuns(root: ContentElement): PageRuns {
  const blocks: TextBlock[] = [];
  const pictures: Picture[] = [];
  const figures: Figure[] = [];
  const hashes = new WordHashes();
  visit(root, false, undefined);
  return { blocks, pictures, figures };

  function visit(element: ContentElement, isInLink: boolean, around: Figure | undefined): void {
    const { children } = element;
    let figure = around;
    if (figure === undefined && isFigure(element)) {
      figure = { element, from: blocks.length, to: 0 };
      figures.push(figure);
    }
    let first = 0;
    for (let i = 0; i <= children.length && blocks.length < MAX_BLOCKS; i++) {
      const child = children[i];
      if (child !== undefined && (typeof child === 'string' || isInline(child))) continue;
      if (i > first) addRun({ element, first, end: i }, isInLink, figure);
      first = i + 1;
      if (child === undefined) break;
      const isLink = isInLink || isLinkTo(child);
      if (child.whole === undefined) visit(child, isLink, figure);
      else addRun({ element: child, first: 0, end: child.children.length }, isLink, figure);
    }
    if (figure !== around) figure!.to = blocks.length;
  }

  function addRun(run: Run, isInLink: boolean, figure: Figure | undefined): void {
    const { element, first, end } = run;
    const gathered = noText(false);
    if (element.whole !== undefined) gather(element, gathered, isInLink);
    else for (let i = first; i < end; i++) gather(element.children[i]!, gathered, isInLink);
    const from = hashes.count;
    const seen = readText(gathered.text, hashes);
    if (seen.text !== '') {
      if (blocks.length < MAX_BLOCKS)
        blocks.push(new Block(run, seen, gathered, { all: hashes, from, end: hashes.count }));
    } else if (gathered.hasPicture && pictures.length < MAX_BLOCKS)
      pictures.push({ element, first, end, place: blocks.length, figure });
  }
}

/** Whether authors mark it as a figure, by the element or by a class from before there was one. */
export const isFigure = ({ name, attributes }: ContentElement): boolean =>
  name === 'figure' ||
  (name === 'div' && /(?:^|\s)(?:figure|wp-caption|thumbinner)(?:\s|$)/.test(attributes.class ?? ''));

/** A class for the reason that `element-tree.ts` gives. */
class Block implements TextBlock {
  readonly element: ContentElement;
  readonly first: number;
  readonly end: number;
  readonly text: string;
  readonly words: number;
  readonly counts: TextCounts;
  readonly linkWords: number;
  readonly hashed: HashedWords;

  constructor(
    { element, first, end }: Run,
    { text, counts }: SeenText,
    written: Gathered,
    hashed: HashedWords,
  ) {
    this.element = element;
    this.first = first;
    this.end = end;
    this.text = text;
    this.counts = counts;
    this.words = counts.words;
    this.linkWords = linkWordsOf(written, counts.words);
    this.hashed = hashed;
  }
}

/** Not all are links if a link is only a part of a word. */
function linkWordsOf({ text, linkText, hasHalfWord }: Gathered, words: number): number {
  if (linkText === '') return 0;
  if (linkText.length === text.length) return words;
  const linkWords = Math.min(words, wordsIn(linkText));
  return hasHalfWord && linkWords === words ? words - 1 : linkWords;
}

interface Gathered {
  text: string;
  linkText: string;
  /** The end of the text, at least two characters if it has them. */
  last: string;
  /** Whether the end of the text is in a link. */
  isLinked: boolean;
  /** Whether a link begins or ends within a word. */
  hasHalfWord: boolean;
  hasPicture: boolean;
  readonly isInScript: boolean;
}

const noText = (isInScript: boolean): Gathered => ({
  text: '',
  linkText: '',
  last: '',
  isLinked: false,
  hasHalfWord: false,
  hasPicture: false,
  isInScript,
});

function gather(node: ContentElement | string, run: Gathered, isLink: boolean): void {
  if (typeof node === 'string') {
    add(node, run, isLink);
    return;
  }
  const { name, whole, children } = node;
  if (node.isUnseen || isPermalink(node)) return;
  if (name === 'br') add(' ', run, false);
  else if (name === 'img' && whole === undefined) run.hasPicture ||= !isOnControl(node);
  else if (whole !== undefined) add(whole === 'code' ? codeText(node) : whole.text, run, isLink);
  else if ((name === 'sup' || name === 'sub') && !run.isInScript) {
    const inner = noText(true);
    for (const child of children) gather(child, inner, isLink);
    run.linkText += inner.linkText;
    add(scriptText(node, run.last, inner.text), run, false);
  } else for (const child of children) gather(child, run, isLink || isLinkTo(node));
}

function add(text: string, run: Gathered, isLink: boolean): void {
  if (text === '') return;
  if (isLink !== run.isLinked) {
    if (/[\p{L}\p{N}]$/u.test(run.last) && /^[\p{L}\p{N}]/u.test(text)) run.hasHalfWord = true;
    run.isLinked = isLink;
  }
  run.text += text;
  run.last = text.length > 1 ? text : run.last.slice(-1) + text;
  if (isLink) run.linkText += text;
}

/** Not the mark of a place that others link to, which stands around its heading, or is never closed. */
const isLinkTo = ({ name, attributes: { href, name: place, id } }: ContentElement): boolean =>
  name === 'a' && (href !== undefined || (place === undefined && id === undefined));

/** Whether it stands within a line. What is not seen ends no line. */
const isInline = ({ name, isUnseen, isInline, hasBlocks, whole }: ContentElement): boolean =>
  isUnseen || name === 'br' || (isInline && (!hasBlocks || typeof whole === 'object'));

/** Whether it is a picture on what one presses, such as that of a menu. */
export function isOnControl({ parent }: ContentElement): boolean {
  for (let up = parent, step = 0; up?.isInline && step < MAX_CONTROL_STEPS; up = up.parent, step++)
    if (up.name === 'label' || up.name === 'button') return true;
  return false;
}

const MAX_CONTROL_STEPS = 4;
