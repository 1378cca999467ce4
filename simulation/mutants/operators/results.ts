/** Results: empty, fixed, or another choice of elements. */
import type { AnyNode } from 'acorn';
import { type FunctionNode, isFunction } from '../parse.ts';
import { type Operator, type Place, replace } from './operator.ts';

/** Results by the type that the function declares. */
const RESULTS: readonly (readonly [type: RegExp, results: readonly string[]])[] = [
  [/^void$/, ['']],
  [/^boolean$| is \w+$/, ['true', 'false']],
  [/^number$/, ['0', '1']],
  [/^string$/, ["''"]],
  [/\| undefined$|^undefined$/, ['undefined']],
  [/\[\]$|^(Readonly)?Array</, ['[]']],
  [/^(Readonly)?Map</, ['new Map()']],
  [/^(Readonly)?Set</, ['new Set()']],
];

/** A function that does nothing but give a result at once. */
const returnAtOnce: Operator = {
  name: 'return-at-once',
  group: 'result',
  *mutate({ node, source }: Place) {
    if (!isFunction(node)) return;
    const type = returnTypeOf(node, source.text);
    if (type === undefined || node.generator) return;
    for (const result of RESULTS.find(([pattern]) => pattern.test(type))?.[1] ?? []) {
      if (node.body.type !== 'BlockStatement') yield [replace(node.body, result || '{}')];
      else if (node.body.body.length > 0) yield [replace(node.body, result ? `{ return ${result}; }` : '{}')];
    }
  },
};

/** Returns the text between the parameters and the body, without `Promise<...>`. */
function returnTypeOf({ params, body, start }: FunctionNode, text: string): string | undefined {
  const from = params.at(-1)?.end ?? text.indexOf('(', start);
  const between = text.slice(from, body.start);
  const type = /\)\s*:\s*([\s\S]+?)\s*(?:=>\s*)?$/.exec(between)?.[1];
  return type === undefined ? undefined : (/^Promise<([\s\S]+)>$/.exec(type)?.[1] ?? type);
}

const empty: Operator = {
  name: 'empty-collection',
  group: 'result',
  *mutate({ node }) {
    if (node.type === 'ArrayExpression' && node.elements.length > 1) yield [replace(node, '[]')];
    if (node.type === 'NewExpression' && node.callee.type === 'Identifier' && node.arguments.length > 0)
      if (/^(Map|Set)$/.test(node.callee.name)) yield [replace(node, `new ${node.callee.name}()`)];
  },
};

const OTHER_METHOD: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['push', 'unshift'],
  ['unshift', 'push'],
  ['shift', 'pop'],
  ['pop', 'shift'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['find', 'findLast'],
  ['findLast', 'find'],
  ['indexOf', 'lastIndexOf'],
  ['lastIndexOf', 'indexOf'],
  ['all', 'allSettled'],
]);

const otherMethod: Operator = {
  name: 'other-method',
  group: 'result',
  *mutate({ node }) {
    const property = methodOf(node);
    const other = property && OTHER_METHOD.get(property.name);
    if (other !== undefined) yield [replace(property as AnyNode, other)];
  },
};

/** `list.filter(f)`: the list as it is. */
const dropMethod: Operator = {
  name: 'drop-method',
  group: 'result',
  *mutate({ node, parent, source }) {
    const property = methodOf(node);
    if (!property || parent?.type === 'ExpressionStatement') return;
    if (
      !/^(filter|slice|subarray|sort|toSorted|reverse|toReversed|trim|toLowerCase|padStart|concat|flat)$/.test(
        property.name,
      )
    )
      return;
    const { callee } = node as { callee?: { object?: AnyNode } };
    if (callee?.object) yield [replace(node, source.textOf(callee.object))];
  },
};

function methodOf(node: AnyNode): Extract<AnyNode, { type: 'Identifier' }> | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  return node.callee.property.type === 'Identifier' ? node.callee.property : undefined;
}

export const results: readonly Operator[] = [returnAtOnce, empty, otherMethod, dropMethod];
