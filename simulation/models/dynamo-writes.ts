/** DynamoDB's calls that write: each item at one moment, those of a transaction together. */
import type {
  BatchWriteItemCommandInput,
  CancellationReason,
  DeleteItemCommandInput,
  PutItemCommandInput,
  TransactWriteItemsCommandInput,
  UpdateItemCommandInput,
  WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { checkPlaceholders, holds, type Placeholders } from './dynamo-conditions.ts';
import { CONDITION_FAILED, cancelled, conditionFailed, invalid, refuseOthers } from './dynamo-errors.ts';
import { parseCondition, parseUpdate } from './dynamo-grammar.ts';
import { bareKeyOf, type Row, type Table } from './dynamo-table.ts';
import { createBill, type OnUnits, writeUnits } from './dynamo-units.ts';
import { applyUpdate } from './dynamo-update.ts';
import { copyStored, type Item } from './dynamo-values.ts';
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import type { Trace } from './trace.ts';

/** The items are the store's own, not to be changed. */
export type OnWrite = (
  table: string,
  after: Readonly<Item> | undefined,
  before: Readonly<Item> | undefined,
) => void;

export interface DynamoContext {
  readonly faults: Faults;
  readonly random: Random;
  readonly trace: Trace | undefined;
  readonly now: () => number;
  tableOf(name: string | undefined): Table;
  readonly onUnits: OnUnits;
  readonly onWrite: OnWrite;
}

/** A write that was looked at and not made yet. */
interface Planned {
  readonly table: Table;
  readonly pk: string;
  readonly sk: string;
  readonly before: Row | undefined;
  /** None if it must be deleted. */
  readonly after: Row | undefined;
  readonly isMet: boolean;
  /** Attributes that an update names. */
  readonly names?: ReadonlySet<string>;
}

interface Conditional extends Placeholders {
  readonly TableName: string | undefined;
  readonly ConditionExpression?: string | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: string | undefined;
}

const CONDITIONAL = [
  'TableName',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ReturnValuesOnConditionCheckFailure',
];
const ASKED = ['ReturnValues', 'ReturnConsumedCapacity'];
const PUT = new Set([...CONDITIONAL, ...ASKED, 'Item']);
const UPDATE = new Set([...CONDITIONAL, ...ASKED, 'Key', 'UpdateExpression']);
const DELETE = new Set([...CONDITIONAL, ...ASKED, 'Key']);
const TRANSACTION = new Set(['TransactItems', 'ReturnConsumedCapacity']);
const BATCH = new Set(['RequestItems', 'ReturnConsumedCapacity']);

const MAX_TRANSACTED = 100;
const MAX_BATCH = 25;

export function createWrites({ tableOf, faults, onUnits, onWrite }: DynamoContext) {
  function planPut(input: Conditional & { readonly Item: Item | undefined }): Planned {
    const table = tableOf(input.TableName);
    const after = table.rowOf(input.Item ?? {});
    const before = table.rows.get(after.pk, after.sk);
    return { table, pk: after.pk, sk: after.sk, before, after, isMet: isMet(input, before) };
  }

  function planUpdate(
    input: Conditional & { readonly Key: Item | undefined; readonly UpdateExpression?: string | undefined },
  ): Planned {
    const table = tableOf(input.TableName);
    const { pk, sk } = bareKeyOf(input.Key ?? {});
    const parsed = parseUpdate(input.UpdateExpression ?? '');
    const before = table.rows.get(pk, sk);
    if (!isMet(input, before, parsed)) return { table, pk, sk, before, after: undefined, isMet: false };
    const { item, names } = applyUpdate(parsed.tree, before?.item ?? { pk: { S: pk }, sk: { S: sk } }, input);
    if (names.has('pk') || names.has('sk')) throw invalid('Cannot update attribute: it is part of the key');
    return { table, pk, sk, before, after: table.rowOf(item, true), isMet: true, names };
  }

  function planDelete(input: Conditional & { readonly Key: Item | undefined }): Planned {
    const table = tableOf(input.TableName);
    const { pk, sk } = bareKeyOf(input.Key ?? {});
    const before = table.rows.get(pk, sk);
    return { table, pk, sk, before, after: undefined, isMet: isMet(input, before) };
  }

  function isMet(
    input: Conditional,
    before: Row | undefined,
    update?: ReturnType<typeof parseUpdate>,
  ): boolean {
    const { ConditionExpression: text } = input;
    const condition = text === undefined ? undefined : parseCondition(text);
    checkPlaceholders(input, [condition, update]);
    return condition === undefined || holds(condition.tree, before?.item, input);
  }

  /** Returns the units of the table and its index. */
  function make({ table, pk, sk, before, after }: Planned, factor = 1): number {
    const { name, index } = table.spec;
    const units = factor * writeUnits(before, after);
    onUnits(name, pk, undefined, units, 0);
    const entries = before || after ? table.write(pk, sk, before, after) : [];
    onWrite(name, after?.item, before?.item);
    // Keys fill no more than a unit each.
    for (const partition of entries) onUnits(name, partition, index?.name, 1, 0);
    return units + entries.length;
  }

  /**
   * Makes the write, or throws; a condition that fails costs as much as the item that is there, or that would
   * be.
   */
  function makeOne(
    planned: Planned,
    input: Conditional & { ReturnConsumedCapacity?: 'INDEXES' | 'TOTAL' | 'NONE' | undefined },
  ) {
    const { table, pk, before, after } = planned;
    if (!planned.isMet) {
      onUnits(table.spec.name, pk, undefined, writeUnits(before, after), 0);
      const isAsked = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
      throw conditionFailed(isAsked && before ? copyStored(before.item) : undefined);
    }
    const bill = createBill(input);
    bill.add(table, make(planned));
    return bill.consumed()?.[0];
  }

  /** A command for one item, which takes these options. */
  const single =
    <I extends { readonly ReturnValues?: string | undefined }>(
      options: ReadonlySet<string>,
      plan: (input: never) => Planned,
    ) =>
    (input: I) => {
      refuseOthers(input, options);
      const planned = plan(input as never);
      const ConsumedCapacity = makeOne(planned, input as unknown as Conditional);
      return { ...returned(planned, input.ReturnValues), ConsumedCapacity };
    };

  return {
    put: single<PutItemCommandInput>(PUT, planPut),
    update: single<UpdateItemCommandInput>(UPDATE, planUpdate),
    delete: single<DeleteItemCommandInput>(DELETE, planDelete),

    /** All or nothing. */
    transact(input: TransactWriteItemsCommandInput) {
      refuseOthers(input, TRANSACTION);
      const { TransactItems = [] } = input;
      checkCount(TransactItems.length, MAX_TRANSACTED);
      const inputs: Conditional[] = [];
      const planned = TransactItems.map(({ Put, Update, Delete, ConditionCheck }) => {
        inputs.push((Put ?? Update ?? Delete ?? ConditionCheck ?? {}) as Conditional);
        if (Put) return planPut(Put as Parameters<typeof planPut>[0]);
        if (Update) return planUpdate(Update as Parameters<typeof planUpdate>[0]);
        if (Delete) return planDelete(Delete as Parameters<typeof planDelete>[0]);
        // It reads the item and writes it as it is.
        const check = planDelete(ConditionCheck as Parameters<typeof planDelete>[0]);
        return { ...check, after: check.before };
      });
      checkDistinct(planned);
      if (planned.some(({ isMet }) => !isMet)) {
        for (const { table, pk, before, after } of planned)
          onUnits(table.spec.name, pk, undefined, 2 * writeUnits(before, after), 0);
        throw cancelled(planned.map((one, i) => reasonOf(one, inputs[i] as Conditional)));
      }
      const bill = createBill(input);
      for (const one of planned) bill.add(one.table, make(one, 2));
      return { ConsumedCapacity: bill.consumed() };
    },

    /** Each for itself; perhaps not all of them. */
    batch(input: BatchWriteItemCommandInput) {
      refuseOthers(input, BATCH);
      const requests = Object.entries(input.RequestItems ?? {}).flatMap(([name, all]) =>
        all.map((request) => ({ name, request, ...planRequest(name, request) })),
      );
      checkCount(requests.length, MAX_BATCH);
      checkDistinct(requests);
      const left = isLeft(requests.length, faults);
      const bill = createBill(input);
      const UnprocessedItems: Record<string, WriteRequest[]> = {};
      for (const [i, planned] of requests.entries()) {
        if (left.has(i)) {
          UnprocessedItems[planned.name] = [...(UnprocessedItems[planned.name] ?? []), planned.request];
        } else bill.add(planned.table, make(planned));
      }
      return { UnprocessedItems, ConsumedCapacity: bill.consumed() };
    },
  };

  function planRequest(TableName: string, { PutRequest, DeleteRequest }: WriteRequest): Planned {
    if (PutRequest) return planPut({ TableName, Item: PutRequest.Item });
    return planDelete({ TableName, Key: DeleteRequest?.Key });
  }
}

/** Which entries of a batch are left over: some, if the fault strikes, but never all. */
export function isLeft(entries: number, faults: Faults): ReadonlySet<number> {
  const left = new Set<number>();
  if (entries < 2 || !faults.strikes('unprocessedKeys')) return left;
  const done = Math.floor(faults.random('unprocessedKeys') * entries);
  for (let i = 0; i < entries; i++) if (i !== done && faults.random('unprocessedKeys') < 0.5) left.add(i);
  return left;
}

function checkCount(count: number, max: number): void {
  if (count < 1 || count > max) throw invalid(`Expected 1 to ${max} items in the request, got ${count}`);
}

function checkDistinct(planned: readonly Pick<Planned, 'table' | 'pk' | 'sk'>[]): void {
  const keys = new Set(planned.map(({ table, pk, sk }) => JSON.stringify([table.spec.name, pk, sk])));
  if (keys.size < planned.length) throw invalid('Provided list of item keys contains duplicates');
}

function reasonOf({ isMet, before }: Planned, input: Conditional): CancellationReason {
  if (isMet) return { Code: 'None' };
  const isAsked = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && before;
  return {
    Code: 'ConditionalCheckFailed',
    Message: CONDITION_FAILED,
    ...(isAsked && { Item: copyStored(before.item) }),
  };
}

function returned({ before, after, names }: Planned, asked: string = 'NONE'): { readonly Attributes?: Item } {
  if (asked === 'NONE') return {};
  if (asked !== 'ALL_OLD' && !names) throw invalid(`Return values set to invalid value: ${asked}`);
  const row = asked.endsWith('OLD') ? before : after;
  if (!row) return {};
  if (asked.startsWith('ALL')) return { Attributes: copyStored(row.item) };
  const some = Object.entries(row.item).filter(([name]) => names?.has(name));
  return some.length > 0 ? { Attributes: copyStored(Object.fromEntries(some)) } : {};
}
