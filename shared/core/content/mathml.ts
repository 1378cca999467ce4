/** MathML (MathML Core) as TeX, and as a line of plain text. */
import type { ContentElement } from './content-element.ts';

export interface WrittenFormula {
  readonly tex: string;
  /** `(a+b)/2`, `x^(n+1)`, `sqrt(x)`. */
  readonly text: string;
}

type Node = ContentElement | string;
const EMPTY: WrittenFormula = { tex: '', text: '' };

/** Elements whose content is not shown, or says the same again. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'annotation',
  'annotation-xml',
  'mphantom',
  'mprescripts',
  'none',
]);
const TEX_MARKS = /[#$%&_{}]/g;
/** Operators between two terms. */
const INFIX =
  /^[=+\u2212\u00b1\u00d7<>\u2264\u2265\u2260\u2248\u2261\u2208\u2209\u2282\u2286\u222a\u2229\u2192\u21d2\u21d4\u27f6\u2190\u2194\u223c\u221d]$/;
/** Function application, invisible times, separator and plus. */
const INVISIBLE = /[\u2061-\u2064]/g;

/** A formula with more characters, or a tenth of it in elements, is its text alone. */
const MAX_SIZE = 20_000;

/** Work and result are bounded. */
export function writeMathml(math: ContentElement): WrittenFormula {
  if (restOf(math, MAX_SIZE) > 0) return write(math);
  return leaf(textIn(math).slice(0, MAX_SIZE));
}

/** Returns the rest of `size`. */
function restOf(node: Node, size: number): number {
  if (typeof node === 'string') return size - node.length;
  let left = size - 10;
  for (const child of node.children) if (left > 0) left = restOf(child, left);
  return left;
}

interface Layout {
  /** The parts that such an element has; those that it lacks are empty. */
  readonly parts: number;
  readonly tex: (parts: readonly string[]) => string;
  readonly text: (parts: readonly string[]) => string;
}

const SUB_AND_SUPER: Layout = {
  parts: 3,
  tex: ([a, b, c]) => `${base(a!)}_{${b}}^{${c}}`,
  text: ([a, b, c]) => `${a}_${grouped(b!)}^${grouped(c!)}`,
};
const LINE: Layout = { parts: 0, tex: (cells) => cells.join(' & '), text: (cells) => cells.join(', ') };
const FENCED = (all: readonly string[]) => `(${all.join(', ')})`;

/** Elements with parts that are not simply in a row. */
const LAYOUTS: ReadonlyMap<string, Layout> = new Map<string, Layout>([
  [
    'mfrac',
    { parts: 2, tex: ([a, b]) => `\\frac{${a}}{${b}}`, text: ([a, b]) => `${grouped(a!)}/${grouped(b!)}` },
  ],
  ['mroot', { parts: 2, tex: ([a, b]) => `\\sqrt[${b}]{${a}}`, text: ([a, b]) => `root(${a}, ${b})` }],
  ['msup', { parts: 2, tex: ([a, b]) => `${base(a!)}^{${b}}`, text: ([a, b]) => `${a}^${grouped(b!)}` }],
  ['msub', { parts: 2, tex: ([a, b]) => `${base(a!)}_{${b}}`, text: ([a, b]) => `${a}_${grouped(b!)}` }],
  ['msubsup', SUB_AND_SUPER],
  ['munderover', SUB_AND_SUPER],
  [
    'munder',
    { parts: 2, tex: ([a, b]) => `\\underset{${b}}{${a}}`, text: ([a, b]) => `${a}_${grouped(b!)}` },
  ],
  ['mover', { parts: 2, tex: ([a, b]) => `\\overset{${b}}{${a}}`, text: ([a, b]) => `${a}^${grouped(b!)}` }],
  ['mfenced', { parts: 0, tex: FENCED, text: FENCED }],
  [
    'mtable',
    {
      parts: 0,
      tex: (rows) => `\\begin{matrix} ${rows.join(' \\\\ ')} \\end{matrix}`,
      text: (rows) => `[${rows.join('; ')}]`,
    },
  ],
  ['mtr', LINE],
  ['mlabeledtr', LINE],
]);

function write(node: Node): WrittenFormula {
  if (typeof node === 'string') return leaf(node.replace(/\s+/g, ' '));
  const { name, children } = node;
  if (LEFT_OUT.has(name)) return EMPTY;
  const layout = LAYOUTS.get(name);
  if (layout !== undefined) return laidOut(node, layout);
  switch (name) {
    case 'mi':
    case 'mn':
    case 'mo':
      return token(node);
    case 'mtext':
    case 'ms': {
      const text = textIn(node);
      return text.trim() === '' ? leaf(' ') : { tex: `\\text{${escapeTex(text)}}`, text };
    }
    case 'mspace':
      return leaf(' ');
    case 'semantics':
      return write(children.find((child) => typeof child === 'object') ?? '');
    case 'msqrt': {
      const { tex, text } = row(children);
      return { tex: `\\sqrt{${tex}}`, text: `sqrt(${text})` };
    }
    default:
      return row(children);
  }
}

const leaf = (text: string): WrittenFormula => ({ tex: escapeTex(text), text });

function row(nodes: readonly Node[]): WrittenFormula {
  // Blanks between elements are none of the formula's.
  const written = nodes.filter((node) => typeof node !== 'string' || node.trim() !== '').map(write);
  return { tex: written.map(({ tex }) => tex).join(''), text: written.map(({ text }) => text).join('') };
}

function laidOut({ children }: ContentElement, { parts, tex, text }: Layout): WrittenFormula {
  const written = children
    .filter((child) => typeof child === 'object' && !LEFT_OUT.has(child.name))
    .map(write);
  while (written.length < parts) written.push(EMPTY);
  return { tex: tex(written.map((one) => one.tex)), text: text(written.map((one) => one.text)) };
}

function token(node: ContentElement): WrittenFormula {
  const text = textIn(node).replace(INVISIBLE, '').trim();
  if (node.name === 'mo' && INFIX.test(text)) return { tex: ` ${escapeTex(text)} `, text: ` ${text} ` };
  // A name of several letters is upright: `sin`.
  if (node.name === 'mi' && /^[A-Za-z]{2,}$/.test(text)) return { tex: `\\mathrm{${text}}`, text };
  return leaf(text);
}

function textIn(node: Node): string {
  return typeof node === 'string' ? node.replace(/\s+/g, ' ') : node.children.map(textIn).join('');
}

const escapeTex = (text: string): string =>
  text
    .replaceAll('\\', '\\backslash ')
    .replace(TEX_MARKS, '\\$&')
    .replaceAll('^', '\\hat{}')
    .replaceAll('~', '\\sim ');

const base = (tex: string): string => (/^(?:[^\\{}]|\\[a-zA-Z]+)$/u.test(tex.trim()) ? tex : `{${tex}}`);

const grouped = (text: string): string => (/^[\p{L}\p{N}.\u221e]*$/u.test(text) ? text : `(${text})`);
