/** The words of an expression of DynamoDB. */
import { invalid } from './dynamo-errors.ts';

/** Reads an expression from its beginning. What is expected and does not come is refused. */
export interface Tokens {
  /** Placeholders met up to now. */
  readonly names: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  isAtEnd(): boolean;
  end(): void;
  /** The next one; empty at the end. */
  peek(): string;
  next(): string;
  /** Whether the next is the name of a function. */
  isCall(): boolean;
  /** Whether it was the next one: then it is taken. */
  take(token: string): boolean;
  /** The same for a keyword, in capitals or not. */
  takeWord(word: string): boolean;
  expect(token: string): void;
  /** An attribute's name or its placeholder. */
  name(): string;
  /** The placeholder of a value. */
  value(): string;
  /** A place in a list. */
  index(): number;
  unexpected(wanted: string): Error;
}

const TOKEN = /\s*(?:([#:]?[A-Za-z0-9_]+|<=|>=|<>|[=<>+\-(),.[\]])|$)/y;
const NAME = /^(?:#[A-Za-z0-9_]+|[A-Za-z_][A-Za-z0-9_]*)$/;
const KEYWORDS: ReadonlySet<string> = new Set([
  'AND',
  'OR',
  'NOT',
  'BETWEEN',
  'IN',
  'SET',
  'REMOVE',
  'ADD',
  'DELETE',
]);

export function createTokens(text: string): Tokens {
  const tokens = split(text);
  const names = new Set<string>();
  const values = new Set<string>();
  let at = 0;

  const peek = () => tokens[at] ?? '';
  const next = () => tokens[at++] ?? '';
  const isAtEnd = () => at >= tokens.length;
  const unexpected = (wanted: string) =>
    invalid(`Expected ${wanted} in the expression ${text}, got ${peek() || 'its end'}`);

  function take(token: string): boolean {
    if (peek() !== token) return false;
    at++;
    return true;
  }

  return {
    names,
    values,
    isAtEnd,
    end() {
      if (!isAtEnd()) throw unexpected('the end');
    },
    peek,
    next,
    isCall: () => tokens[at + 1] === '(' && NAME.test(peek()),
    take,
    takeWord(word) {
      return peek().toUpperCase() === word && take(peek());
    },
    expect(token) {
      if (!take(token)) throw unexpected(token);
    },
    name() {
      if (!NAME.test(peek()) || KEYWORDS.has(peek().toUpperCase())) throw unexpected("an attribute's name");
      if (peek().startsWith('#')) names.add(peek());
      return next();
    },
    value() {
      if (!peek().startsWith(':')) throw unexpected('a value');
      values.add(peek());
      return next();
    },
    index() {
      if (!/^\d+$/.test(peek())) throw unexpected('an index');
      return Number(next());
    },
    unexpected,
  };
}

function split(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match)
      throw invalid(`Invalid expression: a token that is not known at ${text.slice(from, from + 20)}`);
    if (match[1] !== undefined) tokens.push(match[1]);
  }
  return tokens;
}
