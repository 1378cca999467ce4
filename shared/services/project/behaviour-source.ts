import { Script } from 'node:vm';

/**
 * The source of a function of the project, as an expression that gives it elsewhere: it uses nothing from outside of itself.
 * Undefined if there is none: of a bound function, for instance.
 */
export function behaviourSource(behave: unknown): string | undefined {
  if (typeof behave !== 'function') return undefined;
  const source = Function.prototype.toString.call(behave);
  // A method, such as `async *behave() {}`, is not an expression by itself.
  const expression = [`(${source})`, `Object.values({ ${source} })[0]`].find(isExpression);
  return expression && withNameHelpers(expression);
}

/**
 * Bundlers that keep the names of functions (esbuild's `keepNames`) have each function within another one named by a helper, which
 * is outside: `helper(() => {}, "name")`. The expression gets such helpers, that give the function as it is.
 */
const withNameHelpers = (expression: string): string => {
  const names = [...new Set([UNBUNDLED_HELPER, ownHelper()])].filter((name) =>
    expression.includes(`${name}(`),
  );
  if (names.length === 0) return expression;
  return `((${names.join()}) => ${expression})(${names.map(() => '(named) => named').join()})`;
};

/** The helper of programs that run projects by esbuild without bundling, such as `tsx`. */
const UNBUNDLED_HELPER = '__name';

/** The name of the helper in this bundle, by the text of a function in it. Not bundled, there is none. */
function ownHelper(): string {
  const [, name = UNBUNDLED_HELPER] =
    /([\w$]{1,20})\(\(\) ?=> ?0, ?["']inner["']\)/.exec(String(named)) ?? [];
  return name;
}

function named(): () => number {
  const inner = () => 0;
  return inner;
}

function isExpression(text: string): boolean {
  try {
    // Is compiled, and not run.
    return new Script(text) instanceof Script;
  } catch {
    return false;
  }
}
