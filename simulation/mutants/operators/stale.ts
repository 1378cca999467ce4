/** Values that are read once and used again. */
import type { AnyNode } from 'acorn';
import { isFunction, visitNodes } from '../parse.ts';
import { type NodeOf, type Operator, type Place, replace } from './operator.ts';

/**
 * A cache of the first answer of a call, for each object that is called and the same arguments. At the end of
 * the file, where no line moves.
 */
const KEEPER = `
const mutantFirst = new WeakMap<object, Map<string, unknown>>();
function mutantKept<T>(receiver: object, args: readonly unknown[], call: () => T): T {
  let kept = mutantFirst.get(receiver);
  if (!kept) mutantFirst.set(receiver, (kept = new Map()));
  const key = args.map((a) => (typeof a === 'function' ? 'f' : JSON.stringify(a))).join();
  if (!kept.has(key)) kept.set(key, call());
  return kept.get(key) as T;
}
`;

const keepFirst: Operator = {
  name: 'keep-first',
  group: 'stale',
  *mutate({ node, parent, source }: Place) {
    if (node.type !== 'AwaitExpression' || node.argument.type !== 'CallExpression') return;
    // Nothing of a step is used, so there is nothing to keep.
    if (parent?.type === 'ExpressionStatement') return;
    const call = node.argument;
    if (call.callee.type !== 'MemberExpression' || call.callee.object.type === 'Super') return;
    const receiver = source.textOf(call.callee.object as AnyNode);
    const args = call.arguments.map((argument) => source.textOf(argument as AnyNode)).join(', ');
    if (receiver === 'Promise' || call.optional || call.callee.optional || args.includes('await ')) return;
    yield [
      replace(node, `(await mutantKept(${receiver}, [${args}], () => ${source.textOf(call)}))`),
      { start: source.text.length, end: source.text.length, text: KEEPER },
    ];
  },
};

/** The same call a second time in a function: what a variable has from the first time. */
const reuse: Operator = {
  name: 'reuse-value',
  group: 'stale',
  *mutate({ node, parents, source }: Place) {
    if (node.type !== 'CallExpression' || parents.at(-1)?.type === 'ExpressionStatement') return;
    const text = source.textOf(node);
    const isAwaited = parents.at(-1)?.type === 'AwaitExpression';
    const earlier = variablesBefore(node, parents).find(({ init }) => {
      const value = isAwaited && init?.type === 'AwaitExpression' ? init.argument : init;
      return value && value !== (node as AnyNode) && source.textOf(value as AnyNode) === text;
    });
    if (earlier?.id.type === 'Identifier') yield [replace(node, earlier.id.name)];
  },
};

/** Variables of the blocks around a node that are declared before it. */
function variablesBefore(node: AnyNode, parents: readonly AnyNode[]): NodeOf<'VariableDeclarator'>[] {
  return parents.flatMap((parent) =>
    parent.type === 'BlockStatement'
      ? parent.body.flatMap((statement) =>
          statement.type === 'VariableDeclaration' && statement.end <= node.start
            ? statement.declarations
            : [],
        )
      : [],
  );
}

/** Time is read before the function waits for something, or before its loop, and not again. */
const staleTime: Operator = {
  name: 'stale-time',
  group: 'stale',
  *mutate({ node, parents, source }: Place) {
    if (node.type !== 'CallExpression' || !/(^|\.)now$/.test(source.textOf(node.callee as AnyNode))) return;
    const body = parents.findLast(
      (parent, i) => parent.type === 'BlockStatement' && isFunction(parents[i - 1]),
    );
    if (body?.type !== 'BlockStatement') return;
    const first = body.body.find((statement) => timePasses(statement));
    const goesOn = first && (first.end <= node.start || isLoop(first));
    if (!goesOn || first.start > node.start) return;
    const read = { start: first.start, end: first.start, text: `const mutantNow = ${source.textOf(node)}; ` };
    yield [replace(node, 'mutantNow'), read];
  },
};

const isLoop = ({ type }: AnyNode): boolean => /^(For|ForOf|While|DoWhile)Statement$/.test(type);

/** While it runs, other code may. */
function timePasses(root: AnyNode): boolean {
  let passes = isLoop(root);
  visitNodes(root, ({ type }, parents) => {
    if (type === 'AwaitExpression' && !parents.some(isFunction)) passes = true;
  });
  return passes;
}

export const stale: readonly Operator[] = [keepFirst, reuse, staleTime];
