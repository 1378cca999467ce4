import { isInstance, textOf } from '../../core/base/error-message.ts';
import { printable } from '../../core/text/printable.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import type { HookError } from '../../crawler/ports/hook-error-log.ts';
import { CutOff, cutOffAfter } from './cut-off.ts';

export interface HookLimits {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The longest time for one call. */
  readonly limitMs: number;
  /** The longest time for the part before the first `await`, if less: it blocks all other pages. */
  readonly syncLimitMs?: number;
  /** Runs that part: for a watchdog, which knows by it what the thread does. */
  readonly around?: <T>(call: () => T) => T;
}

/** A hook has taken longer than it may. */
export class HookTimeout extends Error {
  override name = 'HookTimeout';
}

/**
 * Resolves to the result of a hook. Rejects with the hook's error, or with {@link HookTimeout}: then the hook
 * is left alone, and its later result or error is ignored.
 */
export async function runHook<T>(call: () => T | PromiseLike<T>, limits: HookLimits): Promise<T> {
  const { clock, limitMs } = limits;
  const given = begin(call, limits);
  if (!isThenable(given)) return given;
  const ending = new AbortController();
  async function timeOut(): Promise<never> {
    await clock.sleep(limitMs, ending.signal);
    throw new HookTimeout(`Took longer than ${limitMs} ms (hookTimeoutMs)`);
  }
  try {
    return await Promise.race([given, timeOut()]);
  } finally {
    ending.abort();
  }
}

function begin<T>(call: () => T, limits: HookLimits): T {
  const { limitMs, syncLimitMs = limitMs, around = (part) => part() } = limits;
  const isBlocked = syncLimitMs < limitMs;
  try {
    // Runs outside of the watched call: after a cut-off nothing of the call runs any more, not even `finally`.
    return around(() => cutOffAfter(isBlocked ? syncLimitMs : limitMs, call));
  } catch (error) {
    if (!isInstance(error, CutOff)) throw error;
    const by = isBlocked ? 'before its first await: three quarters of blockTimeoutMs' : 'hookTimeoutMs';
    throw new HookTimeout(`${error.message} (${by})`, { cause: error });
  }
}

export const isThenable = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** The line that is printed for the first errors of a hook, when they happen. */
export const hookErrorLine = ({ source, url, message, stack }: HookError): string =>
  `${source} at ${printable(url)}: ${printable(message)}${stack === undefined ? '' : `, ${printable(stack.split('\n', 1)[0]!)}`}`;

const MAX_STACK_LINES = 8;
const MAX_STACK_CHARS = 2000;

/** Stack frames of the crawler, which mean nothing to a project. */
const OWN_FRAME =
  /[/\\](?:shared[/\\](?:services[/\\]hooks|crawler)|node_modules[/\\]strand-crawler)[/\\]|node:|<anonymous>:1:/;

/**
 * Where a project's code threw: the first lines of the stack without the message and our own frames;
 * undefined for none.
 */
export function stackOf(error: unknown): string | undefined {
  const frames =
    textOf(error, 'stack')
      ?.slice(0, 10 * MAX_STACK_CHARS)
      .split('\n') ?? [];
  const lines = frames
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at ') && !OWN_FRAME.test(line));
  return lines.slice(0, MAX_STACK_LINES).join('\n').slice(0, MAX_STACK_CHARS) || undefined;
}

const MAX_MESSAGE_CHARS = 500;

/** A message of whatever length, as it is counted and shown. */
export const oneLine = (text: string): string =>
  text
    .slice(0, 2 * MAX_MESSAGE_CHARS)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_MESSAGE_CHARS)
    .toWellFormed();
