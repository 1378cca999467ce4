/** Changes of the state of hooks, and the heads they come with: what is sent to DynamoDB, by what it answers. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  type PutItemCommandInput,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import type { StateChange } from '../../../../shared/crawler/ports/shared-state.ts';
import { type HeadPut, StateCommits } from '../../../../shared/engines/aws/state/state-commits.ts';
import { StateValues } from '../../../../shared/engines/aws/state/state-values.ts';
import type { Item } from '../../../../shared/engines/aws/table/item.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

/** More rounds of the event loop than any of these commits takes. */
const MAX_ROUNDS = 2000;

interface Call {
  readonly kind: 'transaction' | 'put';
  readonly heads: readonly string[];
  /** `KEY=JSON`, or `KEY deleted`, with the version that is replaced. */
  readonly values: readonly string[];
  readonly items: readonly TransactWriteItem[];
  readonly put?: PutItemCommandInput;
}

type Answer = (call: Call, number: number) => void | Promise<void>;

const cancelled = (...codes: readonly (string | readonly [string, Item?])[]): Error =>
  Object.assign(new Error('cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map((code) => {
      const [Code, Found] = typeof code === 'string' ? [code] : code;
      return { Code, ...(Found && { Item: Found }) };
    }),
  });
const FAILED = 'ConditionalCheckFailed';
const valueItem = (json: string, version: string): Item => ({ value: { S: json }, version: { S: version } });
const headPut = (name: string): HeadPut => ({
  item: { pk: { S: name } },
  when: { condition: 'attribute_not_exists(pk)' },
});
const sentPut = (name: string): PutItemCommandInput => ({
  TableName: 'T',
  Item: { pk: { S: name } },
  ConditionExpression: 'attribute_not_exists(pk)',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});
/** Changes that show their order. */
const append = (key: string, text: string): StateChange => ({
  key,
  apply: (before) => JSON.stringify((before === undefined ? '' : JSON.parse(before)) + text),
});
const remove = (key: string): StateChange => ({ key, apply: () => undefined });
const keep = (key: string): StateChange => ({ key, apply: (before) => before });

function setUp(answer: Answer = () => {}) {
  const clock = createFakeClock();
  let ids = 0;
  const calls: Call[] = [];
  const times: number[] = [];
  const dynamo = {
    async send({ input }: { input: { TransactItems?: TransactWriteItem[] } & PutItemCommandInput }) {
      const { TransactItems } = input;
      const call = TransactItems ? transactionOf(TransactItems) : putOf(input);
      calls.push(call);
      times.push(clock.now());
      // Not before others have had their turn: what is not awaited would be seen as done.
      await new Promise((resolve) => setImmediate(resolve));
      await answer(call, calls.length);
      return {};
    },
  } as unknown as DynamoDBClient;
  const values = new StateValues();
  const sleep = async (ms: number) => {
    await new Promise((resolve) => setImmediate(resolve));
    clock.set(ms);
  };
  const passing = { ...clock, uuid: () => `id${++ids}`, sleep };
  const options = { dynamo, clock: passing, table: 'T', crawl: 'c', values };
  const commits = new StateCommits(options);
  return {
    values,
    calls,
    times,
    add: (head: string | undefined, ...changes: StateChange[]) =>
      commits.add({ head: head === undefined ? undefined : headPut(head), changes }),
    /** Fails at once where nothing happens any more. */
    async run<T>(work: Promise<T>): Promise<T> {
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      work.then(end, end);
      for (let round = 0; round < MAX_ROUNDS && !isOver; round++)
        await new Promise((resolve) => setImmediate(resolve));
      if (!isOver) throw new Error('the commit never ends');
      return work;
    },
    brief: () => calls.map(({ kind, heads, values }) => `${kind}: ${[...heads, ...values].join(', ')}`),
  };
}

function transactionOf(items: readonly TransactWriteItem[]): Call {
  const isValue = ({ Put, Delete }: TransactWriteItem) =>
    (Put?.Item?.pk?.S ?? Delete?.Key?.pk?.S) === '#state c';
  return {
    kind: 'transaction',
    items,
    heads: items.filter((item) => !isValue(item)).map(({ Put }) => Put?.Item?.pk?.S as string),
    values: items.filter(isValue).map(({ Put, Delete }) => {
      const over = (Put ?? Delete)?.ExpressionAttributeValues?.[':version']?.S;
      const after = Delete ? `${Delete.Key?.sk?.S} deleted` : `${Put?.Item?.sk?.S}=${Put?.Item?.value?.S}`;
      return over === undefined ? after : `${after} over ${over}`;
    }),
  };
}

