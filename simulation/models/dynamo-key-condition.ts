/** Which keys a query is for. Pure. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { beginsWith, givenValue, nameOf, type Placeholders } from './dynamo-conditions.ts';
import { invalid } from './dynamo-errors.ts';
import type { Condition, Operand } from './dynamo-grammar.ts';
import { compareValues } from './dynamo-values.ts';

export interface KeyRange {
  readonly partition: AttributeValue;
  /** No sort key before it is wanted. */
  readonly from?: AttributeValue;
  /** Whether a sort key from there on is wanted; `over` where none behind it is. */
  has(sort: AttributeValue): boolean | 'over';
}

export interface KeyNames {
  readonly partitionKey: string;
  readonly sortKey: string;
}

/** Throws where the condition is not one of keys: one partition, and a range of its sort keys. */
export function keyRange(
  condition: Condition,
  { partitionKey, sortKey }: KeyNames,
  placeholders: Placeholders,
): KeyRange {
  let partition: AttributeValue | undefined;
  let range: Omit<KeyRange, 'partition'> | undefined;

  const isKey = (operand: Operand, key: string) =>
    operand.kind === 'path' && operand.path.length === 1 && nameOf(operand.path[0], placeholders) === key;
  function value(operand: Operand): AttributeValue {
    if (operand.kind !== 'value') throw invalid('Expected the keys to be compared with values');
    return givenValue(operand.name, placeholders);
  }

  for (const term of condition.kind === 'and' ? condition.terms : [condition]) {
    if (term.kind === 'compare' && term.comparator === '=' && isKey(term.left, partitionKey) && !partition)
      partition = value(term.right);
    else if (range) throw invalid('KeyConditionExpressions must only contain one condition per key');
    else if (term.kind === 'compare' && term.comparator !== '<>' && isKey(term.left, sortKey))
      range = compared(term.comparator, value(term.right));
    else if (term.kind === 'between' && isKey(term.of, sortKey))
      range = between(value(term.low), value(term.high));
    else if (term.kind === 'begins_with' && isKey({ kind: 'path', path: term.path }, sortKey))
      range = beginning(value(term.operand));
    else throw invalid('Query key condition not supported');
  }
  if (!partition) throw invalid(`Query condition missed key schema element: ${partitionKey}`);
  return { partition, ...(range ?? { has: () => true }) };
}

function compared(
  comparator: '=' | '<' | '<=' | '>' | '>=',
  bound: AttributeValue,
): Omit<KeyRange, 'partition'> {
  const order = (sort: AttributeValue) => compareValues(sort, bound) ?? mismatch();
  switch (comparator) {
    case '=':
      return { from: bound, has: (sort) => order(sort) === 0 || 'over' };
    case '<':
      return { has: (sort) => order(sort) < 0 || 'over' };
    case '<=':
      return { has: (sort) => order(sort) <= 0 || 'over' };
    case '>':
      return { from: bound, has: (sort) => order(sort) > 0 };
    case '>=':
      return { from: bound, has: () => true };
  }
}

const between = (low: AttributeValue, high: AttributeValue): Omit<KeyRange, 'partition'> => ({
  from: low,
  has: (sort) => (compareValues(sort, high) ?? mismatch()) <= 0 || 'over',
});

const beginning = (prefix: AttributeValue): Omit<KeyRange, 'partition'> => ({
  from: prefix,
  has: (sort) => beginsWith(sort, prefix) || 'over',
});

function mismatch(): never {
  throw invalid(
    'One or more parameter values were invalid: Condition parameter type does not match schema type',
  );
}
