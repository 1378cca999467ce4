/** The interface of a mutation operator. */
import type { AnyNode } from 'acorn';
import type { ParsedSource } from '../parse.ts';

/** A part of a source and what takes its place. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Kinds of bugs. A sample takes as many of each, as far as there are. */
export const GROUPS = {
  condition: 'a condition negated, forced, or without one of its parts',
  boundary: 'off by one, another comparison, another number',
  await: 'a promise is not awaited',
  order: 'two neighbouring steps swapped, a step too early or too late',
  statement: 'a step left out, a loop run once',
  errors: 'an error swallowed, a catch, finally or retry left out',
  stale: 'a value read once and used again',
  write: 'a condition of a write weakened',
  value: 'a property, argument, element, default or part of a key left out',
  result: 'an empty or fixed result, or another choice of elements',
} as const;
export type Group = keyof typeof GROUPS;

/** Where a mutant may be made. */
export interface Place {
  readonly node: AnyNode;
  /** The outermost first. */
  readonly parents: readonly AnyNode[];
  readonly parent: AnyNode | undefined;
  readonly source: ParsedSource;
}

export interface Operator {
  /** A part of the ids of its mutants. */
  readonly name: string;
  readonly group: Group;
  /** The mutants at a place, each as its edits; in an order that does not change. */
  mutate(place: Place): Iterable<readonly Edit[]>;
}

/** The edit that replaces a node. */
export const replace = ({ start, end }: { start: number; end: number }, text: string): Edit => ({
  start,
  end,
  text,
});

export type NodeOf<T extends AnyNode['type']> = Extract<AnyNode, { type: T }>;

/** `name` of `name()`, or of `anything.name()`. */
export function calledName({ callee }: NodeOf<'CallExpression'>): string | undefined {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier')
    return callee.property.name;
  return undefined;
}
