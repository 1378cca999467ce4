/** Errors: swallowed, not caught, not tried again; steps that must run in any case, left out. */
import type { AnyNode } from 'acorn';
import { isFunction } from '../parse.ts';
import { calledName, type NodeOf, type Operator, replace } from './operator.ts';

const dropCatch: Operator = {
  name: 'drop-catch',
  group: 'errors',
  *mutate({ node }) {
    if (node.type === 'CatchClause') yield [replace(node, 'catch (mutated) { throw mutated; }')];
  },
};

const swallow: Operator = {
  name: 'swallow',
  group: 'errors',
  *mutate({ node }) {
    if (node.type === 'CatchClause' && node.body.body.length > 0) yield [replace(node, 'catch {}')];
  },
};

/** A step whose failure nobody sees. */
const swallowStep: Operator = {
  name: 'swallow-step',
  group: 'errors',
  *mutate({ node, source }) {
    if (node.type !== 'ExpressionStatement' || node.expression.type !== 'AwaitExpression') return;
    // Swallowed already.
    if (/\.catch\(\(\) => (\{\}|undefined)\)$/.test(source.textOf(node.expression))) return;
    yield [replace(node, `try { ${source.textOf(node)} } catch {}`)];
  },
};

const dropFinally: Operator = {
  name: 'drop-finally',
  group: 'errors',
  *mutate({ node }) {
    if (node.type === 'TryStatement' && node.finalizer) yield [replace(node.finalizer, '{}')];
  },
};

/** The `catch` or `finally` of a promise. */
const dropHandler: Operator = {
  name: 'drop-handler',
  group: 'errors',
  *mutate({ node, source }) {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return;
    const name = calledName(node);
    if (name === 'catch' || name === 'finally')
      yield [replace(node, source.textOf(node.callee.object as AnyNode))];
  },
};

/** The functions that try again, by their names: what they are given is called once. */
const dropRetry: Operator = {
  name: 'drop-retry',
  group: 'errors',
  *mutate({ node, source }) {
    if (node.type !== 'CallExpression' || !/retry|again|settle/i.test(calledName(node) ?? '')) return;
    const called = (node as NodeOf<'CallExpression'>).arguments.find((argument) =>
      isFunction(argument as AnyNode),
    );
    if (called && (called as { params?: unknown[] }).params?.length === 0)
      yield [replace(node, `(${source.textOf(called as AnyNode)})()`)];
  },
};

/** An error that must be reported disappears. */
const dropThrow: Operator = {
  name: 'throw-return',
  group: 'errors',
  *mutate({ node, parents }) {
    if (node.type !== 'ThrowStatement') return;
    if (parents.some((parent) => isFunction(parent))) yield [replace(node, 'return undefined as never;')];
  },
};

export const errors: readonly Operator[] = [
  dropCatch,
  swallow,
  swallowStep,
  dropFinally,
  dropHandler,
  dropRetry,
  dropThrow,
];
