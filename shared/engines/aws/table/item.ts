import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;

/** The keys of the two tables, all strings. */
export const PARTITION_KEY = 'pk';
export const SORT_KEY = 'sk';

export const S = (text: string): AttributeValue => ({ S: text });
export const N = (number: number): AttributeValue => ({ N: String(number) });

export const itemKey = (partition: string, sort: string): Item => ({
  [PARTITION_KEY]: S(partition),
  [SORT_KEY]: S(sort),
});
