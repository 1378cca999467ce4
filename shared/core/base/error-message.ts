/**
 * Texts of thrown values. A project's code may throw anything, even a value that throws when its properties are read.
 */
import { inspect } from 'node:util';

const MAX_CHARS = 10_000;
const NAMED_CHARS = 100;

/**
 * Returns the message of a thrown value of any type: never empty, of at most 10,000 characters. An error whose message
 * is not a string is shown like any other value. Never throws.
 */
export function messageOf(error: unknown): string {
  const message = textOf(error, 'message') ?? (typeof error === 'string' ? error : shown(error));
  return wellFormed(message) || 'an error without a message';
}

/** Returns the stack of an error for developers; the message if the value has no stack. Never throws. */
export const stackOrMessageOf = (error: unknown): string =>
  wellFormed(textOf(error, 'stack') ?? '') || messageOf(error);

/**
 * Returns a property of a thrown value if it is a string that is not empty. Works for objects that are not errors, too,
 * such as errors of another realm.
 */
export function textOf(error: unknown, name: 'message' | 'name' | 'stack'): string | undefined {
  const value = typeof error === 'object' ? propertyOf(error, name) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns what `error` says is its cause. Never throws. */
export const causeOf = (error: unknown): unknown => propertyOf(error, 'cause');

/** `error instanceof type`, also of a `Proxy`, whose handler may throw. */
export function isInstance<T>(error: unknown, type: abstract new (...given: never[]) => T): error is T {
  try {
    return error instanceof type;
  } catch {
    return false;
  }
}

/** Shows the message of an error if the message is not a string; the error's name if there is none. */
function shown(value: unknown): string {
  if (!isInstance(value, Error)) return inspected(value);
  const message = propertyOf(value, 'message');
  if (message !== undefined && message !== '') return inspected(message);
  return textOf(value, 'name')?.slice(0, NAMED_CHARS) ?? '';
}

/** Calls no code of the value's own. */
function inspected(value: unknown): string {
  try {
    return inspect(value, SHORT).replace(/\s+/g, ' ');
  } catch {
    return `a thrown ${typeof value}`;
  }
}

/** Returns a property of any value; undefined if to read it throws. */
export function propertyOf(value: unknown, name: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

const SHORT = {
  depth: 1,
  customInspect: false,
  maxArrayLength: 10,
  maxStringLength: 200,
  breakLength: Number.POSITIVE_INFINITY,
} as const;

/** A lone surrogate would not be the same after it was stored. */
const wellFormed = (text: string): string => text.slice(0, MAX_CHARS).toWellFormed();
