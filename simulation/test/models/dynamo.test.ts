import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { type Answer, always, createServices, key, N, often, S } from './dynamo-services.ts';

/** Returns the error that the call throws. */
function errorOf<E extends Error>(call: () => unknown): E {
  try {
    call();
  } catch (error) {
    return error as E;
  }
  throw new Error('Expected the call to throw');
}

const sks = ({ Items = [] }: Answer): string[] => Items.map(({ sk }) => sk?.S as string);

describe('writes', () => {
  test('what was written is read, and belongs to nobody else', () => {
    const { call } = createServices();
    const bytes = Uint8Array.of(1, 2, 3);
    const item = { ...key('p', 's'), bytes: { B: bytes }, list: { L: [S('x')] } };
    call('PutItem', { Item: item });
    bytes[0] = 9;
    const { Item } = call('GetItem', { Key: key('p', 's') });
    expect(Item).toEqual({ ...key('p', 's'), bytes: { B: Uint8Array.of(1, 2, 3) }, list: { L: [S('x')] } });
    (Item?.bytes?.B as Uint8Array)[0] = 7;
    Item!.list!.L!.push(S('y'));
    expect(call('GetItem', { Key: key('p', 's') }).Item).toEqual({
      ...key('p', 's'),
      bytes: { B: Uint8Array.of(1, 2, 3) },
      list: { L: [S('x')] },
    });
  });

  test('a put under a condition is made or refused, and the item that is there comes with the refusal if requested', () => {
    const { call } = createServices();
    const first = { ...key('p', 's'), version: N(1) };
    const unless = { ConditionExpression: 'attribute_not_exists(pk)' };
    expect(call('PutItem', { Item: first, ...unless, ReturnValues: 'ALL_OLD' }).Attributes).toBeUndefined();
    const next = { Item: { ...key('p', 's'), version: N(2) }, ...unless };
    const silent = errorOf<ConditionalCheckFailedException>(() => call('PutItem', next));
    expect(silent).toBeInstanceOf(ConditionalCheckFailedException);
    expect(silent).toMatchObject({ name: 'ConditionalCheckFailedException', Item: undefined });
    expect(silent.$metadata.httpStatusCode).toBe(400);
    const withOld = { ...next, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
    expect(errorOf<ConditionalCheckFailedException>(() => call('PutItem', withOld)).Item).toEqual(first);
    const replacing = {
      Item: next.Item,
      ConditionExpression: '#version = :expected',
      ExpressionAttributeNames: { '#version': 'version' },
      ExpressionAttributeValues: { ':expected': N(1) },
      ReturnValues: 'ALL_OLD',
    };
    expect(call('PutItem', replacing).Attributes).toEqual(first);
    expect(() => call('PutItem', replacing)).toThrow(ConditionalCheckFailedException);
  });

  test('an update sets, adds and removes, from the item as it was, and makes one that is not there', () => {
    const { call } = createServices();
    const update = (UpdateExpression: string, values: object = {}, more: object = {}) =>
      call('UpdateItem', {
        Key: key('p', 's'),
        UpdateExpression,
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
        ReturnValues: 'ALL_NEW',
        ...more,
      }).Attributes;
    expect(update('SET a = :one, b = if_not_exists(b, :one)', { ':one': N(1) })).toEqual({
      ...key('p', 's'),
      a: N(1),
      b: N(1),
    });
    expect(
      update('SET a = b + :two, b = a - :two REMOVE c ADD d :half', { ':two': N(2), ':half': N(0.5) }),
    ).toEqual({
      ...key('p', 's'),
      a: N(3),
      b: N(-1),
      d: N(0.5),
    });
    expect(
      update('ADD d :x, #e :x', { ':x': N(0.1) }, { ExpressionAttributeNames: { '#e': 'n.e' } }),
    ).toMatchObject({
      d: N(0.6),
      'n.e': N(0.1),
    });
    expect(update('REMOVE a, d SET b = a')).toEqual({
      ...key('p', 's'),
      b: N(3),
      'n.e': N(0.1),
    });
    expect(update('ADD s :s', { ':s': { SS: ['x', 'y'] } })).toMatchObject({ s: { SS: ['x', 'y'] } });
    expect(update('DELETE s :s', { ':s': { SS: ['x'] } }, { ReturnValues: 'UPDATED_NEW' })).toEqual({
      s: { SS: ['y'] },
    });
  });

  test('numbers are added as decimals, and stored as DynamoDB gives them', () => {
    const { call } = createServices();
    const add = (number: string) =>
      call('UpdateItem', {
        Key: key('p', 's'),
        UpdateExpression: 'ADD n :n',
        ExpressionAttributeValues: { ':n': { N: number } },
        ReturnValues: 'UPDATED_NEW',
      }).Attributes?.n?.N;
    expect(['0.1', '0.20', '1e3', '-1000.3', '9007199254740993', '-0.000'].map(add)).toEqual([
      '0.1',
      '0.3',
      '1000.3',
      '0',
      '9007199254740993',
      '9007199254740993',
    ]);
  });

  test.each([
    ['NaN', /cannot be converted to a numeric value/],
    ['', /cannot be converted to a numeric value/],
    ['1'.repeat(39), /38 significant digits/],
    ['1e126', /overflow/],
  ])('%j is no number', (number, message) => {
    const { call } = createServices();
    expect(() => call('PutItem', { Item: { ...key('p', 's'), n: { N: number } } })).toThrow(message);
  });

  test.each([
    ['an item of more than 400 KB', { Item: { ...key('p', 's'), text: S('x'.repeat(400 * 1024)) } }],
    ['a key of another type', { Item: { pk: N(1), sk: S('s') } }],
    ['no sort key', { Item: { pk: S('p') } }],
    ['an empty key', { Item: key('p', '') }],
    ['a partition key of more than 2 KB', { Item: key('p'.repeat(2049), 's') }],
    ['an index key of another type', { Item: { ...key('p', 's'), shard: S('x'), at: S('1') } }],
    ['a value of no type', { Item: { ...key('p', 's'), x: {} } }],
    ['an empty set', { Item: { ...key('p', 's'), x: { SS: [] } } }],
    ['an option that is not modelled', { Item: key('p', 's'), ReturnItemCollectionMetrics: 'SIZE' }],
    ['a placeholder that is not used', { Item: key('p', 's'), ExpressionAttributeNames: { '#x': 'x' } }],
    ['a placeholder that is not given', { Item: key('p', 's'), ConditionExpression: 'x = :x' }],
    ['a function that does not exist', { Item: key('p', 's'), ConditionExpression: 'is_new(pk)' }],
    ['half a condition', { Item: key('p', 's'), ConditionExpression: 'a = b AND' }],
    ['a condition that continues', { Item: key('p', 's'), ConditionExpression: 'a = b c' }],
    ['a character of no expression', { Item: key('p', 's'), ConditionExpression: 'a ~ b' }],
  ])('%s is refused', (_, input) => {
    const { call, dynamo } = createServices();
    const error = errorOf<DynamoDBServiceException>(() => call('PutItem', input));
    expect(error).toBeInstanceOf(DynamoDBServiceException);
    expect(error.name).toBe('ValidationException');
    expect([...dynamo.items('T')]).toEqual([]);
  });

  test('a key that is no text is refused', () => {
    const { call } = createServices();
    const Item = { pk: { S: { crawl: 'c' } }, sk: S('s') };
    expect(errorOf<DynamoDBServiceException>(() => call('PutItem', { Item })).name).toBe(
      'SerializationException',
    );
  });

  test('a table that is not there is named', () => {
    const { dynamo } = createServices();
    expect(() => dynamo.handle('GetItemCommand', { TableName: 'X', Key: key('p', 's') })).toThrow(
      ResourceNotFoundException,
    );
  });

  test('a transaction takes effect as a whole, or says why not', () => {
    const { call } = createServices();
    call('PutItem', { Item: { ...key('p', 'a'), x: N(1) } });
    const transact = (condition: string) =>
      call('TransactWriteItems', {
        TableName: undefined,
        TransactItems: [
          { Put: { TableName: 'T', Item: key('p', 'b') } },
          {
            Delete: {
              TableName: 'T',
              Key: key('p', 'a'),
              ConditionExpression: condition,
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            },
          },
        ],
      });
    const error = errorOf<TransactionCanceledException>(() => transact('attribute_not_exists(x)'));
    expect(error).toBeInstanceOf(TransactionCanceledException);
    expect(error.CancellationReasons).toMatchObject([
      { Code: 'None' },
      { Code: 'ConditionalCheckFailed', Item: { x: N(1) } },
    ]);
    expect(sks(call('Scan', {}))).toEqual(['a']);
    transact('attribute_exists(x)');
    expect(sks(call('Scan', {}))).toEqual(['b']);
  });

  test('a transaction or a batch does not touch an item twice', () => {
    const { dynamo } = createServices();
    const Put = { TableName: 'T', Item: key('p', 'b') };
    expect(() => dynamo.handle('TransactWriteItemsCommand', { TransactItems: [{ Put }, { Put }] })).toThrow(
      'duplicates',
    );
    const PutRequest = { Item: key('p', 'b') };
    expect(() =>
      dynamo.handle('BatchWriteItemCommand', { RequestItems: { T: [{ PutRequest }, { PutRequest }] } }),
    ).toThrow('duplicates');
  });
});

describe('conditions', () => {
  const item = {
    ...key('p', 's'),
    n: N(5),
    t: S('abc'),
    yes: { BOOL: true },
    l: { L: [S('x')] },
    m: { M: { inner: N(1) } },
  };

  test.each([
    ['n = :n', { ':n': { N: '5.0' } }, true],
    ['n < :n', { ':n': N(10) }, true],
    ['n < :n', { ':n': S('9') }, false],
    ['missing = :n', { ':n': N(1) }, false],
    ['missing <> :n', { ':n': N(1) }, true],
    ['missing < :n', { ':n': N(1) }, false],
    ['yes = :b', { ':b': { BOOL: true } }, true],
    ['NOT n = :n', { ':n': N(5) }, false],
    ['n = :a OR n = :b AND t = :c', { ':a': N(5), ':b': N(6), ':c': S('z') }, true],
    ['(n = :a OR n = :b) AND t = :c', { ':a': N(5), ':b': N(6), ':c': S('z') }, false],
    ['n BETWEEN :a AND :b AND t = :c', { ':a': N(1), ':b': N(5), ':c': S('abc') }, true],
    ['t IN (:a, :b)', { ':a': S('x'), ':b': S('abc') }, true],
    ['begins_with(t, :a)', { ':a': S('ab') }, true],
    ['contains(t, :a) and contains(l, :b)', { ':a': S('bc'), ':b': S('x') }, true],
    ['attribute_type(n, :a)', { ':a': S('N') }, true],
    ['size(t) > :a', { ':a': N(2) }, true],
    ['m.inner = :a AND l[0] = :b AND attribute_not_exists(l[1])', { ':a': N(1), ':b': S('x') }, true],
  ])('%s of %j', (ConditionExpression, ExpressionAttributeValues, isMet) => {
    const { call } = createServices();
    call('PutItem', { Item: item });
    const put = () => call('PutItem', { Item: item, ConditionExpression, ExpressionAttributeValues });
    if (isMet) put();
    else expect(put).toThrow(ConditionalCheckFailedException);
  });
});

describe('queries and scans', () => {
  function filled() {
    const services = createServices();
    for (const sk of ['b#2', 'a', 'b#10', 'c', 'b#1', '\u{1F600}', '\uFF5E'])
      services.call('PutItem', { Item: { ...key('p', sk), text: S(sk) } });
    services.call('PutItem', { Item: key('q', 'b#3') });
    return services;
  }

  test('a partition is given in the order of its sort keys as UTF-8', () => {
    const { call } = filled();
    const query = { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': S('p') } };
    expect(sks(call('Query', query))).toEqual(['a', 'b#1', 'b#10', 'b#2', 'c', '\uFF5E', '\u{1F600}']);
    expect(call('Query', { ...query, ProjectionExpression: 'sk' }).Items?.[0]).toEqual({ sk: S('a') });
  });

  test.each([
    ['begins_with(sk, :a)', { ':a': S('b#') }, ['b#1', 'b#10', 'b#2']],
    ['sk = :a', { ':a': S('c') }, ['c']],
    ['sk > :a', { ':a': S('b#10') }, ['b#2', 'c', '\uFF5E', '\u{1F600}']],
    ['sk >= :a', { ':a': S('c') }, ['c', '\uFF5E', '\u{1F600}']],
    ['sk <= :a', { ':a': S('b#1') }, ['a', 'b#1']],
    ['sk < :a', { ':a': S('b#1') }, ['a']],
    ['sk BETWEEN :a AND :b', { ':a': S('b'), ':b': S('b#10') }, ['b#1', 'b#10']],
  ])('a query for %s', (range, values, expected) => {
    const { call } = filled();
    const query = {
      KeyConditionExpression: `pk = :p AND ${range}`,
      ExpressionAttributeValues: { ':p': S('p'), ...values },
    };
    expect(sks(call('Query', query))).toEqual(expected);
  });

  test('a page ends at its limit, filter or not, and the next continues behind it though items come and go', () => {
    const { call } = filled();
    const query = {
      KeyConditionExpression: 'pk = :p',
      FilterExpression: '#t <> :c',
      ExpressionAttributeNames: { '#t': 'text' },
      ExpressionAttributeValues: { ':p': S('p'), ':c': S('b#1') },
      Limit: 2,
    };
    const first = call('Query', query);
    expect(first).toMatchObject({ Count: 1, ScannedCount: 2, LastEvaluatedKey: key('p', 'b#1') });
    call('DeleteItem', { Key: key('p', 'b#1') });
    call('PutItem', { Item: key('p', 'b#11') });
    expect(sks(call('Query', { ...query, ExclusiveStartKey: first.LastEvaluatedKey, Limit: 3 }))).toEqual([
      'b#10',
      'b#11',
      'b#2',
    ]);
  });

  test('a page ends when it has looked at 1 MB', () => {
    const { call } = createServices();
    for (let i = 0; i < 9; i++)
      call('PutItem', { Item: { ...key('p', `${i}`), text: S('x'.repeat(300 * 1024)) } });
    const first = call('Scan', { ReturnConsumedCapacity: 'TOTAL', ConsistentRead: true });
    expect(sks(first)).toEqual(['0', '1', '2', '3']);
    expect(first.ConsumedCapacity?.CapacityUnits).toBeGreaterThan(300);
    expect(call('Scan', { ExclusiveStartKey: first.LastEvaluatedKey }).ScannedCount).toBe(4);
  });

  test('a scan meets everything once, not in the order in which it was written, page by page', () => {
    const { call, dynamo } = createServices();
    const names = Array.from({ length: 200 }, (_, i) => `host${i}`);
    for (const name of names) call('PutItem', { Item: key(name, 's') });
    const found: string[] = [];
    let start: object | undefined;
    do {
      const page = call('Scan', { Limit: 7, ExclusiveStartKey: start });
      found.push(...(page.Items ?? []).map(({ pk }) => pk?.S as string));
      start = page.LastEvaluatedKey;
      // An item that was met may be deleted: the scan continues anyway.
      if (start) call('DeleteItem', { Key: start });
    } while (start);
    expect(found).not.toEqual(names);
    expect(found.toSorted()).toEqual(names.toSorted());
    expect([...dynamo.items('T')].length).toBe(200 - Math.floor(200 / 7));
  });

  test('the index has the keys of items that have its attributes, by number', () => {
    const { call } = createServices();
    const due = (until: number, Limit?: number) =>
      call('Query', {
        IndexName: 'due',
        KeyConditionExpression: 'shard = :s AND #at <= :until',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':s': S('x'), ':until': N(until) },
        Limit,
      });
    const entry = (pk: string, at: number) => ({ ...key(pk, 'head'), shard: S('x'), at: N(at) });
    for (const [pk, at] of [
      ['a', 100],
      ['b', 9],
      ['c', 20],
      ['d', 9],
    ] as const)
      call('PutItem', { Item: { ...entry(pk, at), text: S('...') } });
    call('PutItem', { Item: { ...key('e', 'head'), shard: S('x') } });
    expect(due(99).Items).toEqual([entry('b', 9), entry('d', 9), entry('c', 20)]);
    const first = due(99, 1);
    expect(first.LastEvaluatedKey).toEqual(entry('b', 9));
    call('PutItem', { Item: entry('b', 50) });
    call('UpdateItem', {
      Key: key('c', 'head'),
      UpdateExpression: 'REMOVE #at',
      ExpressionAttributeNames: { '#at': 'at' },
    });
    expect(due(99).Items).toEqual([entry('d', 9), entry('b', 50)]);
    expect(() =>
      call('Query', {
        IndexName: 'due',
        ConsistentRead: true,
        KeyConditionExpression: 'shard = :s',
        ExpressionAttributeValues: { ':s': S('x') },
      }),
    ).toThrow('not supported on global secondary indexes');
  });
});

describe('what is consumed', () => {
  const units = (answer: Answer) => answer.ConsumedCapacity?.CapacityUnits;
  const asked = { ReturnConsumedCapacity: 'TOTAL' };
  const sized = (bytes: number, more: object = {}) => ({
    ...key('p', 's'),
    text: S('x'.repeat(bytes)),
    ...more,
  });

  test('a write counts the larger of both items by the KB, and each entry of the index that changes', () => {
    const { call } = createServices();
    const put = (bytes: number, more?: object) =>
      units(call('PutItem', { Item: sized(bytes, more), ...asked }));
    expect(put(10)).toBe(1);
    expect(put(3000)).toBe(3);
    expect(put(10)).toBe(3);
    expect(put(10, { shard: S('x'), at: N(1) })).toBe(2);
    expect(put(20, { shard: S('x'), at: N(1) })).toBe(1);
    expect(put(20, { shard: S('x'), at: N(2) })).toBe(3);
    expect(units(call('DeleteItem', { Key: key('p', 's'), ...asked }))).toBe(2);
    expect(units(call('DeleteItem', { Key: key('p', 's'), ...asked }))).toBe(1);
    expect(call('DeleteItem', { Key: key('p', 's') }).ConsumedCapacity).toBeUndefined();
  });

  test('a read counts 4 KB, half where it need not be consistent, and what it looked at', () => {
    const { call } = createServices();
    call('PutItem', { Item: sized(5000) });
    const get = { Key: key('p', 's'), ...asked };
    expect(units(call('GetItem', get))).toBe(1);
    expect(units(call('GetItem', { ...get, ConsistentRead: true }))).toBe(2);
    expect(units(call('GetItem', { ...get, Key: key('p', 'none') }))).toBe(0.5);
    const scan = { FilterExpression: 'pk = :p', ExpressionAttributeValues: { ':p': S('q') }, ...asked };
    expect(units(call('Scan', { ...scan, ConsistentRead: true }))).toBe(2);
  });

  test('a transaction counts twice, and batches are reported by table', () => {
    const { call } = createServices();
    const many = call<{ ConsumedCapacity: object[] }>('TransactWriteItems', {
      TableName: undefined,
      TransactItems: [
        { Put: { TableName: 'T', Item: sized(10) } },
        { Put: { TableName: 'U', Item: sized(2000) } },
      ],
      ...asked,
    });
    expect(many.ConsumedCapacity).toEqual([
      { TableName: 'T', CapacityUnits: 2 },
      { TableName: 'U', CapacityUnits: 4 },
    ]);
    const batch = call<{ ConsumedCapacity: object[]; Responses: object }>('BatchGetItem', {
      TableName: undefined,
      RequestItems: { T: { Keys: [key('p', 's'), key('p', 'none')], ConsistentRead: true } },
      ...asked,
    });
    expect(batch.ConsumedCapacity).toEqual([{ TableName: 'T', CapacityUnits: 2 }]);
    expect(batch.Responses).toEqual({ T: [sized(10)] });
  });

  test('the observer of partitions is called with all units, also of those that a failed condition costs', () => {
    const { call, dynamo } = createServices();
    const heard: unknown[][] = [];
    call('PutItem', { Item: sized(3000, { shard: S('x'), at: N(1) }) });
    dynamo.onUnits = (...units) => heard.push(units);
    expect(() =>
      call('PutItem', { Item: sized(10), ConditionExpression: 'attribute_not_exists(pk)' }),
    ).toThrow();
    call('PutItem', { Item: sized(10, { shard: S('y'), at: N(1) }) });
    call('GetItem', { Key: key('p', 's') });
    call('Query', {
      IndexName: 'due',
      KeyConditionExpression: 'shard = :y',
      ExpressionAttributeValues: { ':y': S('y') },
    });
    expect(heard).toEqual([
      ['T', 'p', undefined, 3, 0],
      ['T', 'p', undefined, 3, 0],
      ['T', 'x', 'due', 1, 0],
      ['T', 'y', 'due', 1, 0],
      ['T', 'p', undefined, 0, 0.5],
      ['T', 'y', 'due', 0, 0.5],
    ]);
  });
});

describe('faults', () => {
  test('what need not be consistent may be as it was up to two seconds ago, and no longer', () => {
    const { call, clock } = createServices(always('staleRead', 0.99));
    const write = (n: number) =>
      call('PutItem', { Item: { ...key('p', 's'), n: N(n), shard: S('x'), at: N(n) } });
    const read = (ConsistentRead: boolean) =>
      call('GetItem', { Key: key('p', 's'), ConsistentRead }).Item?.n?.N;
    const indexed = () =>
      call('Query', {
        IndexName: 'due',
        KeyConditionExpression: 'shard = :x',
        ExpressionAttributeValues: { ':x': S('x') },
      }).Items?.map(({ at }) => at?.N);
    write(1);
    expect(read(true)).toBe('1');
    expect(read(false)).toBeUndefined();
    expect(indexed()).toEqual([]);
    clock.at += 1000;
    write(2);
    call('PutItem', { Item: { ...key('p', 't'), shard: S('x'), at: N(1) } });
    clock.at += 1500;
    expect([read(true), read(false)]).toEqual(['2', '1']);
    expect(indexed()).toEqual(['1']);
    call('DeleteItem', { Key: key('p', 's') });
    clock.at += 600;
    expect([read(true), read(false)]).toEqual([undefined, '2']);
    expect(indexed()).toEqual(['1', '2']);
    clock.at += 2000;
    expect(read(false)).toBeUndefined();
    expect(indexed()).toEqual(['1']);
    expect(sks(call('Scan', {}))).toEqual(['t']);
  });

  test('batches leave some over but never all, and pages end early, and in the end all is done', () => {
    const { dynamo, call } = createServices(often('unprocessedKeys'));
    let overs = 0;
    for (let round = 0; round < 40; round++) {
      let requests = Array.from({ length: 20 }, (_, i) => ({
        PutRequest: { Item: key(`p${round}`, `${i}`) },
      }));
      while (requests.length > 0) {
        const { UnprocessedItems } = dynamo.handle('BatchWriteItemCommand', {
          RequestItems: { T: requests },
        }) as {
          UnprocessedItems: { T?: typeof requests };
        };
        const over = UnprocessedItems.T ?? [];
        if (over.length > 0) overs++;
        expect(over.length).toBeLessThan(requests.length);
        requests = over;
      }
      let keys = Array.from({ length: 20 }, (_, i) => key(`p${round}`, `${i}`));
      let got = 0;
      while (keys.length > 0) {
        const { Responses, UnprocessedKeys } = dynamo.handle('BatchGetItemCommand', {
          RequestItems: { T: { Keys: keys } },
        }) as { Responses: { T: object[] }; UnprocessedKeys: { T?: { Keys: typeof keys } } };
        got += Responses.T.length;
        keys = UnprocessedKeys.T?.Keys ?? [];
      }
      expect(got).toBe(20);
    }
    expect(overs).toBeGreaterThan(0);
    let pages = 0;
    let scanned = 0;
    let start: object | undefined;
    do {
      const page = call('Scan', { Limit: 20, ExclusiveStartKey: start });
      pages++;
      scanned += page.Items?.length ?? 0;
      start = page.LastEvaluatedKey;
    } while (start);
    expect(scanned).toBe(800);
    expect(pages).toBeGreaterThan(41);
  });
});
