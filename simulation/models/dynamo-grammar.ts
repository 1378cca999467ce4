/**
 * DynamoDB's expressions, as trees (developer guide, "Condition and filter expressions", "Update
 * expressions"). Pure.
 */
import QuickLRU from 'quick-lru';
import { invalid } from './dynamo-errors.ts';
import { createTokens, type Tokens } from './dynamo-tokens.ts';

/** Texts are few, as the values are not in them. */
const MAX_REMEMBERED = 2000;

/** An attribute's name, or the placeholder of one (`#name`), and what is within it: names and indexes. */
export type Path = readonly [string, ...(string | number)[]];

export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'size'; readonly path: Path };

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Condition[] }
  | { readonly kind: 'not'; readonly term: Condition }
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | { readonly kind: 'between'; readonly of: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'in'; readonly of: Operand; readonly among: readonly Operand[] }
  | { readonly kind: 'attribute_exists' | 'attribute_not_exists'; readonly path: Path }
  | {
      readonly kind: 'attribute_type' | 'begins_with' | 'contains';
      readonly path: Path;
      readonly operand: Operand;
    };

/** The value that an attribute is set to. */
export type Setting =
  | Operand
  | { readonly kind: 'sum'; readonly sign: 1 | -1; readonly left: Setting; readonly right: Setting }
  | { readonly kind: 'if_not_exists'; readonly path: Path; readonly otherwise: Setting }
  | { readonly kind: 'list_append'; readonly left: Setting; readonly right: Setting };

export interface Update {
  readonly set: readonly { readonly path: Path; readonly to: Setting }[];
  readonly remove: readonly Path[];
  readonly add: readonly { readonly path: Path; readonly value: string }[];
  readonly delete: readonly { readonly path: Path; readonly value: string }[];
}

/** A tree, and the placeholders that it uses: all that a call gives must be used. */
export interface Parsed<T> {
  readonly tree: T;
  readonly names: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

export const parseCondition = remembering((tokens) => condition(tokens));
export const parseUpdate = remembering(update);
export const parseProjection = remembering((tokens) => separated(tokens, path));

/** Each text is parsed once. */
function remembering<T>(parse: (tokens: Tokens) => T): (text: string) => Parsed<T> {
  const known = new QuickLRU<string, Parsed<T>>({ maxSize: MAX_REMEMBERED });
  return (text) => {
    let parsed = known.get(text);
    if (!parsed) {
      const tokens = createTokens(text);
      const tree = parse(tokens);
      tokens.end();
      parsed = { tree, names: tokens.names, values: tokens.values };
      known.set(text, parsed);
    }
    return parsed;
  };
}

function separated<T>(tokens: Tokens, one: (tokens: Tokens) => T): T[] {
  const all = [one(tokens)];
  while (tokens.take(',')) all.push(one(tokens));
  return all;
}

// ----------------------------------------------------------------------------------------------- conditions

function condition(tokens: Tokens): Condition {
  const terms = [conjunction(tokens)];
  while (tokens.takeWord('OR')) terms.push(conjunction(tokens));
  return terms.length === 1 ? (terms[0] as Condition) : { kind: 'or', terms };
}

function conjunction(tokens: Tokens): Condition {
  const terms = [negation(tokens)];
  while (tokens.takeWord('AND')) terms.push(negation(tokens));
  return terms.length === 1 ? (terms[0] as Condition) : { kind: 'and', terms };
}

function negation(tokens: Tokens): Condition {
  if (tokens.takeWord('NOT')) return { kind: 'not', term: negation(tokens) };
  if (tokens.take('(')) {
    const inner = condition(tokens);
    tokens.expect(')');
    return inner;
  }
  return tokens.isCall() && tokens.peek() !== 'size' ? call(tokens) : comparison(tokens);
}

function call(tokens: Tokens): Condition {
  const kind = tokens.next();
  tokens.expect('(');
  const of = path(tokens);
  switch (kind) {
    case 'attribute_exists':
    case 'attribute_not_exists':
      tokens.expect(')');
      return { kind, path: of };
    case 'attribute_type':
    case 'begins_with':
    case 'contains': {
      tokens.expect(',');
      const second = operand(tokens);
      tokens.expect(')');
      return { kind, path: of, operand: second };
    }
    default:
      throw invalid(`Invalid function name; function: ${kind}`);
  }
}

const COMPARATORS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);

