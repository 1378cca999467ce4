/** Text within a line, as Markdown (CommonMark 0.31, with GFM's strikethrough; `sup` and `sub` as HTML). */
import { escapeLineStart, escapeMarkdown, escapeNoteMark, linkDestination } from '../text/markdown-text.ts';
import { withoutUnseen } from '../text/unseen-characters.ts';
import { isPlace } from '../url/hash-route.ts';
import { isOnControl } from './blocks.ts';
import { codeRuns, holdsLink, isOrHoldsLink } from './code-links.ts';
import { codeText } from './code-text.ts';
import type { ContentElement, Formula } from './content-element.ts';
import { foldWithin } from './fold.ts';
import { formulaMarkdown } from './formulas.ts';
import { codeSpan, joinPieces, type Piece } from './markdown-pieces.ts';
import { isPermalink } from './permalink.ts';
import { pictureOf } from './pictures.ts';

const MARKS: Readonly<Record<string, string>> = {
  strong: '**',
  b: '**',
  em: '*',
  i: '*',
  var: '*',
  dfn: '*',
  cite: '*',
  del: '~~',
  s: '~~',
  strike: '~~',
};
/** How marks are kept in a text of those that are open: `*` is a part of `**`. */
const OPEN: Readonly<Record<string, string>> = { '**': '**', '*': '_', '~~': '~' };
const CODE: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'tt']);
const SCRIPTS: ReadonlySet<string> = new Set(['sup', 'sub']);
/** Longer references are data, not addresses. */
const MAX_URL = 2000;

type Node = ContentElement | string;

export interface InlineOptions {
  /** Marks that stand around the line. */
  readonly open?: string;
  /** Whether the next text does not begin a line: it is in a heading or a cell. */
  readonly isWithin?: boolean;
  readonly isHeading?: boolean;
}

type Resolve = (reference: string) => string | undefined;

/**
 * Renders nodes as one line; `resolve` makes a reference absolute, or gives undefined for a reference that is neither a
 * page nor an image.
 */
export function inlineMarkdown(
  nodes: readonly Node[],
  resolve: Resolve,
  { open = '', isWithin = false }: InlineOptions = {},
): string {
  const writer = new LineWriter(resolve, false);
  const line = writer.render(nodes, open);
  // Whether a `$` opens a formula is known at the end.
  return tidy(writer.hasFormula ? new LineWriter(resolve, true).render(nodes, open) : line, isWithin);
}

/** As {@link inlineMarkdown}, for a text alone, its white space folded. */
export const textMarkdown = (text: string, { isWithin = false }: InlineOptions): string =>
  tidyLine(escapeMarkdown(text), isWithin);

class LineWriter {
  hasFormula = false;
  readonly #resolve: Resolve;
  readonly #escapesPrices: boolean;
  /** Whether a picture was written, and no text since. */
  #isBehindPicture = false;

  constructor(resolve: Resolve, escapesPrices: boolean) {
    this.#resolve = resolve;
    this.#escapesPrices = escapesPrices;
  }

  /** `around`: the marks that are open. */
  render(nodes: readonly Node[], around: string): string {
    const pieces: Piece[] = [];
    for (const node of nodes) this.#add(node, around, pieces);
    return joinPieces(pieces);
  }

