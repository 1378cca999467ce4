import { BLOCKS } from '../parser/block-elements.ts';
import { withoutUnseen } from '../text/unseen-characters.ts';
import type { ContentElement } from './content-element.ts';
import { fold } from './fold.ts';
import { scriptText } from './script-text.ts';

type Attributes = Readonly<Record<string, string>>;

/**
 * Returns the visible text of a document, white space folded: no scripts, styles, titles or hidden elements; a blank
 * where a block, a cell or a line begins. Exponents, notes and formulas are written as in the main content, formulas
 * without TeX more simply. Linear in what the element holds.
 */
export function visibleText(root: ContentElement): string {
  const reader = new TextReader();
  for (const child of root.children) reader.read(child);
  return fold(withoutUnseen(reader.pieces.join('')));
}

class TextReader {
  readonly pieces: string[] = [];
  /** The outermost `sup` or `sub` that is open, and where its text begins. */
  #script: { readonly element: ContentElement; readonly from: number } | undefined;
  #link: Attributes | undefined;
  /** Where the open formula begins, and its TeX. */
  #formula: { readonly from: number; texFrom?: number } | undefined;
  /** The open elements of the formula, each with the number of its children so far. */
  readonly #parts: { readonly name: string; children: number }[] = [];

  read(node: ContentElement | string): void {
    if (typeof node === 'string') this.pieces.push(node);
    else if (!UNSEEN.has(node.name) && !isHidden(node.attributes)) {
      this.#open(node.name, node.attributes);
      for (const child of node.children) this.read(child);
      this.#close(node.name);
    }
  }

  #open(name: string, attributes: Attributes): void {
    if (BLOCKS.has(name)) this.pieces.push(' ');
    else if (name === 'a') this.#openLink(attributes);
    else if (name === 'math') this.#formula ??= { from: this.pieces.length };
    else if ((name === 'sup' || name === 'sub') && this.#script === undefined)
      this.#script = { element: elementOf(name, attributes, this.#link), from: this.pieces.length };
    if (this.#formula !== undefined) this.#openPart(name, attributes);
  }

  #close(name: string): void {
    if (this.#formula !== undefined) this.#parts.pop();
    if (BLOCKS.has(name)) this.pieces.push(' ');
    else if (name === 'a') this.#link = undefined;
    else if (name === 'math') this.#endFormula();
    else if (name === this.#script?.element.name) this.#endScript();
  }

  #openLink(attributes: Attributes): void {
    this.#link = attributes;
    this.#script?.element.children.push(elementOf('a', attributes, undefined));
  }

  #openPart(name: string, { encoding = '' }: Attributes): void {
    const parent = this.#parts.at(-1);
    const mark = parent && ++parent.children === 2 ? MARKS.get(parent.name) : undefined;
    if (mark !== undefined) this.pieces.push(mark);
    if (name === 'annotation' && /tex$/i.test(encoding)) this.#formula!.texFrom ??= this.pieces.length;
    this.#parts.push({ name, children: 0 });
  }

  #endFormula(): void {
    const { from, texFrom } = this.#formula ?? { from: this.pieces.length };
    if (texFrom !== undefined) this.pieces.splice(from, texFrom - from);
    this.#formula = undefined;
    this.#parts.length = 0;
  }

  #endScript(): void {
    const { element, from } = this.#script!;
    this.#script = undefined;
    const inner = this.pieces.splice(from).join('');
    const before = this.pieces
      .slice(-3)
      .map((piece) => piece.slice(-2))
      .join('');
    this.pieces.push(scriptText(element, before, inner));
  }
}

/** The signs between the two parts. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ['msup', '^'],
  ['msub', '_'],
  ['mfrac', '/'],
]);

const elementOf = (name: string, attributes: Attributes, link: Attributes | undefined) =>
  ({
    ...{ name, attributes, children: [] as ContentElement[] },
    parent: link && { name: 'a', attributes: link },
  }) as unknown as ContentElement;

/** Readers see a formula of MathML and its repetition once. */
const TWIN = /(?:^|\s)(?:katex-html|MathJax_Preview|MJX_Assistive_MathML)(?:\s|$)/;

function isHidden(attributes: Attributes): boolean {
  return (
    attributes.hidden !== undefined ||
    (attributes.style !== undefined && /display\s*:\s*none/i.test(attributes.style)) ||
    (attributes.class !== undefined && TWIN.test(attributes.class))
  );
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const UNSEEN = names(
  'script style noscript template title textarea select datalist object audio video canvas iframe noframes noembed mjx-math',
);
