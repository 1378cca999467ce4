/** Conditions of writes and queries, in DynamoDB's language of expressions and in the options of calls. */
import { type Operator, replace } from './operator.ts';

/** A text that is a condition or a query. */
const EXPRESSION = /\b(AND|OR)\b|attribute_(not_)?exists\(|begins_with\(|^[#\w]+ (=|<>|<=?|>=?) :\w+/;
const KEYS = /^(pk|sk|dueShard) = :\w+$/;

const weaken: Operator = {
  name: 'weaken-condition',
  group: 'write',
  *mutate({ node, parents, source }) {
    const isText = node.type === 'Literal' && typeof node.value === 'string';
    if (!isText && node.type !== 'TemplateLiteral') return;
    if (parents.some(({ type }) => type === 'ThrowStatement' || type === 'ImportDeclaration')) return;
    const text = source.textOf(node);
    const inner = text.slice(1, -1);
    if (!EXPRESSION.test(inner) || KEYS.test(inner)) return;
    const quote = text[0];
    const other = (changed: string) => [replace(node, `${quote}${changed}${quote}`)];
    // A query has no part that is always true; a condition of a write does.
    if (!isQuery(parents, source.textOf))
      yield other(`(${inner}) OR attribute_exists(pk) OR attribute_not_exists(pk)`);
    for (const { 0: found, index } of inner.matchAll(/\b(AND|OR)\b|<=|>=|<>|<|>|(?<=\s)=(?=\s)/g)) {
      const changed = OTHER[found];
      if (changed) yield other(inner.slice(0, index) + changed + inner.slice(index + found.length));
    }
  },
};

const OTHER: Readonly<Record<string, string>> = {
  AND: 'OR',
  OR: 'AND',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '<>': '=',
};

function isQuery(
  parents: readonly import('acorn').AnyNode[],
  textOf: (node: import('acorn').AnyNode) => string,
): boolean {
  const parent = parents.at(-1);
  return parent?.type === 'Property' && /^(KeyCondition|Filter)Expression$/.test(textOf(parent.key as never));
}

/** Options of a call that make it conditional, exact, or once. */
const OPTIONS =
  /^(ConditionExpression|IfMatch|IfNoneMatch|CopySourceIfMatch|ConsistentRead|FilterExpression|MessageDeduplicationId|MessageGroupId|ReturnValues\w*|ExclusiveStartKey|ContinuationToken|DelaySeconds|VisibilityTimeout)$/;

const dropOption: Operator = {
  name: 'drop-option',
  group: 'write',
  *mutate({ node, source }) {
    if (node.type !== 'ObjectExpression') return;
    for (const property of node.properties) {
      if (property.type !== 'Property' || !OPTIONS.test(source.textOf(property.key))) continue;
      yield [replace(property, '...{}')];
    }
  },
};

export const writes: readonly Operator[] = [weaken, dropOption];
