/** Finds the elements that are read as a whole, with all descendants: blocks of code and formulas. */
import { codeText, isGutterClass, isLineClass } from './code-text.ts';
import type { ContentElement } from './content-element.ts';
import { textOf } from './element-text.ts';
import { FORMULA_CLASS, findFormulas } from './formulas.ts';
import { languageOf } from './markdown-code.ts';
import { onceEach } from './once-each.ts';

export const CODE: ReadonlySet<string> = new Set(['pre', 'listing', 'xmp', 'plaintext', 'code']);
/** Code without `pre`: of Doxygen, SyntaxHighlighter, GitHub, highlight.js, Scribble. */
export const CODE_BOX =
  /(?:^|\s)(?:fragment|syntaxhighlighter|js-file-line-container|hljs-ln|RktBlk)(?=\s|$)/;
const EITHER_CLASS = /math|tex|formula|fragment|highlighter|js-file|hljs|RktBlk/i;
/** Elements beside code that may hold its line numbers, or the name of its language. */
const BESIDE: ReadonlySet<string> = new Set(['div', 'span']);
const MAX_BESIDE = 12;
const MAX_NUMBERS = 20_000;
const MAX_NUMBERS_CHARS = 6 * MAX_NUMBERS;
const MAX_NAME_CHARS = 20;
/** Elements between a `pre` of line numbers and its cell. */
const MAX_STEPS = 4;

export class WholeFinder {
  readonly #formulas: ContentElement[] = [];
  readonly #code: ContentElement[] = [];
  readonly #mayBeWhole = onceEach((classes) => EITHER_CLASS.test(classes));

  /** Takes the elements of a document in their order. */
  note(element: ContentElement): void {
    const { name, attributes } = element;
    if (CODE.has(name)) this.#code.push(element);
    else if (name === 'math') this.#formulas.push(element);
    else if (name === 'script') {
      if (!/^math\/tex/i.test(attributes.type ?? '')) return;
      element.isUnseen = false;
      this.#formulas.push(element);
    } else if (attributes.class !== undefined && this.#mayBeWhole(attributes.class)) {
      if (FORMULA_CLASS.test(attributes.class)) this.#formulas.push(element);
      else if (CODE_BOX.test(attributes.class)) this.#code.push(element);
    }
  }

  /** To be called at the end of the document. */
  find(): void {
    findFormulas(this.#formulas);
    for (const element of this.#code) if (isCode(element)) element.whole = 'code';
    for (const element of this.#code) {
      if (element.whole !== 'code' || element.name === 'code') continue;
      if (isLineNumbers(element)) element.isUnseen = true;
      else hideBeside(element);
    }
  }
}

function isCode(element: ContentElement): boolean {
  const { name, hasBlocks, hasFlow, children } = element;
  if (hasFlow) return false;
  if (name === 'code') return hasBlocks;
  if (CODE.has(name)) return true;
  const first = children.find((child) => typeof child === 'object');
  return name === 'table' || first?.name === 'table' || isOfLines(first);
}

const isLine = (node: ContentElement | string | undefined): boolean =>
  typeof node === 'object' && isLineClass(node.attributes.class);

/** Whether it is a line, or some lines that fold. */
const isOfLines = (node: ContentElement | string | undefined): boolean =>
  isLine(node) || (typeof node === 'object' && node.children.some(isLine));

/** Whether it is the column of numbers in front of the code. */
function isLineNumbers(code: ContentElement): boolean {
  let cell: ContentElement | undefined;
  let isMarked = isGutterClass(code.name, code.attributes.class);
  for (let up = code.parent, step = 0; up && step < MAX_STEPS && !cell; up = up.parent, step++) {
    isMarked ||= isGutterClass(up.name, up.attributes.class);
    if (up.name === 'td' || up.name === 'th') cell = up;
  }
  if (cell === undefined && !isMarked) return false;
  const text = codeText(code).trim();
  const cells = cell?.parent?.children.filter((child) => typeof child === 'object').length;
  return isCounting(text) && (isMarked || (cells === 2 && /\s/.test(text)));
}

function isCounting(text: string): boolean {
  if (!/^\d[\s\d]*$/.test(text)) return false;
  const numbers = text.split(/\s+/).map(Number);
  return numbers.every((number, i) => i === 0 || number === numbers[i - 1]! + 1);
}

/** Hides the line numbers and the name of the language beside code that has an element of its own: Markdown has the name in the fence. */
function hideBeside(code: ContentElement): void {
  const { children } = code.parent!;
  if (children.length > MAX_BESIDE) return;
  let isBefore = true;
  for (const child of children) {
    if (child === code) isBefore = false;
    else if (typeof child === 'object' && BESIDE.has(child.name) && isBeside(child, code, isBefore))
      child.isUnseen = true;
  }
}

function isBeside(element: ContentElement, code: ContentElement, isBefore: boolean): boolean {
  if (isGutterClass(element.name, element.attributes.class))
    return isCounting(textOf(element, MAX_NUMBERS, MAX_NUMBERS_CHARS));
  const [only] = element.children;
  if (!isBefore || element.children.length !== 1 || typeof only !== 'string') return false;
  const name = only.trim().toLowerCase();
  return name !== '' && name.length <= MAX_NAME_CHARS && name === languageOf(code);
}