  #add(node: Node, around: string, pieces: Piece[]): void {
    if (typeof node === 'string') {
      const text = foldWithin(withoutUnseen(node));
      if (text.trim() !== '') this.#isBehindPicture = false;
      pieces.push(escapeMarkdown(text, this.#escapesPrices));
      return;
    }
    const { name, children, whole } = node;
    if (isTask(node)) pieces.push(node.attributes.checked === undefined ? '[ ] ' : '[x] ');
    if (node.isUnseen || isPermalink(node)) return;
    const mark = MARKS[name];
    if (name === 'br') pieces.push('\n');
    else if (typeof whole === 'object') pieces.push(this.#formula(whole));
    else if (name === 'img') pieces.push(isOnControl(node) ? '' : this.#image(node));
    else if (CODE.has(name)) this.#code(node, pieces);
    else if (SCRIPTS.has(name) && !around.includes(`<${name}>`))
      pieces.push(script(name, this.render(children, `${around}<${name}>`)));
    else if (name === 'a') this.#link(node, around, pieces);
    else if (mark !== undefined && !around.includes(OPEN[mark]!))
      pieces.push(...marked(mark, this.render(children, around + OPEN[mark]!)));
    else for (const child of children) this.#add(child, around, pieces);
  }

  /** Its links are kept: the code falls into pieces there. */
  #code(code: ContentElement, pieces: Piece[]): void {
    if (!holdsLink(code)) {
      pieces.push({ mark: '`', text: withoutUnseen(codeText(code)) });
      return;
    }
    for (const { text, href } of codeRuns(code)) {
      const url = href === undefined || text.trim() === '' ? undefined : linkUrl(href, this.#resolve);
      if (url === undefined) pieces.push({ mark: '`', text });
      else pieces.push(...linked(codeSpan(text), url));
    }
  }

  #formula(found: Formula): Piece {
    const written = formulaMarkdown(found);
    if (written === undefined) return { mark: '`', text: found.text };
    this.hasFormula = true;
    return { mark: '$', text: written };
  }

  /** A link within it ends it, as in browsers. */
  #link({ children, attributes: { href } }: ContentElement, around: string, pieces: Piece[]): void {
    const url = href === undefined ? undefined : linkUrl(href, this.#resolve);
    const inner = url === undefined ? 0 : children.findIndex(isOrHoldsLink);
    const end = inner < 0 ? children.length : inner;
    if (url !== undefined) pieces.push(...linked(this.render(children.slice(0, end), around), url));
    for (const child of children.slice(end)) this.#add(child, around, pieces);
  }

  #image(element: ContentElement): string {
    const { alt, reference } = pictureOf(element);
    const url = reference === undefined ? undefined : destination(reference, this.#resolve);
    if (url === undefined || alt === undefined) return '';
    // The picture in front of it, for those without scripts.
    if (this.#isBehindPicture && isInNoscript(element)) return '';
    this.#isBehindPicture = true;
    return `![${escapeNoteMark(escapeMarkdown(alt))}](${url})`;
  }
}

/** The destination of a link, as Markdown writes it; undefined for a place in the page itself. */
export const linkUrl = (href: string, resolve: Resolve): string | undefined =>
  isPlace(href) ? undefined : destination(href, resolve);

function destination(reference: string, resolve: Resolve): string | undefined {
  const url = resolve(reference);
  return url === undefined || url.length > MAX_URL ? undefined : linkDestination(url);
}

function linked(text: string, url: string): string[] {
  const [before, core, after] = aroundBlanks(text);
  return core === '' ? [text] : [before, `[${escapeNoteMark(core.replaceAll('\n', ' '))}](${url})`, after];
}

/** Each line has marks of its own. */
function marked(mark: string, inner: string): Piece[] {
  if (!inner.includes('\n')) return markedLine(mark, inner);
  return inner.split('\n').flatMap((line, i) => {
    const pieces = markedLine(mark, line);
    return i === 0 ? pieces : ['\n', ...pieces];
  });
}

function markedLine(mark: string, line: string): Piece[] {
  const [before, core, after] = aroundBlanks(line);
  return core === '' ? [line] : [before, { mark, text: core }, after];
}

function script(name: string, inner: string): string {
  const text = inner.replaceAll('\n', ' ').trim();
  return text === '' ? inner : `<${name}>${text}</${name}>`;
}

/** Whether it is the box of a list of tasks (GFM), which readers cannot press: a form has others. */
const isTask = ({ name, attributes, parent }: ContentElement): boolean =>
  name === 'input' &&
  attributes.disabled !== undefined &&
  attributes.type?.toLowerCase() === 'checkbox' &&
  (parent?.name === 'li' || parent?.parent?.name === 'li');

function isInNoscript({ parent }: ContentElement): boolean {
  for (let up = parent, step = 0; up && step < 3; up = up.parent, step++)
    if (up.name === 'noscript') return true;
  return false;
}

function aroundBlanks(text: string): [string, string, string] {
  const core = text.trim();
  if (core === '') return [text, '', ''];
  const start = text.indexOf(core);
  return [text.slice(0, start), core, text.slice(start + core.length)];
}

/**
 * Blanks folded; line breaks that the author wanted as CommonMark writes them; nothing that would begin
 * another block.
 */
function tidy(text: string, isWithin: boolean): string {
  if (!text.includes('\n')) return tidyLine(text, isWithin);
  return text
    .split('\n')
    .map((line) => tidyLine(line, isWithin))
    .filter((line) => line !== '')
    .join('  \n');
}

function tidyLine(line: string, isWithin: boolean): string {
  const folded = (line.includes('  ') ? line.replace(/ {2,}/g, ' ') : line).trim();
  return isWithin ? folded : escapeLineStart(folded);
}
