/** Values: parts left out, others put in their place. */
import type { AnyNode } from 'acorn';
import { isFunction } from '../parse.ts';
import { calledName, type Operator, type Place, replace } from './operator.ts';

const isInMessage = ({ parents, source }: Place): boolean =>
  parents.some(
    (parent) =>
      parent.type === 'ThrowStatement' ||
      (parent.type === 'NewExpression' && /Error$/.test(source.textOf(parent.callee as AnyNode))) ||
      (parent.type === 'CallExpression' && /^(log|warn|info|error)$/i.test(calledName(parent) ?? '')),
  );

const boolean: Operator = {
  name: 'boolean',
  group: 'value',
  *mutate({ node }) {
    if (node.type === 'Literal' && typeof node.value === 'boolean') yield [replace(node, `${!node.value}`)];
  },
};

const dropProperty: Operator = {
  name: 'drop-property',
  group: 'value',
  *mutate(place) {
    const { node, source } = place;
    if (node.type !== 'ObjectExpression' || isInMessage(place)) return;
    for (const property of node.properties) {
      const isMethod = property.type === 'Property' && (property.method || property.kind !== 'init');
      if (!isMethod) yield [replace({ start: property.start, end: source.endOf(property) }, '...{}')];
    }
  },
};

const dropElement: Operator = {
  name: 'drop-element',
  group: 'value',
  *mutate(place) {
    const { node, source } = place;
    if (node.type !== 'ArrayExpression' || isInMessage(place)) return;
    for (const element of node.elements as AnyNode[])
      yield [replace({ start: element.start, end: source.endOf(element) }, '...[]')];
  },
};

const dropArgument: Operator = {
  name: 'drop-argument',
  group: 'value',
  *mutate(place) {
    const { node, source } = place;
    if ((node.type !== 'CallExpression' && node.type !== 'NewExpression') || isInMessage(place)) return;
    const [before, last] = node.arguments.slice(-2) as AnyNode[];
    if (before && last) yield [replace({ start: source.endOf(before), end: source.endOf(last) }, '')];
  },
};

/** The parts of keys, ids and names. */
const dropPart: Operator = {
  name: 'drop-part',
  group: 'value',
  *mutate(place) {
    const { node } = place;
    if (node.type !== 'TemplateLiteral' || isInMessage(place)) return;
    for (const part of node.expressions) yield [{ start: part.start - 2, end: part.end + 1, text: '' }];
  },
};

/** A text that something is compared with, or called by. */
const emptyText: Operator = {
  name: 'empty-text',
  group: 'value',
  *mutate(place) {
    const { node, parent } = place;
    if (node.type !== 'Literal' || typeof node.value !== 'string' || node.value === '') return;
    const isCompared = parent?.type === 'BinaryExpression' || parent?.type === 'LogicalExpression';
    const isGiven = parent?.type === 'VariableDeclarator' || parent?.type === 'ConditionalExpression';
    if ((isCompared || isGiven) && !isInMessage(place)) yield [replace(node, "''")];
  },
};

const dropUnary: Operator = {
  name: 'drop-unary',
  group: 'value',
  *mutate({ node, parent, source }) {
    if (node.type !== 'UnaryExpression' || !['!', '-', '~'].includes(node.operator)) return;
    // For a condition this is `negate`.
    if (parent && 'test' in parent && parent.test === node) return;
    if (parent?.type === 'UnaryExpression') return;
    yield [replace(node, `(${source.textOf(node.argument)})`)];
  },
};

/** `a?.b()`: a part that may be missing is taken as missing. */
const dropOptional: Operator = {
  name: 'drop-optional-call',
  group: 'value',
  *mutate({ node, parent }) {
    if (node.type !== 'ChainExpression' || parent?.type === 'ExpressionStatement') return;
    yield [replace(node, 'undefined')];
  },
};

/** The values of two neighbouring arguments, the one for the other. */
const swapArguments: Operator = {
  name: 'swap-arguments',
  group: 'value',
  *mutate(place) {
    const { node, source } = place;
    // `Math.min` takes its arguments in any order.
    if (node.type !== 'CallExpression' || isInMessage(place) || /^Math\./.test(source.textOf(node))) return;
    const args = node.arguments as AnyNode[];
    for (let i = 0; i + 1 < args.length; i++) {
      const [first, second] = [args[i] as AnyNode, args[i + 1] as AnyNode];
      const isPlain = [first, second].every(
        ({ type }) => type === 'Identifier' || type === 'MemberExpression',
      );
      if (isPlain) yield [replace(first, source.textOf(second)), replace(second, source.textOf(first))];
    }
  },
};

/** Replaces the result of a function by its argument. The compiler refuses an argument of another type. */
const argumentInstead: Operator = {
  name: 'argument-instead',
  group: 'value',
  *mutate(place) {
    const { node, parent, source } = place;
    if (node.type !== 'CallExpression' || parent?.type === 'ExpressionStatement' || isInMessage(place))
      return;
    if (/^(Math|Promise|Object)\./.test(source.textOf(node))) return;
    for (const argument of node.arguments as AnyNode[])
      if (/^(Identifier|MemberExpression|CallExpression|LogicalExpression)$/.test(argument.type))
        yield [replace(node, `(${source.textOf(argument)})`)];
  },
};

/**
 * Another property of the same object, which the function uses, too. The compiler refuses those of another
 * type.
 */
const otherProperty: Operator = {
  name: 'other-property',
  group: 'value',
  *mutate(place) {
    const { node, parent, parents, source } = place;
    if (node.type !== 'MemberExpression' || node.computed || isInMessage(place)) return;
    if (parent?.type === 'CallExpression' && parent.callee === node) return;
    if (node.object.type !== 'Identifier' || node.property.type !== 'Identifier') return;
    const { name } = node.object;
    const { name: used } = node.property;
    const inner = parents.findLast(isFunction);
    if (!inner) return;
    const names = source
      .textOf(inner)
      .matchAll(new RegExp(`\\b${name.replaceAll('$', '\\$')}\\.(\\w+)\\b(?!\\()`, 'g'));
    const others = [...new Set([...names].map(([, other]) => other as string))]
      .filter((other) => other !== used)
      .sort();
    const other = others.find((candidate) => candidate > used) ?? others[0];
    if (other !== undefined) yield [replace(node.property, other)];
  },
};

export const values: readonly Operator[] = [
  boolean,
  dropProperty,
  dropElement,
  dropArgument,
  dropPart,
  emptyText,
  dropUnary,
  dropOptional,
  swapArguments,
  otherProperty,
  argumentInstead,
];
