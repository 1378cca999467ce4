/**
 * DynamoDB, as far as it promises: each call is done at one moment, conditions and all; what is read
 * consistently is what was written last; everything else may lag behind by two seconds, when the fault
 * `staleRead` strikes.
 *
 * What is stored, nobody else holds: items are copied in and out. What the model does not know it refuses, by
 * a ValidationException: options too.
 */
import { noTable } from './dynamo-errors.ts';
import { createReads } from './dynamo-reads.ts';
import { createTable, type Table, type TableSpec } from './dynamo-table.ts';
import type { OnUnits } from './dynamo-units.ts';
import type { Item } from './dynamo-values.ts';
import { createWrites, type OnWrite } from './dynamo-writes.ts';
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import type { SimService } from './service.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface SimDynamo extends SimService {
  /**
   * With keys `pk` and `sk`, both texts; the index's are a text and a number. It is sparse, and projects keys
   * only.
   */
  createTable(spec: TableSpec): void;
  /**
   * All items of the table as they are now, in the order of a scan: to be gone through at once. They are the
   * store's own, not to be changed.
   */
  items(table: string): Iterable<Readonly<Item>>;
  /** Called with what each call consumes in which partition; scans are counted apart. */
  onUnits: OnUnits | undefined;
  /** Called after each item that is written (then `before` may be undefined) or deleted (then `after` is). */
  onWrite: OnWrite | undefined;
}

export interface SimDynamoOptions {
  readonly time: Pick<VirtualTime, 'now'>;
  readonly faults: Faults;
  readonly random: Random;
  readonly trace?: Trace | undefined;
}

export function createSimDynamo({ time, faults, random, trace }: SimDynamoOptions): SimDynamo {
  const tables = new Map<string, Table>();

  function tableOf(name = ''): Table {
    const table = tables.get(name);
    if (!table) throw noTable(name);
    return table;
  }

  const context = {
    faults,
    random,
    trace,
    now: time.now,
    tableOf,
    onUnits: ((...units) => service.onUnits?.(...units)) satisfies OnUnits as OnUnits,
    onWrite: ((...written) => service.onWrite?.(...written)) satisfies OnWrite as OnWrite,
  };
  const writes = createWrites(context);
  const reads = createReads(context);
  const commands: Readonly<Record<string, (input: never) => unknown>> = {
    PutItemCommand: writes.put,
    UpdateItemCommand: writes.update,
    DeleteItemCommand: writes.delete,
    TransactWriteItemsCommand: writes.transact,
    BatchWriteItemCommand: writes.batch,
    GetItemCommand: reads.get,
    QueryCommand: reads.query,
    ScanCommand: reads.scan,
    BatchGetItemCommand: reads.batch,
  };

  const service: SimDynamo = {
    name: 'dynamo',
    clientName: 'DynamoDBClient',
    onUnits: undefined,
    onWrite: undefined,
    createTable(spec) {
      tables.set(spec.name, createTable(spec, time.now));
    },
    *items(name) {
      const { rows } = tableOf(name);
      for (const partition of rows.partitions())
        for (const { item } of rows.from(partition, undefined, false)) yield item;
    },
    handle(command, input) {
      const handler = commands[command];
      if (!handler) throw new Error(`${command} is not part of the model of DynamoDB`);
      return Object.assign(handler(input as never) as object, { $metadata: { httpStatusCode: 200 } });
    },
  };
  return service;
}
