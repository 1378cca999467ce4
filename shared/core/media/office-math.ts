/**
 * Formulas of Word (Office MathML: ECMA-376, part 1, section 22.1) as a line: `(a+b)/c`, `x^2`, `√(x)`, `∑_(i=1)^n x_i`. Much
 * as Word writes them in its linear format (Unicode Technical Note 28).
 */
import type { Attributes } from './xml-events.ts';

const MAX_FORMULA_CHARS = 10_000;

interface Node {
  readonly name: string;
  text: string;
  /** The arguments of a structure, in their order: name and text. */
  readonly parts: (readonly [name: string, text: string])[];
  /** Values of its properties. */
  readonly properties: Map<string, string>;
}

/** Takes the elements of formulas one after the other. */
export function createMathReader() {
  const open: Node[] = [];
  let chars = 0;
  return {
    start(name: string, attribute: Attributes): void {
      const around = open.at(-1);
      const value = attribute('m:val');
      // The properties of a structure stand in an element of their own, such as `m:naryPr`.
      if (around?.name.endsWith('Pr')) open.at(-2)?.properties.set(name, value ?? '');
      open.push({ name, text: '', parts: [], properties: new Map() });
    },
    text(text: string): void {
      const around = open.at(-1);
      if (around === undefined || chars > MAX_FORMULA_CHARS) return;
      chars += text.length;
      around.text += text;
    },
    /** Returns the formula that has ended with this element, if it was the outermost one. */
    end(name: string): string | undefined {
      const node = open.pop();
      const around = open.at(-1);
      if (node === undefined) return undefined;
      const text = STRUCTURES.get(name)?.(node) ?? node.text;
      if (around === undefined) {
        chars = 0;
        return text;
      }
      if (name.endsWith('Pr')) return undefined;
      if (ARGUMENTS.has(name)) around.parts.push([name, text]);
      else around.text += text;
      return undefined;
    },
  };
}

/** Elements that are arguments of the structure around them. */
const ARGUMENTS: ReadonlySet<string> = new Set(
  ['num', 'den', 'e', 'sub', 'sup', 'deg', 'fName', 'lim', 'mr'].map((name) => `m:${name}`),
);

const part = ({ parts }: Node, name: string): string => parts.find(([of]) => of === `m:${name}`)?.[1] ?? '';
const all = ({ parts }: Node, name: string): string[] =>
  parts.filter(([of]) => of === `m:${name}`).map(([, text]) => text);
const property = ({ properties }: Node, name: string, otherwise: string): string =>
  properties.get(`m:${name}`) ?? otherwise;

/** In brackets unless it is one number, name or sign. */
const group = (text: string): string => (/^(?:[\p{L}\p{N}.,\p{M}]*|.)$/u.test(text) ? text : `(${text})`);
const below = (text: string): string => (text === '' ? '' : `_${group(text)}`);
const above = (text: string): string => (text === '' ? '' : `^${group(text)}`);

const STRUCTURES: ReadonlyMap<string, (node: Node) => string> = new Map(
  Object.entries<(node: Node) => string>({
    'm:f': (node) =>
      property(node, 'type', '') === 'noBar'
        ? `${group(part(node, 'num'))}¦${group(part(node, 'den'))}`
        : `${group(part(node, 'num'))}/${group(part(node, 'den'))}`,
    'm:sSup': (node) => `${group(part(node, 'e'))}${above(part(node, 'sup'))}`,
    'm:sSub': (node) => `${group(part(node, 'e'))}${below(part(node, 'sub'))}`,
    'm:sSubSup': (node) => `${group(part(node, 'e'))}${below(part(node, 'sub'))}${above(part(node, 'sup'))}`,
    'm:sPre': (node) => `${below(part(node, 'sub'))}${above(part(node, 'sup'))} ${group(part(node, 'e'))}`,
    'm:rad': (node) => {
      const degree = part(node, 'deg');
      return degree === '' ? `√(${part(node, 'e')})` : `√(${degree}&${part(node, 'e')})`;
    },
    'm:nary': (node) =>
      `${property(node, 'chr', '∫')}${below(part(node, 'sub'))}${above(part(node, 'sup'))} ${part(node, 'e')}`,
    'm:d': (node) =>
      `${property(node, 'begChr', '(')}${all(node, 'e').join(property(node, 'sepChr', '|'))}${property(node, 'endChr', ')')}`,
    'm:func': (node) => `${part(node, 'fName')} ${part(node, 'e')}`,
    'm:limLow': (node) => `${part(node, 'e')}${below(part(node, 'lim'))}`,
    'm:limUpp': (node) => `${part(node, 'e')}${above(part(node, 'lim'))}`,
    'm:mr': (node) => all(node, 'e').join(', '),
    'm:m': (node) => `[${all(node, 'mr').join('; ')}]`,
    'm:eqArr': (node) => all(node, 'e').join('; '),
    // The accent is a combining character, behind what it is on.
    'm:acc': (node) => `${group(part(node, 'e'))}${property(node, 'chr', '\u0302')}`,
    'm:bar': (node) =>
      `${group(part(node, 'e'))}${property(node, 'pos', 'bot') === 'top' ? '\u0305' : '\u0332'}`,
    'm:groupChr': (node) => part(node, 'e'),
    'm:borderBox': (node) => part(node, 'e'),
    'm:box': (node) => part(node, 'e'),
    'm:phant': (node) => part(node, 'e'),
  }),
);
