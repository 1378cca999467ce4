/** The lines of code whose lines are elements, as `innerText` gives them (HTML standard, section 3.2.7), without line numbers. */
import type { ContentElement } from './content-element.ts';
import { scriptText } from './script-text.ts';

/** Classes of line numbers, in highlighters. Their `number` is one in the code. */
const GUTTER = /(?:^|[\s_-])(?:gutter|linenos?|linenodiv|line[-_]?num(?:ber)?s?|ln|lnt|lntd)(?=$|[\s\d_-])/i;
/** Classes of cells of line numbers. */
const NUMBERS = /(?:^|[\s_-])(?:lines|num|numbers?|rownum)(?=$|[\s\d_-])/i;
/** Classes of a line. */
const LINE = /(?:^|[\s_-])(?:line|row|loc)(?=$|[\s\d_-])/i;
const NO_TEXT = /^(?:table|tbody|thead|tfoot|tr)$/;
const CELLS: ReadonlySet<string> = new Set(['td', 'th']);

export const isGutterClass = (name: string, classes: string | undefined): boolean =>
  classes !== undefined && (GUTTER.test(classes) || (CELLS.has(name) && NUMBERS.test(classes)));
export const isLineClass = (classes: string | undefined): boolean =>
  classes !== undefined && LINE.test(classes);

/** Linear in what the element holds. */
export function codeText(element: ContentElement): string {
  const text = new CodeWriter(false).textOf(element);
  if (text.trim().includes('\n')) return text;
  // Lines that only a style sheet shows as such.
  return new CodeWriter(true).textOf(element);
}

class CodeWriter {
  readonly #pieces: string[] = [];
  /** The last two characters. */
  #last = '';
  /** Whether the next text begins a line. */
  #breaks = false;
  /** Pieces up to the last one that is more than digits and blanks. */
  #solid = 0;
  /** Whether blanks between elements are shown. */
  #isPreformatted = true;
  readonly #areSpansLines: boolean;
  readonly #isInScript: boolean;

  constructor(areSpansLines: boolean, isInScript = false) {
    this.#areSpansLines = areSpansLines;
    this.#isInScript = isInScript;
  }

  textOf(element: ContentElement): string {
    this.#isPreformatted = element.name !== 'div' && element.name !== 'table';
    this.#children(element);
    return this.#pieces.join('');
  }

  #add(text: string): void {
    if (text === '') return;
    if (this.#breaks && this.#last !== '' && !this.#last.endsWith('\n')) this.#pieces.push('\n');
    this.#breaks = false;
    this.#pieces.push(text);
    this.#last = text.length > 1 ? text.slice(-2) : this.#last.slice(-1) + text;
    if (/[^\s\d.:|]/.test(text)) this.#solid = this.#pieces.length;
  }

  #children(element: ContentElement): void {
    const { children } = element;
    // Blanks there are none of the code's.
    const isAroundLines = NO_TEXT.test(element.name) || (!this.#isPreformatted && element.hasBlocks);
    for (let i = 0; i < children.length; i++) {
      const child = children[i]!;
      if (typeof child !== 'string') this.#element(child, i);
      else if (!isAroundLines || child.trim() !== '') this.#add(child);
    }
  }

  #element(element: ContentElement, place: number): void {
    const { name, isUnseen } = element;
    if (isUnseen) return;
    if (name === 'br') {
      this.#add('\n');
      return;
    }
    if ((name === 'sup' || name === 'sub') && !this.#isInScript) {
      const inner = new CodeWriter(false, true).textOf(element);
      this.#add(scriptText(element, this.#last, inner));
      return;
    }
    if (isGutter(element)) {
      const { length } = this.#pieces;
      const [last, breaks] = [this.#last, this.#breaks];
      this.#children(element);
      if (this.#solid <= length) {
        // Numbers alone.
        this.#pieces.length = length;
        this.#last = last;
        this.#breaks = breaks;
      }
      return;
    }
    if (CELLS.has(name)) {
      if (!this.#breaks && this.#last !== '' && !this.#last.endsWith('\n')) this.#add('\t');
      this.#children(element);
      return;
    }
    if (!this.#isLine(element)) {
      this.#children(element);
      return;
    }
    const before = this.#pieces.length;
    this.#breaks = true;
    this.#children(element);
    if (this.#pieces.length === before && isOneOfLines(element, place)) this.#add('\n');
    this.#breaks = true;
  }

  #isLine({ isInline, attributes }: ContentElement): boolean {
    return !isInline || (this.#areSpansLines && isLineClass(attributes.class));
  }
}

const isGutter = ({ name, attributes }: ContentElement): boolean =>
  attributes['aria-hidden'] === 'true' || isGutterClass(name, attributes.class);

/** Whether the element before or behind it is of the same kind: an empty one is an empty line then. */
function isOneOfLines({ name, attributes, parent }: ContentElement, place: number): boolean {
  const siblings = parent!.children;
  return [-2, -1, 1, 2].some((step) => {
    const other = siblings[place + step];
    return typeof other === 'object' && other.name === name && other.attributes.class === attributes.class;
  });
}
