import { Script } from 'node:vm';

/**
 * The source of a function of the project, as an expression that gives it elsewhere: it uses nothing from outside of itself.
 * Undefined if there is none: of a bound function, for instance.
 */
export function behaviourSource(behave: unknown): string | undefined {
  if (typeof behave !== 'function') return undefined;
  const source = Function.prototype.toString.call(behave);
  // A method, such as `async *behave() {}`, is not an expression by itself.
  return [`(${source})`, `Object.values({ ${source} })[0]`].find(isExpression);
}

function isExpression(text: string): boolean {
  try {
    // Is compiled, and not run.
    return new Script(text) instanceof Script;
  } catch {
    return false;
  }
}