const putOf = (put: PutItemCommandInput): Call => ({
  kind: 'put',
  heads: [put.Item?.pk?.S as string],
  values: [],
  items: [],
  put,
});

describe('a commit', () => {
  test('is one transaction of the head and its values, each over the version that is known', async () => {
    const { add, run, calls, values, brief } = setUp();
    await run(add('h1', append('a', 'x'), append('b', 'y'), append('a', 'z')));
    await run(add('h2', append('a', '!'), remove('b')));
    expect(brief()).toEqual([
      'transaction: h1, a="xz", b="y"',
      'transaction: h2, a="xz!" over id1, b deleted over id2',
    ]);
    expect([...values.entries()]).toEqual([['a', '"xz!"']]);
    expect(calls[0]?.items).toEqual([
      { Put: sentPut('h1') },
      ...['a', 'b'].map((key, i) => ({
        Put: {
          TableName: 'T',
          Item: { pk: { S: '#state c' }, sk: { S: key }, ...valueItem(['"xz"', '"y"'][i]!, `id${i + 1}`) },
          ConditionExpression: 'attribute_not_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      })),
    ]);
    const condition = {
      TableName: 'T',
      ConditionExpression: '#version = :version',
      ExpressionAttributeNames: { '#version': 'version' },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
    expect(calls[1]?.items.slice(1)).toEqual([
      {
        Put: {
          ...condition,
          ExpressionAttributeValues: { ':version': { S: 'id1' } },
          Item: { pk: { S: '#state c' }, sk: { S: 'a' }, ...valueItem('"xz!"', 'id3') },
        },
      },
      {
        Delete: {
          ...condition,
          ExpressionAttributeValues: { ':version': { S: 'id2' } },
          Key: { pk: { S: '#state c' }, sk: { S: 'b' } },
        },
      },
    ]);
  });

  test('that changes no value writes the head alone, and nothing where it has none', async () => {
    const { add, run, brief, calls } = setUp();
    await run(add('h1', keep('a'), remove('b')));
    await run(add(undefined, keep('a')));
    expect(brief()).toEqual(['put: h1']);
    expect(calls[0]?.put).toEqual(sentPut('h1'));
  });

  test('is not over before it is stored', async () => {
    const release = Promise.withResolvers<void>();
    const { add, run, values } = setUp(() => release.promise);
    let ended = 0;
    const both = [add('h1', append('a', 'x')), add('h2', keep('a'))].map((one) => one.then(() => ended++));
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect([ended, values.get('a')]).toEqual([0, undefined]);
    release.resolve();
    await run(Promise.all(both));
    expect([ended, values.get('a')]).toEqual([2, '"x"']);
  });
});

describe('commits at the same time', () => {
  test('wait for the one in progress, and then go together in their order', async () => {
    const { add, run, brief } = setUp();
    await run(Promise.all(['1', '2', '3'].map((n) => add(`h${n}`, append('a', n)))));
    expect(brief()).toEqual(['transaction: h1, a="1"', 'transaction: h2, h3, a="123" over id1']);
  });

  test('are at most ten in a transaction', async () => {
    const { add, run, calls } = setUp();
    await run(Promise.all(Array.from({ length: 14 }, (_, i) => add(`h${i}`, append('a', 'x')))));
    expect(calls.map(({ heads }) => heads.length)).toEqual([1, 10, 3]);
    expect(calls.flatMap(({ heads }) => heads)).toEqual(Array.from({ length: 14 }, (_, i) => `h${i}`));
  });

  test('change at most eighty values in a transaction, unless one alone changes more', async () => {
    const { add, run, calls } = setUp();
    const many = (name: string, count: number) =>
      add(name, ...Array.from({ length: count }, (_, i) => append(`${name} ${i}`, 'x')));
    await run(
      Promise.all([
        add('first', append('a', 'x')),
        many('a', 40),
        many('b', 40),
        many('c', 1),
        many('d', 90),
        many('e', 1),
      ]),
    );
    expect(calls.map(({ heads }) => heads.join())).toEqual(['first', 'a,b', 'c', 'd', 'e']);
    expect(calls.map(({ values }) => values.length)).toEqual([1, 80, 1, 90, 1]);
  });

  test('that change no value are written one by one: a transaction costs twice as much', async () => {
    const { add, run, brief } = setUp();
    await run(Promise.all(['1', '2', '3'].map((n) => add(`h${n}`, keep('a')))));
    expect(brief()).toEqual(['put: h1', 'put: h2', 'put: h3']);
  });

  test('are tried one by one if all together fail, and each has its own error', async () => {
    const { add, run, brief } = setUp(({ heads }) => {
      if (heads.length > 1 || heads[0] === 'large') throw new Error('too large');
    });
    const ended = await run(
      Promise.allSettled(['h1', 'h2', 'large', 'h3'].map((name) => add(name, append('a', name)))),
    );
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(ended[2]).toMatchObject({ reason: { message: 'too large' } });
    expect(brief().map((line) => line.split(' over')[0])).toEqual([
      'transaction: h1, a="h1"',
      'transaction: h2, large, h3, a="h1h2largeh3"',
      'transaction: h2, a="h1h2"',
      'transaction: large, a="h1h2large"',
      'transaction: h3, a="h1h2h3"',
    ]);
    await run(add('h4', append('a', '!')));
    expect(brief().at(-1)).toContain('h4, a="h1h2h3!"');
  });
});

describe('a transaction that is refused', () => {
  test('for twenty seconds rejects all of its visits, and holds up those that wait no longer', async () => {
    const { add, run, times, brief } = setUp(({ heads }) => {
      if (heads.includes('h1') || heads.includes('h2')) throw cancelled('TransactionConflict');
    });
    const all = ['first', 'h1', 'h2'].map((name) => add(name, append('a', name)));
    const ended = await run(Promise.allSettled(all));
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    for (const { reason } of ended.slice(1) as PromiseRejectedResult[])
      expect(reason.message).toBe('The state of c was changed by others for 20000 ms');
    expect(times.at(-1)! - times[1]!).toBeLessThan(22_000);
    await run(add('h3', append('a', '!')));
    expect(brief().at(-1)).toBe('transaction: h3, a="first!" over id1');
  });

  test('and was carried out before makes no change again, also if a later try of its visits fails', async () => {
    const found = { pk: { S: 'h2' } };
    const { add, run, brief, times } = setUp((_, number) => {
      if (number === 2) throw cancelled('TransactionConflict');
      if (number === 3)
        throw cancelled(
          'TransactionConflict',
          [FAILED, valueItem('"x"', 'id2')],
          [FAILED, valueItem('"y"', 'id3')],
        );
      if (number === 4) throw new Error('no connection');
      if (number === 5) throw cancelled([FAILED, found], [FAILED, valueItem('"y"', 'id3')]);
    });
    const all = [
      add('first', append('c', 'z')),
      add(undefined, append('a', 'x')),
      add('h2', append('b', 'y')),
    ];
    const ended = await run(Promise.all(all));
    expect(ended).toEqual([{ isWritten: true }, { isWritten: true }, { isWritten: false, found }]);
    expect(brief().slice(3)).toEqual(Array(2).fill('transaction: h2, b="yy" over id3'));
    // Nothing is left to wait for.
    await run(add('h3', keep('a')));
    expect(times.at(-1)).toBe(times.at(-2));
  });

  test('gives the visit whose head was replaced that head, and stores the others', async () => {
    const found = { pk: { S: 'newer' } };
    const { add, run, brief, values } = setUp((_, number) => {
      if (number === 2) throw cancelled('None', [FAILED, found], 'None', 'None');
    });
    const ended = await run(Promise.all(['1', '2', '3', '4'].map((n) => add(`h${n}`, append('a', n)))));
    const stored = { isWritten: true };
    expect(ended).toEqual([stored, stored, { isWritten: false, found }, stored]);
    expect(brief().at(-1)).toBe('transaction: h2, h4, a="124" over id1');
    expect(values.get('a')).toBe('"124"');
  });

  test('is made again with the values as they stand there', async () => {
    const { add, run, brief, values } = setUp((_, number) => {
      if (number === 1) throw cancelled('None', [FAILED, valueItem('"z"', 'theirs')], [FAILED]);
    });
    await run(add('h1', append('a', 'x'), append('b', 'y')));
    expect(brief()).toEqual(['transaction: h1, a="x", b="y"', 'transaction: h1, a="zx" over theirs, b="y"']);
    expect(values.get('a')).toBe('"zx"');
  });

  test('of a value that was deleted meanwhile makes it again', async () => {
    const { add, run, brief } = setUp((_, number) => {
      if (number === 2) throw cancelled('None', [FAILED]);
    });
    await run(add('h1', append('a', 'x')));
    await run(add('h2', append('a', 'y')));
    expect(brief().slice(1)).toEqual(['transaction: h2, a="xy" over id1', 'transaction: h2, a="y"']);
  });

  test('was carried out if a value has the version it was sent with: without a head it is over', async () => {
    const { add, run, brief, values } = setUp(({ items }, number) => {
      if (number > 1) throw cancelled([FAILED, items.at(-1)!.Put?.Item && valueItem('"x"', 'id1')]);
      throw cancelled('TransactionConflict');
    });
    await run(add(undefined, append('a', 'x')));
    expect(brief()).toHaveLength(2);
    expect(values.get('a')).toBe('"x"');
  });

  test('was carried out, too, if the SDK has repeated it: any of its values shows it', async () => {
    const { add, run, brief, values } = setUp(() => {
      throw cancelled([FAILED, valueItem('"other"', 'theirs')], [FAILED, valueItem('"y"', 'id2')]);
    });
    await run(add(undefined, append('a', 'x'), append('b', 'y')));
    expect(brief()).toHaveLength(1);
    expect([...values.entries()]).toEqual([
      ['a', '"other"'],
      ['b', '"y"'],
    ]);
  });

  test('of visits with heads is known by the heads to have been carried out', async () => {
    const { add, run, brief } = setUp((_, number) => {
      if (number === 1) throw cancelled('TransactionConflict', 'None');
      if (number === 2) throw cancelled('None', [FAILED, valueItem('"x"', 'id1')]);
    });
    await run(add('h1', append('a', 'x')));
    expect(brief()).toHaveLength(3);
    expect(brief().at(-1)).toContain('h1');
  });

  test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'for %s is made again, after waits that grow to two seconds, for twenty seconds',
    async (code) => {
      const { add, run, times, brief } = setUp((_, number) => {
        if (number <= 2 || brief().at(-1)?.includes('b=')) throw cancelled(code, 'None');
      });
      await run(add('h1', append('a', 'x')));
      expect(brief()).toHaveLength(3);
      await expect(run(add('h2', append('b', 'x')))).rejects.toThrow(
        'The state of c was changed by others for 20000 ms',
      );
      const of2 = times.slice(3);
      expect(of2.at(-1)! - of2[0]!).toBeGreaterThanOrEqual(20_000);
      expect(of2.at(-2)! - of2[0]!).toBeLessThan(20_000);
      const waits = of2.slice(1).map((time, i) => time - of2[i]!);
      for (const [i, wait] of waits.entries()) expect(wait).toBeLessThanOrEqual(Math.min(2000, 20 * 2 ** i));
      expect(Math.max(...waits)).toBeGreaterThan(1500);
      expect(waits.length).toBeLessThan(40);
      await run(add('h3', append('a', 'y')));
      expect(brief().at(-1)).toContain('h3');
    },
  );

  test('for another reason rejects with it, also beside a reason that passes', async () => {
    for (const error of [new Error('no table'), cancelled('TransactionConflict', 'ValidationError')]) {
      const { add, run, brief, values } = setUp((_, number) => {
        if (number === 1) throw error;
      });
      await expect(run(add('h1', append('a', 'x')))).rejects.toBe(error);
      expect(values.get('a')).toBeUndefined();
      await run(add('h2', append('a', 'y')));
      expect(brief().at(-1)).toBe('transaction: h2, a="y"');
    }
  });

  test('of a removal is sent again, and counts by the answer that this gets', async () => {
    const { add, run, values, brief } = setUp((_, number) => {
      if (number === 2) throw cancelled('None', 'TransactionConflict');
    });
    await run(add('h1', append('a', 'x')));
    await run(add('h2', remove('a')));
    expect(brief()).toEqual([
      'transaction: h1, a="x"',
      ...Array.from({ length: 2 }, () => 'transaction: h2, a deleted over id1'),
    ]);
    expect([...values.entries()]).toEqual([]);
  });

  test('for its rate is sent again as it is', async () => {
    const { add, run, brief } = setUp((_, number) => {
      if (number % 2 === 1) throw Object.assign(new Error('slower'), { name: 'ThrottlingException' });
    });
    await run(add('h1', append('a', 'x')));
    await run(add('h2', keep('a')));
    expect(brief()).toEqual(['transaction: h1, a="x"', 'transaction: h1, a="x"', 'put: h2', 'put: h2']);
  });
});

test('a head that is written alone and was replaced finds what stands there; another error is thrown', async () => {
  const found = { pk: { S: 'newer' } };
  const replaced = new ConditionalCheckFailedException({ message: 'no', $metadata: {}, Item: found });
  for (const error of [replaced, new Error('no table')]) {
    const { add, run, brief } = setUp((_, number) => {
      if (number === 1) throw error;
    });
    const added = run(add('h1', keep('a')));
    if (error === replaced) expect(await added).toEqual({ isWritten: false, found });
    else await expect(added).rejects.toBe(error);
    expect(brief()).toEqual(['put: h1']);
  }
});

test('a head that could not be written is written by the next call', async () => {
  const { add, run, brief } = setUp((_, number) => {
    if (number === 1) throw new Error('no table');
  });
  await expect(run(add('h1', keep('a')))).rejects.toThrow('no table');
  await run(add('h1', keep('a')));
  expect(brief()).toEqual(['put: h1', 'put: h1']);
});
