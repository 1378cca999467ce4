/** Whether a condition holds for an item. Pure. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { invalid } from './dynamo-errors.ts';
import type { Comparator, Condition, Operand, Parsed, Path } from './dynamo-grammar.ts';
import { compareValues, equalValues, type Item, membersOf, typeOf } from './dynamo-values.ts';

/** The values of placeholders. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Item> | undefined;
}

/**
 * Throws if a placeholder is given and not used, as DynamoDB does. One that is used and not given is found
 * where it is needed.
 */
export function checkPlaceholders(
  placeholders: Placeholders,
  expressions: readonly (Parsed<unknown> | undefined)[],
): void {
  checkUsed(placeholders, 'ExpressionAttributeNames', 'names', expressions);
  checkUsed(placeholders, 'ExpressionAttributeValues', 'values', expressions);
  for (const expression of expressions) {
    if (!expression) continue;
    for (const name of expression.names) nameOf(name, placeholders);
    for (const name of expression.values) givenValue(name, placeholders);
  }
}

function checkUsed(
  placeholders: Placeholders,
  what: keyof Placeholders,
  kind: 'names' | 'values',
  expressions: readonly (Parsed<unknown> | undefined)[],
): void {
  for (const name in placeholders[what])
    if (!expressions.some((expression) => expression?.[kind].has(name)))
      throw invalid(`Value provided in ${what} unused in expressions: keys: {${name}}`);
}

const HASH = '#'.charCodeAt(0);

export function nameOf(name: string, { ExpressionAttributeNames: names }: Placeholders): string {
  if (name.charCodeAt(0) !== HASH) return name;
  const meant = names?.[name];
  if (meant === undefined)
    throw invalid(`An expression attribute name used in expression is not defined: ${name}`);
  return meant;
}

export function givenValue(
  name: string,
  { ExpressionAttributeValues: values }: Placeholders,
): AttributeValue {
  const value = values?.[name];
  if (value === undefined)
    throw invalid(`An expression attribute value used in expression is not defined: ${name}`);
  return value;
}

export function attributeAt(
  item: Readonly<Item> | undefined,
  [name, ...steps]: Path,
  placeholders: Placeholders,
): AttributeValue | undefined {
  let found = item?.[nameOf(name, placeholders)];
  for (const step of steps)
    found = typeof step === 'number' ? found?.L?.[step] : found?.M?.[nameOf(step, placeholders)];
  return found;
}

export function operandOf(
  operand: Operand,
  item: Readonly<Item> | undefined,
  placeholders: Placeholders,
): AttributeValue | undefined {
  if (operand.kind === 'value') return givenValue(operand.name, placeholders);
  const found = attributeAt(item, operand.path, placeholders);
  return operand.kind === 'path' ? found : found && sizeOf(found);
}

/** None of numbers, booleans and null. */
function sizeOf(value: AttributeValue): AttributeValue | undefined {
  const size =
    value.S === undefined
      ? (value.B?.length ?? membersOf(value)?.length ?? (value.M && Object.keys(value.M).length))
      : Buffer.byteLength(value.S);
  return size === undefined ? undefined : { N: String(size) };
}

/** A missing item counts as one without attributes. */
export function holds(
  condition: Condition,
  item: Readonly<Item> | undefined,
  placeholders: Placeholders,
): boolean {
  const at = (path: Path) => attributeAt(item, path, placeholders);
  const of = (operand: Operand) => operandOf(operand, item, placeholders);
  switch (condition.kind) {
    case 'and':
      return condition.terms.every((term) => holds(term, item, placeholders));
    case 'or':
      return condition.terms.some((term) => holds(term, item, placeholders));
    case 'not':
      return !holds(condition.term, item, placeholders);
    case 'attribute_exists':
      return at(condition.path) !== undefined;
    case 'attribute_not_exists':
      return at(condition.path) === undefined;
    case 'compare':
      return compares(of(condition.left), condition.comparator, of(condition.right));
    case 'between': {
      const value = of(condition.of);
      return compares(value, '>=', of(condition.low)) && compares(value, '<=', of(condition.high));
    }
    case 'in': {
      const value = of(condition.of);
      return condition.among.some((one) => compares(value, '=', of(one)));
    }
    case 'attribute_type': {
      const value = at(condition.path);
      return value !== undefined && typeOf(value) === of(condition.operand)?.S;
    }
    case 'begins_with':
      return beginsWith(at(condition.path), of(condition.operand));
    case 'contains':
      return contains(at(condition.path), of(condition.operand));
  }
}

/** A missing value, or one of another type, is unequal to everything and in no order with it. */
function compares(
  left: AttributeValue | undefined,
  comparator: Comparator,
  right: AttributeValue | undefined,
): boolean {
  if (!left || !right) return comparator === '<>' && left !== right;
  if (comparator === '=') return equalValues(left, right);
  if (comparator === '<>') return !equalValues(left, right);
  const order = compareValues(left, right);
  if (order === undefined) return false;
  switch (comparator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

export function beginsWith(value: AttributeValue | undefined, prefix: AttributeValue | undefined): boolean {
  if (value?.S !== undefined && prefix?.S !== undefined) return value.S.startsWith(prefix.S);
  if (value?.B === undefined || prefix?.B === undefined) return false;
  return Buffer.compare(value.B.subarray(0, prefix.B.length), prefix.B) === 0;
}

function contains(value: AttributeValue | undefined, part: AttributeValue | undefined): boolean {
  if (!value || !part) return false;
  if (value.S !== undefined) return part.S !== undefined && value.S.includes(part.S);
  if (value.B !== undefined)
    return part.B !== undefined && Buffer.from(value.B).includes(Buffer.from(part.B));
  return membersOf(value)?.some((member) => equalValues(member, part)) ?? false;
}
