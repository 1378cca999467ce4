/**
 * Describes zod's issues in the terms of the input: the expected value, the given one, and the one that was perhaps
 * meant.
 */
import type { z } from 'zod';
import { didYouMean } from './nearest.ts';
import { printable, shorten } from './printable.ts';

export type Path = readonly PropertyKey[];

export interface IssueWords {
  /** Returns the name of the part at `path`. */
  name(path: Path): string;
  /** Returns the name of the object at `path` that holds an unknown key, and the keys that it knows. */
  object(path: Path): { readonly name: string; readonly keys: readonly string[] };
  /** The replacement of a key that an earlier version had. */
  former?(path: Path): string | undefined;
  /** Writes a value as the user would write it; JSON if this is undefined. */
  value?(value: unknown, path: Path): string | undefined;
  /** The unit of the number at `path`, if it has one. */
  unit?(path: Path): string | undefined;
  /** Whether the value at `path` must not be shown. */
  isSecret?(path: Path): boolean;
}

export interface DescribedIssue {
  readonly path: Path;
  readonly message: string;
}

/** A request of a megabyte may have 100,000 of them: describing all would take seconds and megabytes. */
const MAX_DESCRIBED = 50;
/** The keys of an object with more are not listed: settings have a list of their own. */
const MAX_NAMED_KEYS = 8;

/**
 * At least one for each issue of the error, and for each unknown key, up to 50 in all. `given`: the parsed input.
 */
export function describeIssues(error: z.core.$ZodError, given: unknown, words: IssueWords): DescribedIssue[] {
  const described = error.issues.slice(0, MAX_DESCRIBED).flatMap((issue) => {
    const { path } = issue;
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, MAX_DESCRIBED).map((key) => ({
        path: [...path, key],
        message: unknownKey(key, words.object(path), words.former?.([...path, key])),
      }));
    }
    const isSecret = words.isSecret?.(path) === true && valueAt(given, path) !== undefined;
    const came = isSecret ? 'a value that is not shown' : valueText(valueAt(given, path), path, words);
    return [{ path, message: `Expected ${words.name(path)} ${expectation(issue, words)}, got ${came}` }];
  });
  return described.slice(0, MAX_DESCRIBED);
}

function unknownKey(
  key: string,
  { name, keys }: ReturnType<IssueWords['object']>,
  former: string | undefined,
): string {
  const isShort = keys.length > 0 && keys.length <= MAX_NAMED_KEYS;
  const hint = former
    ? `use ${former}`
    : didYouMean(key, keys, isShort ? `there are ${keys.join(', ')}` : '');
  return `Unknown key ${shorten(printable(key), 60)} in ${name}${hint && `; ${hint}`}`;
}

function expectation(issue: z.core.$ZodIssue, words: IssueWords): string {
  if (issue.code === 'too_small') return bound(issue, ['at least', '>='], issue.minimum, words);
  if (issue.code === 'too_big') return bound(issue, ['at most', '<='], issue.maximum, words);
  if (issue.code === 'invalid_type') {
    const unit = words.unit?.(issue.path);
    return `to be of type ${issue.expected}${unit === undefined ? '' : ` (${unit})`}`;
  }
  if (issue.code === 'invalid_key') return `to be ${issue.issues[0]?.message ?? 'another one'}`;
  if (issue.code === 'invalid_value') return `to be one of ${issue.values.join(', ')}`;
  return `to be ${issue.message}`;
}

function bound(
  { origin, path }: { readonly origin: string; readonly path: Path },
  [most, sign]: readonly [words: string, sign: string],
  limit: number | bigint,
  words: IssueWords,
): string {
  if (origin === 'array') return `to have ${most} ${limit} ${limit === 1 ? 'item' : 'items'}`;
  if (origin === 'string') return `to have ${most} ${limit} ${limit === 1 ? 'character' : 'characters'}`;
  return `${sign} ${valueText(limit, path, words)}`;
}

function valueText(value: unknown, path: Path, words: IssueWords): string {
  const text = words.value?.(value, path);
  if (text !== undefined) return text;
  if (value === undefined) return 'nothing';
  return shorten(printable(jsonOf(value)), 200);
}

/**
 * `JSON.parse` reads any depth, `JSON.stringify` calls itself for each level: 60 KB of brackets end the
 * stack.
 */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : part));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `${Array.isArray(value) ? 'an array' : 'an object'} of too many levels`;
  }
}

function valueAt(given: unknown, path: Path): unknown {
  let value = given;
  for (const part of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
  }
  return value;
}
