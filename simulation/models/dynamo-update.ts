/** Applies an update to an item. Pure. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { attributeAt, givenValue, nameOf, operandOf, type Placeholders } from './dynamo-conditions.ts';
import { invalid } from './dynamo-errors.ts';
import type { Path, Setting, Update } from './dynamo-grammar.ts';
import { addNumbers } from './dynamo-numbers.ts';
import { copyValue, equalValues, type Item, membersOf } from './dynamo-values.ts';

export interface Updated {
  readonly item: Item;
  /** Attributes that the expression names. */
  readonly names: ReadonlySet<string>;
}

/**
 * The item as the update makes it, and the attributes that it names. All values are read from the item as it
 * was. Takes whole attributes only: paths into lists and maps are refused.
 */
export function applyUpdate(update: Update, before: Readonly<Item>, placeholders: Placeholders): Updated {
  const item: Item = { ...before };
  const names = new Set<string>();

  function target(path: Path): string {
    if (path.length > 1) throw invalid('Updates within lists and maps are not part of the model');
    const name = nameOf(path[0], placeholders);
    if (names.has(name)) throw invalid(`Two document paths overlap with each other: ${name}`);
    names.add(name);
    return name;
  }

  for (const { path, to } of update.set) item[target(path)] = copyValue(settingOf(to, before, placeholders));
  for (const path of update.remove) delete item[target(path)];
  for (const { path, value } of update.add) {
    const name = target(path);
    item[name] = copyValue(added(before[name], givenValue(value, placeholders)));
  }
  for (const { path, value } of update.delete) {
    const name = target(path);
    const rest = withoutMembers(before[name], givenValue(value, placeholders));
    if (rest) item[name] = copyValue(rest);
    else delete item[name];
  }
  return { item, names };
}

function settingOf(setting: Setting, before: Readonly<Item>, placeholders: Placeholders): AttributeValue {
  const of = (inner: Setting) => settingOf(inner, before, placeholders);
  switch (setting.kind) {
    case 'if_not_exists':
      return attributeAt(before, setting.path, placeholders) ?? of(setting.otherwise);
    case 'sum': {
      const [left, right] = [of(setting.left), of(setting.right)];
      if (left.N === undefined || right.N === undefined)
        throw invalid('An operand in the update expression has an incorrect data type');
      return { N: addNumbers(left.N, right.N, setting.sign) };
    }
    case 'list_append': {
      const [left, right] = [of(setting.left), of(setting.right)];
      if (!left.L || !right.L)
        throw invalid('An operand in the update expression has an incorrect data type');
      return { L: [...left.L, ...right.L] };
    }
    default: {
      const value = operandOf(setting, before, placeholders);
      if (!value)
        throw invalid('The provided expression refers to an attribute that does not exist in the item');
      return value;
    }
  }
}

/** A number to a number, members to a set; nothing there counts as 0 and as the empty set. */
function added(before: AttributeValue | undefined, value: AttributeValue): AttributeValue {
  if (value.N !== undefined && (!before || before.N !== undefined))
    return { N: addNumbers(before?.N ?? '0', value.N) };
  const type = setTypeOf(value);
  const known = before?.[type] as unknown[] | undefined;
  if (before && !known) throw invalid('An operand in the update expression has an incorrect data type');
  if (!before) return value;
  const members = membersOf(before) as AttributeValue[];
  const more = (membersOf(value) as AttributeValue[]).filter(
    (member) => !members.some((other) => equalValues(member, other)),
  );
  return setOf(type, [...members, ...more]);
}

function withoutMembers(
  before: AttributeValue | undefined,
  value: AttributeValue,
): AttributeValue | undefined {
  const type = setTypeOf(value);
  if (!before) return undefined;
  if (!before[type]) throw invalid('An operand in the update expression has an incorrect data type');
  const gone = membersOf(value) as AttributeValue[];
  const left = (membersOf(before) as AttributeValue[]).filter(
    (member) => !gone.some((other) => equalValues(member, other)),
  );
  return left.length > 0 ? setOf(type, left) : undefined;
}

type SetType = 'SS' | 'NS' | 'BS';

function setTypeOf(value: AttributeValue): SetType {
  if (value.SS) return 'SS';
  if (value.NS) return 'NS';
  if (value.BS) return 'BS';
  throw invalid('Incorrect operand type for operator or function: it takes numbers and sets');
}

function setOf(type: SetType, members: readonly AttributeValue[]): AttributeValue {
  if (type === 'SS') return { SS: members.map(({ S = '' }) => S) };
  if (type === 'NS') return { NS: members.map(({ N = '' }) => N) };
  return { BS: members.map(({ B = new Uint8Array() }) => B) };
}