function comparison(tokens: Tokens): Condition {
  const left = operand(tokens);
  if (tokens.takeWord('BETWEEN')) {
    const low = operand(tokens);
    if (!tokens.takeWord('AND')) throw tokens.unexpected('AND');
    return { kind: 'between', of: left, low, high: operand(tokens) };
  }
  if (tokens.takeWord('IN')) {
    tokens.expect('(');
    const among = separated(tokens, operand);
    tokens.expect(')');
    return { kind: 'in', of: left, among };
  }
  const comparator = tokens.next();
  if (!COMPARATORS.has(comparator)) throw invalid(`Expected a comparison, got ${comparator || 'the end'}`);
  return { kind: 'compare', comparator: comparator as Comparator, left, right: operand(tokens) };
}

function operand(tokens: Tokens): Operand {
  if (tokens.peek().startsWith(':')) return { kind: 'value', name: tokens.value() };
  if (!tokens.isCall()) return { kind: 'path', path: path(tokens) };
  const name = tokens.next();
  if (name !== 'size') throw invalid(`The function ${name} is not an operand here`);
  tokens.expect('(');
  const of = path(tokens);
  tokens.expect(')');
  return { kind: 'size', path: of };
}

function path(tokens: Tokens): Path {
  const steps: [string, ...(string | number)[]] = [tokens.name()];
  for (;;) {
    if (tokens.take('.')) steps.push(tokens.name());
    else if (tokens.take('[')) {
      steps.push(tokens.index());
      tokens.expect(']');
    } else return steps;
  }
}

// -------------------------------------------------------------------------------------------------- updates

function update(tokens: Tokens): Update {
  const clauses: { -readonly [clause in keyof Update]: Update[clause] } = {
    set: [],
    remove: [],
    add: [],
    delete: [],
  };
  const seen = new Set<string>();
  while (!tokens.isAtEnd()) {
    const clause = tokens.next().toLowerCase();
    if (seen.has(clause)) throw invalid(`The "${clause.toUpperCase()}" section can only be used once`);
    seen.add(clause);
    if (clause === 'set') clauses.set = separated(tokens, assignment);
    else if (clause === 'remove') clauses.remove = separated(tokens, path);
    else if (clause === 'add' || clause === 'delete') clauses[clause] = separated(tokens, pathAndValue);
    else throw invalid(`Expected SET, REMOVE, ADD or DELETE in an update, got ${clause}`);
  }
  if (seen.size === 0) throw invalid('Invalid UpdateExpression: The expression can not be empty');
  return clauses;
}

function assignment(tokens: Tokens): { path: Path; to: Setting } {
  const of = path(tokens);
  tokens.expect('=');
  const left = setting(tokens);
  const sign = tokens.take('+') ? 1 : tokens.take('-') ? -1 : undefined;
  return { path: of, to: sign ? { kind: 'sum', sign, left, right: setting(tokens) } : left };
}

function setting(tokens: Tokens): Setting {
  const name = tokens.peek();
  if (!tokens.isCall() || (name !== 'if_not_exists' && name !== 'list_append')) return operand(tokens);
  tokens.next();
  tokens.expect('(');
  const first = name === 'if_not_exists' ? path(tokens) : setting(tokens);
  tokens.expect(',');
  const second = setting(tokens);
  tokens.expect(')');
  return name === 'if_not_exists'
    ? { kind: name, path: first as Path, otherwise: second }
    : { kind: name, left: first as Setting, right: second };
}

const pathAndValue = (tokens: Tokens): { path: Path; value: string } => ({
  path: path(tokens),
  value: tokens.value(),
});
