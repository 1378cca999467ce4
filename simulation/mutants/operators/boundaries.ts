/** Numbers and comparisons: off by one, the other end of a range, another size. */
import type { AnyNode } from 'acorn';
import { type NodeOf, type Operator, type Place, replace } from './operator.ts';

const NEXT: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OPPOSITE: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/**
 * Where the operator of a binary expression stands: between its operands, and the parentheses around these.
 */
function operatorOf({ source }: Place, { left, right, operator }: NodeOf<'BinaryExpression'>) {
  const start = source.text.indexOf(operator, source.endOf(left as AnyNode));
  return { start: Math.min(start, right.start), end: start + operator.length };
}

const compare: Operator = {
  name: 'boundary',
  group: 'boundary',
  *mutate(place) {
    const { node } = place;
    if (node.type === 'BinaryExpression' && node.operator in NEXT)
      yield [replace(operatorOf(place, node), NEXT[node.operator] as string)];
  },
};

const opposite: Operator = {
  name: 'opposite',
  group: 'boundary',
  *mutate(place) {
    const { node } = place;
    if (node.type === 'BinaryExpression' && node.operator in OPPOSITE)
      yield [replace(operatorOf(place, node), OPPOSITE[node.operator] as string)];
  },
};

const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '**': '*',
};

const arithmetic: Operator = {
  name: 'arithmetic',
  group: 'boundary',
  *mutate(place) {
    const { node } = place;
    if (node.type !== 'BinaryExpression' || !(node.operator in ARITHMETIC)) return;
    const sides = [node.left, node.right];
    if (
      sides.some(
        ({ type, ...rest }) =>
          type === 'TemplateLiteral' || typeof (rest as { value?: unknown }).value === 'string',
      )
    )
      return;
    const operator = operatorOf(place, node);
    yield [replace(operator, ARITHMETIC[node.operator] as string)];
    // A term that is added or subtracted may also be forgotten.
    if (node.operator === '+' || node.operator === '-')
      yield [replace({ start: operator.start, end: node.end }, '')];
  },
};

/** A number of elements that is not written as a number: one less. */
const length: Operator = {
  name: 'length',
  group: 'boundary',
  *mutate({ node, source }) {
    const isLength = node.type === 'Property' && /^(length|Limit|MaxKeys)$/.test(source.textOf(node.key));
    if (!isLength || node.value.type === 'Literal' || node.shorthand) return;
    yield [replace(node.value as AnyNode, `(${source.textOf(node.value as AnyNode)}) - 1`)];
  },
};

/** Up to here a number is a count, where one more or less matters; beyond, it is a size or a time. */
const SMALL = 16;
const FACTOR = 8;

const number: Operator = {
  name: 'number',
  group: 'boundary',
  *mutate({ node, parents }) {
    if (node.type !== 'Literal' || typeof node.value !== 'number') return;
    if (parents.some(({ type }) => type === 'ThrowStatement')) return;
    const { value } = node;
    if (!Number.isInteger(value)) {
      yield [replace(node, `${value * 2}`)];
      yield [replace(node, `${value / 2}`)];
    } else if (value <= SMALL) {
      yield [replace(node, `${value + 1}`)];
      if (value > 0) yield [replace(node, `${value - 1}`)];
    } else {
      yield [replace(node, `${value * FACTOR}`)];
      yield [replace(node, `${Math.floor(value / FACTOR)}`)];
    }
  },
};

const ROUNDING: ReadonlyMap<string, string> = new Map([
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['round', 'floor'],
  ['trunc', 'ceil'],
]);

const rounding: Operator = {
  name: 'rounding',
  group: 'boundary',
  *mutate({ node }) {
    const name = mathName(node);
    const other = name && ROUNDING.get(name[0]);
    if (name && other !== undefined) yield [replace(name[1], other)];
  },
};

const minMax: Operator = {
  name: 'min-max',
  group: 'boundary',
  *mutate({ node, source }) {
    const name = mathName(node);
    if (name?.[0] !== 'min' && name?.[0] !== 'max') return;
    yield [replace(name[1], name[0] === 'min' ? 'max' : 'min')];
    const { arguments: args } = node as NodeOf<'CallExpression'>;
    if (args.length > 1 && args.every(({ type }) => type !== 'SpreadElement'))
      for (const kept of args) yield [replace(node, `(${source.textOf(kept)})`)];
  },
};

/** The name of a function of `Math` that is called, and where it stands. */
function mathName(node: Place['node']): readonly [string, { start: number; end: number }] | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const { object, property } = node.callee;
  if (object.type !== 'Identifier' || object.name !== 'Math' || property.type !== 'Identifier')
    return undefined;
  return [property.name, property];
}

const update: Operator = {
  name: 'update',
  group: 'boundary',
  *mutate({ node, source }) {
    if (node.type === 'UpdateExpression') {
      const other = node.operator === '++' ? '--' : '++';
      const target = source.textOf(node.argument as never);
      yield [replace(node, node.prefix ? `${other}${target}` : `${target}${other}`)];
    } else if (node.type === 'AssignmentExpression' && /^[-+*/]=$/.test(node.operator)) {
      const [left, right] = [source.textOf(node.left as never), source.textOf(node.right)];
      for (const operator of ['=', node.operator === '-=' ? '+=' : '-='])
        yield [replace(node, `${left} ${operator} ${right}`)];
    }
  },
};

export const boundaries: readonly Operator[] = [
  compare,
  opposite,
  arithmetic,
  number,
  length,
  rounding,
  minMax,
  update,
];
