/**
 * The capacity that calls consume (DynamoDB developer guide, "Read and write operations"), reported if the
 * caller requested it.
 */
import type { ConsumedCapacity, ReturnConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { Row, Table } from './dynamo-table.ts';

/**
 * Called with all units, by the partition of the table or, with its name, of the index: what a partition takes
 * in a second is limited.
 */
export type OnUnits = (
  table: string,
  partitionKey: string,
  index: string | undefined,
  writeUnits: number,
  readUnits: number,
) => void;

const WRITE_BYTES = 1024;
const READ_BYTES = 4096;

/** The units of the larger of the two, at least 1. */
export const writeUnits = (before: Row | undefined, after: Row | undefined): number =>
  Math.max(1, Math.ceil(Math.max(before?.bytes ?? 0, after?.bytes ?? 0) / WRITE_BYTES));

/** Half as many for what need not be consistent. */
export const readUnits = (bytes: number, isConsistent: boolean): number =>
  Math.max(1, Math.ceil(bytes / READ_BYTES)) * (isConsistent ? 1 : 0.5);

/** Adds up what a call consumes. */
export interface Bill {
  add(table: Table, units: number): void;
  /** By table; undefined if nobody asked. */
  consumed(): ConsumedCapacity[] | undefined;
}

export function createBill({
  ReturnConsumedCapacity: asked = 'NONE',
}: {
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}): Bill {
  const byTable = new Map<string, number>();
  return {
    add({ spec: { name } }, units) {
      byTable.set(name, (byTable.get(name) ?? 0) + units);
    },
    consumed: () =>
      asked === 'NONE'
        ? undefined
        : [...byTable].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits })),
  };
}
