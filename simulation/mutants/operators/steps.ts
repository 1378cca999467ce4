/** Steps: not awaited, left out, in another order. */
import type { AnyNode } from 'acorn';
import { childrenOf, isFunction, visitNodes } from '../parse.ts';
import { type NodeOf, type Operator, type Place, replace } from './operator.ts';

const dropAwait: Operator = {
  name: 'drop-await',
  group: 'await',
  *mutate({ node, parent, parents, source }) {
    if (node.type !== 'AwaitExpression') return;
    // Without `await` a result in hand is a promise, which fails at once. In `try`, `return await` keeps the
    // error inside.
    const isStep = parent?.type === 'ExpressionStatement';
    const isInTry = parent?.type === 'ReturnStatement' && parents.some(({ type }) => type === 'TryStatement');
    if (isStep || isInTry) yield [replace(node, source.textOf(node.argument))];
  },
};

/** `for (const x of list) await f(x)` goes through the list without waiting. */
const dropAwaitOfAll: Operator = {
  name: 'drop-await-all',
  group: 'await',
  *mutate({ node, source }) {
    if (node.type !== 'AwaitExpression' || node.argument.type !== 'CallExpression') return;
    const { callee, arguments: args } = node.argument;
    const [list] = args;
    if (!list || !/^Promise\.all(Settled)?$/.test(source.textOf(callee as AnyNode))) return;
    yield [replace(node, `(await Promise.race(${source.textOf(list)}), [])`)];
  },
};

/** A list of promises instead of one after the other. */
const concurrently: Operator = {
  name: 'concurrently',
  group: 'await',
  *mutate({ node, source }) {
    if (node.type !== 'ForOfStatement' || node.await) return;
    const { left, right, body } = node;
    if (left.type !== 'VariableDeclaration' || !source.textOf(body).includes('await ')) return;
    let isPlain = true;
    visitNodes(body, ({ type }) => {
      if (/^(Break|Continue|Return|Yield)/.test(type)) isPlain = false;
    });
    const [declared] = left.declarations;
    if (!isPlain || !declared) return;
    const each = `async (${source.textOf(declared.id as AnyNode)}) => { ${source.textOf(body)} }`;
    yield [replace(node, `await Promise.all([...(${source.textOf(right)})].map(${each}));`)];
  },
};

const hasEffect = ({ expression }: NodeOf<'ExpressionStatement'>): boolean =>
  !(expression.type === 'Literal' && typeof expression.value === 'string');

const dropStatement: Operator = {
  name: 'drop-statement',
  group: 'statement',
  *mutate({ node }) {
    if (node.type === 'ExpressionStatement' && hasEffect(node)) yield [replace(node, ';')];
    // An early way out that is not all that its condition guards: else `force-false` is the same.
    if (/^(Continue|Break|Throw)Statement$/.test(node.type)) yield [replace(node, ';')];
    if (node.type === 'ReturnStatement' && !node.argument) yield [replace(node, ';')];
  },
};

const dropElse: Operator = {
  name: 'drop-else',
  group: 'statement',
  *mutate({ node }) {
    if (node.type === 'IfStatement' && node.alternate)
      yield [replace({ start: node.consequent.end, end: node.alternate.end }, '')];
  },
};

const loopOnce: Operator = {
  name: 'loop-once',
  group: 'statement',
  *mutate({ node, source }) {
    if (!/^(For|While|DoWhile|ForOf|ForIn)Statement$/.test(node.type)) return;
    const { body } = node as NodeOf<'WhileStatement'>;
    yield [replace(body, `{ ${source.textOf(body)} break; }`)];
  },
};

const loopNever: Operator = {
  name: 'loop-never',
  group: 'statement',
  *mutate({ node }) {
    if (node.type === 'ForOfStatement') yield [replace(node.body, '{ break; }')];
  },
};

/** Neighbouring steps, of which the second uses nothing that the first declares. */
const swap: Operator = {
  name: 'swap-steps',
  group: 'order',
  *mutate({ node, source }: Place) {
    if (node.type !== 'BlockStatement' && node.type !== 'SwitchCase') return;
    const steps: readonly AnyNode[] = node.type === 'SwitchCase' ? node.consequent : node.body;
    for (let i = 0; i + 1 < steps.length; i++) {
      const [first, second] = [steps[i] as AnyNode, steps[i + 1] as AnyNode];
      if (!canMove(first) || !canMove(second) || !isStep(first, second)) continue;
      if (namesIn(second).some((name) => declaredBy(first).includes(name))) continue;
      yield [replace(first, source.textOf(second)), replace(second, source.textOf(first))];
    }
  },
};

/** A step that is waited for comes last in its block: after what relies on it. */
const postpone: Operator = {
  name: 'postpone-step',
  group: 'order',
  *mutate({ node, source }: Place) {
    if (node.type !== 'BlockStatement') return;
    const last = node.body.findLastIndex(canMove);
    for (const step of node.body.slice(0, Math.max(0, last - 1))) {
      if (step.type === 'VariableDeclaration' || !canMove(step) || !awaits(step)) continue;
      const end = (node.body[last] as AnyNode).end;
      yield [replace(step, ''), { start: end, end, text: ` ${source.textOf(step)}` }];
    }
  },
};

/** A step that is waited for comes first in its block: before what it relies on. */
const advance: Operator = {
  name: 'advance-step',
  group: 'order',
  *mutate({ node, source }: Place) {
    if (node.type !== 'BlockStatement') return;
    for (const [i, step] of node.body.entries()) {
      const before = node.body.slice(0, i);
      if (i < 2 || step.type === 'VariableDeclaration' || !canMove(step) || !awaits(step)) continue;
      // Its declarations come first: the place is after the last of them.
      const needed = before.findLastIndex((other) =>
        declaredBy(other).some((name) => namesIn(step).includes(name)),
      );
      const place = before[needed + 1];
      if (!place || needed + 1 >= i - 1) continue;
      yield [{ start: place.start, end: place.start, text: `${source.textOf(step)} ` }, replace(step, '')];
    }
  },
};

/** The last element comes first. */
const reverseLoop: Operator = {
  name: 'reverse-loop',
  group: 'order',
  *mutate({ node, source }: Place) {
    if (node.type === 'ForOfStatement' && !node.await)
      yield [replace(node.right, `[...(${source.textOf(node.right)})].reverse()`)];
  },
};

const canMove = ({ type }: AnyNode): boolean =>
  !/^(FunctionDeclaration|ClassDeclaration|Return|Throw|Break|Continue|Empty)/.test(type);

/** At least two do something: declarations alone may be in any order. */
function isStep(first: AnyNode, second: AnyNode): boolean {
  return [first, second].every((node) => {
    if (node.type !== 'VariableDeclaration') return true;
    return awaits(node);
  });
}

function awaits(node: AnyNode): boolean {
  if (isFunction(node)) return false;
  return node.type === 'AwaitExpression' || childrenOf(node).some(awaits);
}

function declaredBy(node: AnyNode): string[] {
  return node.type === 'VariableDeclaration'
    ? node.declarations.flatMap(({ id }) => namesIn(id as AnyNode))
    : [];
}

function namesIn(root: AnyNode): string[] {
  const names: string[] = [];
  visitNodes(root, (node) => {
    if (node.type === 'Identifier') names.push(node.name);
  });
  return names;
}

export const steps: readonly Operator[] = [
  dropAwait,
  dropAwaitOfAll,
  concurrently,
  dropStatement,
  dropElse,
  loopOnce,
  loopNever,
  swap,
  postpone,
  advance,
  reverseLoop,
];
