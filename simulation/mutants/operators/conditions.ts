/** Conditions: negated, forced, without one of their parts. */
import type { AnyNode } from 'acorn';
import { type Operator, type Place, replace } from './operator.ts';

/** The condition of an `if`, a `?:` or a loop, if the node is one. */
function testOf(node: AnyNode): AnyNode | undefined {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return node.test;
    case 'ForStatement':
      return node.test ?? undefined;
    default:
      return undefined;
  }
}

const isLoop = ({ type }: AnyNode): boolean =>
  type.startsWith('While') || type.startsWith('Do') || type === 'ForStatement';

const negate: Operator = {
  name: 'negate',
  group: 'condition',
  *mutate({ node, source }) {
    const test = testOf(node);
    // A loop whose condition is negated ends at once or never: `force-false` and `loop-once` say more.
    if (!test || isLoop(node)) return;
    if (test.type === 'UnaryExpression' && test.operator === '!')
      yield [replace(test, `(${source.textOf(test.argument)})`)];
    else yield [replace(test, `!(${source.textOf(test)})`)];
  },
};

const forceTrue: Operator = {
  name: 'force-true',
  group: 'condition',
  *mutate({ node, source }) {
    const test = testOf(node);
    if (test && !isLoop(node)) yield [replace(test, `(${source.textOf(test)}) || true`)];
  },
};

const forceFalse: Operator = {
  name: 'force-false',
  group: 'condition',
  *mutate({ node, source }) {
    const test = testOf(node);
    if (test && test.type !== 'Literal') yield [replace(test, `(${source.textOf(test)}) && false`)];
  },
};

const dropOperand: Operator = {
  name: 'drop-operand',
  group: 'condition',
  *mutate({ node, source }) {
    if (node.type !== 'LogicalExpression') return;
    for (const kept of [node.left, node.right]) yield [replace(node, `(${source.textOf(kept)})`)];
  },
};

const swapLogic: Operator = {
  name: 'and-or',
  group: 'condition',
  *mutate({ node, source }) {
    if (node.type !== 'LogicalExpression' || node.operator === '??') return;
    const other = node.operator === '&&' ? '||' : '&&';
    // `a && b && c` is one list: each operator of it is one mutant.
    yield [replace(node, `((${source.textOf(node.left)}) ${other} (${source.textOf(node.right)}))`)];
  },
};

/** Values that say yes or no outside of conditions: results and properties. */
const negateValue: Operator = {
  name: 'negate-value',
  group: 'condition',
  *mutate({ node, parent, source }: Place) {
    const isValue =
      parent?.type === 'ReturnStatement' ||
      parent?.type === 'VariableDeclarator' ||
      (parent?.type === 'ArrowFunctionExpression' && parent.body === node);
    if (!isValue) return;
    const isBoolean =
      (node.type === 'UnaryExpression' && node.operator === '!') ||
      (node.type === 'BinaryExpression' && /^([<>]=?|[!=]==?|in|instanceof)$/.test(node.operator)) ||
      (node.type === 'CallExpression' &&
        /\.(has|includes|test|some|every|startsWith|endsWith)$/.test(source.textOf(node.callee as AnyNode)));
    if (isBoolean) yield [replace(node, `!(${source.textOf(node)})`)];
  },
};

export const conditions: readonly Operator[] = [
  negate,
  forceTrue,
  forceFalse,
  dropOperand,
  swapLogic,
  negateValue,
];
