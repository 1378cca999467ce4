/**
 * Ends synchronous code that takes too long, such as an endless loop, or an expression that backtracks for
 * ever.
 */
import { Session } from 'node:inspector';
import { Script } from 'node:vm';

/** The code was ended in its middle. */
export class CutOff extends Error {
  override name = 'CutOff';
}

/** How the call that is in progress is found from outside its scope. */
const SLOT = Symbol.for('strand.hooks.call');
const EXPRESSION = `globalThis[Symbol.for('strand.hooks.call')]()`;

/**
 * Returns the result of `call`, or throws its error; throws {@link CutOff} if it has not come back after
 * `limitMs`. Of asynchronous code this is the part before its first `await`: later parts are not cut off.
 * Must not be nested.
 *
 * By V8's inspector, which ends an evaluation by a timer of its own: 11 us a call in a row, 20 to 40 between other
 * work. `node:vm` can do the same, and starts a thread for each call: 130, and 230 to 290. It is used where the
 * inspector is missing.
 */
export function cutOffAfter<T>(limitMs: number, call: () => T): T {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  const slots = globalThis as { [SLOT]?: () => void };
  const around = slots[SLOT];
  let isBegun = false;
  // Returns nothing and throws nothing: what it gave, the inspector would describe and keep.
  slots[SLOT] = () => {
    isBegun = true;
    try {
      outcome = { value: call() };
    } catch (error) {
      outcome = { error };
    }
  };
  try {
    const timeout = Math.max(1, Math.ceil(limitMs));
    evaluate(timeout);
    // The inspector was too slow, or refused.
    if (!isBegun) evaluateByThread(timeout);
  } finally {
    slots[SLOT] = around;
  }
  if (outcome === undefined) throw new CutOff(`Took longer than ${limitMs} ms`);
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

let session: Session | undefined;
let isMissing = false;
const script = new Script(EXPRESSION);

function evaluate(timeout: number): void {
  const inspector = connected();
  if (inspector === undefined) evaluateByThread(timeout);
  else inspector.post('Runtime.evaluate', { expression: EXPRESSION, timeout, silent: true }, () => {});
}

function evaluateByThread(timeout: number): void {
  try {
    script.runInThisContext({ timeout });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
}

/** Each thread has one session. Without an enabled domain it costs nothing between calls. */
function connected(): Session | undefined {
  if (session !== undefined || isMissing) return session;
  try {
    const opened = new Session();
    opened.connect();
    session = opened;
  } catch {
    isMissing = true;
  }
  return session;
}
