import { type Handler, Parser, type ParserOptions } from 'htmlparser2';
import { tagNameAt } from './tag-names.ts';
import { WholeTokenizer } from './whole-tokenizer.ts';

/** Elements around each other. Browsers nest no deeper. */
export const MAX_DEPTH = 512;

/** Parts of htmlparser2's parser that its type keeps to itself. */
interface ParserInside {
  /** The two lists are innermost first. */
  readonly stack: unknown[];
  readonly foreignContext: unknown[];
  readonly tokenizer: WholeTokenizer;
  readonly attribs: Record<string, string> | null;
  attribname: string;
  attribvalue: string;
  readTagName(start: number, end: number): string;
  getSlice(start: number, end: number): string;
  emitOpenTag(name: string): void;
  onattribname(start: number, end: number): void;
  onattribend(): void;
  end(html: string): void;
}

const ParserBase = Parser as unknown as new (
  handler: Partial<Handler>,
  options: ParserOptions,
) => ParserInside;

/**
 * A class and not a parser with methods put over its own: V8 then keeps each parser, and with it the elements of
 * its page, until a collection of the whole heap.
 */
class ShallowParser extends ParserBase {
  readonly #html: string;
  readonly #onForget: () => void;

  constructor(html: string, handler: Partial<Handler>, onForget: () => void, wanted: ReadonlySet<string>) {
    super(handler, { Tokenizer: WholeTokenizer, wanted } as unknown as ParserOptions);
    this.#html = html;
    this.#onForget = onForget;
  }

  override readTagName(start: number, end: number): string {
    // Inside SVG and MathML, names have capitals.
    if (this.foreignContext.length > 1) return super.readTagName(start, end);
    const name = tagNameAt(this.#html, start, end);
    return name === 'image' ? 'img' : name;
  }

  /** The document is written at once. */
  override getSlice(start: number, end: number): string {
    return this.#html.slice(start, end);
  }

  override onattribname(): void {
    this.attribname = this.tokenizer.attributeName;
  }

  override onattribend(): void {
    const { attribs, attribname } = this;
    if (attribs && !Object.hasOwn(attribs, attribname)) attribs[attribname] = this.attribvalue;
    this.attribvalue = '';
  }

  override emitOpenTag(name: string): void {
    super.emitOpenTag(name);
    if (this.foreignContext.length > MAX_DEPTH) this.foreignContext.pop();
    if (this.stack.length <= MAX_DEPTH) return;
    this.stack.pop();
    this.#onForget();
  }
}

/**
 * Calls `handler` with the tags and text of an HTML document, character references decoded. Linear in the
 * length of `html`: htmlparser2 searches and shifts the stacks of its open elements at each tag, so elements
 * around more than `MAX_DEPTH` others are forgotten: `onForget` is called, and their end tags are never
 * reported. Attributes whose names are not `wanted` are not reported either.
 */
export function parseShallow(
  html: string,
  handler: Partial<Handler> & Required<Pick<Handler, 'onopentag'>>,
  onForget: () => void,
  wanted: ReadonlySet<string>,
): void {
  new ShallowParser(html, handler, onForget, wanted).end(html);
}
