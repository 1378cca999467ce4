/** Words and options of a command line, by the table of options. */
import { didYouMean } from '../shared/core/text/nearest.ts';
import { quoted } from '../shared/core/text/printable.ts';
import {
  isDate,
  parseBlock,
  parseBytes,
  parseDollars,
  parseDuration,
  parseFolder,
  parsePattern,
  parsePin,
} from './format.ts';
import { parseProxyRule } from './network-given.ts';
import type { OptionSpec } from './option-spec.ts';
import { seedUrl } from './seeds.ts';
import { UsageError } from './usage-error.ts';

/**
 * Words without options, and the options' values by name: `true` and `false` for flags, arrays for repeatable
 * ones.
 */
export interface ParsedOptions {
  readonly words: string[];
  readonly values: Map<string, unknown>;
}

/** An option that the command does not take. */
export class UnknownOption extends Error {
  override name = 'UnknownOption';
  /** As it was given. */
  readonly dashed: string;

  constructor(dashed: string) {
    super(`Unknown option ${dashed}`);
    this.dashed = dashed;
  }
}

/** Throws {@link UnknownOption}, and {@link UsageError} for a value that is none. */
export function readOptions(options: readonly OptionSpec[], args: readonly string[]): ParsedOptions {
  const given: ParsedOptions = { words: [], values: new Map() };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === '--') {
      given.words.push(...args.slice(i + 1));
      break;
    }
    if (arg === '-' || !arg.startsWith('-')) {
      refuseStrayBlock(args[i - 1], arg);
      given.words.push(arg);
      continue;
    }
    const equals = arg.indexOf('=');
    const name = equals < 0 ? arg : arg.slice(0, equals);
    let text = equals < 0 ? undefined : arg.slice(equals + 1);
    const { option, isNegated } = findOption(options, name);
    if (text === undefined && option.type !== 'flag' && option.type !== 'addresses') {
      const next = args[i + 1];
      // A value may begin with one dash (`--seeds -`, a negative number to be refused by name), not with two.
      if (next === undefined || (next.startsWith('--') && next.length > 2)) throw expected(option, next);
      text = next;
      i++;
    }
    given.values.set(option.name, readValue(option, isNegated, text, given.values.get(option.name)));
  }
  return given;
}

/** `--allow-private-addresses 127.0.0.0/8` would take the block for a seed. */
function refuseStrayBlock(before: string | undefined, word: string): void {
  if (before === '--allow-private-addresses' && /^[\da-f.:]+\/\d+(,|$)/i.test(word)) {
    throw new UsageError(
      `Expected ${before}=${word} (its value comes after =), got ${quoted(`${before} ${word}`)}`,
    );
  }
}

function findOption(
  options: readonly OptionSpec[],
  dashed: string,
): { option: OptionSpec; isNegated: boolean } {
  for (const option of options) {
    if (dashed === `--${option.name}`) return { option, isNegated: false };
    if (option.isNegatable && dashed === `--no-${option.name}`) return { option, isNegated: true };
  }
  throw new UnknownOption(dashed);
}

function readValue(
  option: OptionSpec,
  isNegated: boolean,
  text: string | undefined,
  before: unknown,
): unknown {
  // Into the same list: an option may be given thousands of times.
  const list = Array.isArray(before) ? before : [];
  const added = (values: unknown[]): unknown[] => {
    for (const value of values) list.push(value);
    return list;
  };
  if (option.type === 'flag') {
    if (text !== undefined)
      throw new UsageError(`Expected --${option.name} without a value, got ${quoted(text)}`);
    return !isNegated;
  }
  if (option.type === 'addresses' && text === undefined) return added(['0.0.0.0/0', '::/0']);
  if (text === undefined || text === '') throw expected(option, text);
  switch (option.type) {
    case 'text':
      return text;
    case 'choice':
      return readChoice(option, text);
    case 'count':
      return readCount(option, text);
    case 'countOrOff':
      return text === 'off' ? text : readCount(option, text);
    case 'domainBudget':
      return readDomainBudget(option, text);
    case 'dollars':
      return parseDollars(text) ?? fail(expected(option, text, 'such as 5 or 0.50'));
    case 'bytes':
      return parseBytes(text) ?? fail(expected(option, text, 'such as 500k, 10MB or 1GiB'));
    case 'duration':
      return (
        parseDuration(text) ?? fail(expected(option, text, 'such as 90 (seconds), 500ms, 10m, 2h or 1d'))
      );
    case 'date':
      return isDate(text) ? text : fail(expected(option, text, 'such as 2026-01-31 or 2026-01-31T12:00:00Z'));
    case 'rules':
      return readRules(option, text);
    case 'list':
      return added(text.split(',').map((one) => one.trim()));
    case 'urls':
      return added([seedUrl(text, ` for --${option.name}`)]);
    case 'secrets':
      return added([text]);
    case 'proxies':
      return added([parseProxyRule(text)]);
    case 'patterns':
      return added([parsePattern(text) ?? fail(expected(option, text, 'a regular expression'))]);
    case 'ports':
      return added(text.split(',').map((port) => readPort(option, port.trim())));
    case 'pins':
      return added([parsePin(text) ?? fail(expected(option, text, 'such as *.test=127.0.0.1'))]);
    case 'folders':
      return added([parseFolder(text) ?? fail(expected(option, text, 'such as example.org=./public'))]);
    case 'addresses':
      return added(
        text.split(',').map((block) => {
          return parseBlock(block.trim()) ?? fail(expected(option, text, 'such as 127.0.0.0/8,::1/128'));
        }),
      );
  }
}

function readCount(option: OptionSpec, text: string): number {
  const [least, most] = option.range ?? [0, Number.MAX_SAFE_INTEGER];
  const hint = option.range ? `a whole number from ${least} to ${most}` : 'a whole number';
  const count = Number(text);
  if (!/^\d{1,15}$/.test(text) || count < least || count > most) throw expected(option, text, hint);
  return count;
}

/** A number, `off`, `links` or `links:N`. */
function readDomainBudget(option: OptionSpec, text: string): string | number {
  if (text === 'off' || text === 'links') return text;
  const [word, count] = text.startsWith('links:') ? ['links:', text.slice('links:'.length)] : ['', text];
  const read = readCount(option, count);
  return word === '' ? read : `${word}${read}`;
}

function readPort(option: OptionSpec, text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw expected(option, text, 'ports from 1 to 65535, such as 6000');
}

/** Each of the choices, on or off. */
function readRules(option: OptionSpec, text: string): Readonly<Record<string, boolean>> {
  const choices = option.choices ?? [];
  const names = text === 'none' ? [] : text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !choices.includes(name));
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, choices, `there are ${choices.join(', ')}`);
    throw expected(option, unknown, '', `; ${meant}`);
  }
  return Object.fromEntries(choices.map((name) => [name, names.includes(name)]));
}

function readChoice(option: OptionSpec, text: string): string {
  const choices = option.choices ?? [];
  if (choices.includes(text)) return text;
  const former = option.former?.get(text);
  const meant = former ? `use ${former}` : didYouMean(text, choices, '');
  throw expected(option, text, '', meant && `; ${meant}`);
}

function expected(option: OptionSpec, text: string | undefined, hint = '', end = ''): UsageError {
  const isSecret = option.type === 'secrets' || option.type === 'proxies';
  const came = text ? (isSecret ? 'something else' : quoted(text)) : 'nothing';
  return new UsageError(
    `Expected --${option.name} ${option.type === 'choice' ? option.choices?.join('|') : option.argument}${hint && ` (${hint})`}, got ${came}${end}`,
  );
}

function fail(error: Error): never {
  throw error;
}
