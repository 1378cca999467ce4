/** The model of DynamoDB against a list of items that is searched from end to end. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createServices, key, N, S } from './dynamo-services.ts';

type Item = Record<string, AttributeValue>;

const partitions = ['p', 'q', 'pq'];
const sort = fc.integer({ min: 0, max: 40 }).map((n) => `${'ab'[n % 2]}${n}`);
const place = fc.record({ pk: fc.constantFrom(...partitions), sk: sort });

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      at: place,
      n: fc.nat(5),
      shard: fc.constantFrom('x', 'y', undefined),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('putIf' as const),
      at: place,
      n: fc.nat(5),
      expected: fc.option(fc.nat(5), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('add' as const), at: place, n: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(1500) }) },
);

test('whatever was written, under conditions or not: gets, queries, index and scans find what is there', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 120 }),
      fc.nat(3),
      sort,
      fc.integer({ min: 1, max: 9 }),
      (steps, until, from, Limit) => {
        const { call, clock } = createServices();
        const known = new Map<string, Item>();
        for (const one of steps) {
          if (one.kind === 'pass') {
            clock.at += one.ms;
            continue;
          }
          const { pk, sk } = one.at;
          const id = `${pk} ${sk}`;
          const before = known.get(id);
          if (one.kind === 'delete') {
            expect(call('DeleteItem', { Key: key(pk, sk), ReturnValues: 'ALL_OLD' }).Attributes).toEqual(
              before,
            );
            known.delete(id);
          } else if (one.kind === 'add') {
            const { Attributes } = call('UpdateItem', {
              Key: key(pk, sk),
              UpdateExpression: 'ADD n :n',
              ExpressionAttributeValues: { ':n': N(one.n) },
              ReturnValues: 'ALL_NEW',
            });
            known.set(id, { ...(before ?? key(pk, sk)), n: N(Number(before?.n?.N ?? 0) + one.n) });
            expect(Attributes).toEqual(known.get(id));
          } else if (one.kind === 'put') {
            const entry: Item = one.shard === undefined ? {} : { shard: S(one.shard), at: N(one.n) };
            const Item = { ...key(pk, sk), n: N(one.n), ...entry };
            call('PutItem', { Item });
            known.set(id, Item);
          } else {
            const Item = { ...key(pk, sk), n: N(one.n) };
            const isMet =
              one.expected === undefined ? before === undefined : before?.n?.N === String(one.expected);
            const condition =
              one.expected === undefined
                ? { ConditionExpression: 'attribute_not_exists(pk)' }
                : { ConditionExpression: 'n = :n', ExpressionAttributeValues: { ':n': N(one.expected) } };
            const put = () => call('PutItem', { Item, ...condition });
            if (isMet) put();
            else expect(put).toThrow('conditional request failed');
            if (isMet) known.set(id, Item);
          }
        }

        const inOrder = (items: Item[], ...names: string[]) =>
          items.toSorted((a, b) => {
            for (const name of names) {
              const [x, y] = [a[name], b[name]];
              const order =
                x?.N === undefined
                  ? Buffer.compare(Buffer.from(x?.S ?? ''), Buffer.from(y?.S ?? ''))
                  : Number(x.N) - Number(y?.N);
              if (order !== 0) return order;
            }
            return 0;
          });
        const all = [...known.values()];
        function pages(command: string, input: object): Item[] {
          const found: Item[] = [];
          let ExclusiveStartKey: Item | undefined;
          do {
            const page = call(command, { ...input, Limit, ExclusiveStartKey });
            found.push(...(page.Items ?? []));
            ExclusiveStartKey = page.LastEvaluatedKey;
          } while (ExclusiveStartKey);
          return found;
        }
        for (const partition of partitions) {
          const own = inOrder(
            all.filter(({ pk }) => pk?.S === partition),
            'sk',
          );
          const query = {
            KeyConditionExpression: 'pk = :p',
            ExpressionAttributeValues: { ':p': S(partition) },
          };
          expect(pages('Query', query)).toEqual(own);
          expect(
            pages('Query', {
              KeyConditionExpression: 'pk = :p AND sk >= :from',
              ExpressionAttributeValues: { ':p': S(partition), ':from': S(from) },
            }),
          ).toEqual(own.filter(({ sk }) => (sk?.S ?? '') >= from));
        }
        for (const shard of ['x', 'y'])
          expect(
            pages('Query', {
              IndexName: 'due',
              KeyConditionExpression: 'shard = :s AND #at <= :until',
              ExpressionAttributeNames: { '#at': 'at' },
              ExpressionAttributeValues: { ':s': S(shard), ':until': N(until) },
            }),
          ).toEqual(
            inOrder(
              all.filter((item) => item.shard?.S === shard && Number(item.at?.N) <= until),
              'at',
              'pk',
              'sk',
            ).map(({ pk, sk, shard, at }) => ({ pk, sk, shard, at })),
          );
        expect(inOrder(pages('Scan', {}), 'pk', 'sk')).toEqual(inOrder(all, 'pk', 'sk'));
      },
    ),
    { numRuns: 150 },
  );
});

test('what is not consistent shows what was there at one moment of the last two seconds', () => {
  const write = fc.record({
    sk: fc.constantFrom('a', 'b', 'c'),
    n: fc.option(fc.nat(9), { nil: undefined }),
    ms: fc.nat(900),
  });
  fc.assert(
    fc.property(fc.array(write, { maxLength: 40 }), fc.integer({ min: 0, max: 99 }), (writes, detail) => {
      const faults = {
        strikes: (name: string) => name === 'staleRead',
        random: () => detail / 100,
        counts: {} as never,
      };
      const { call, clock } = createServices(faults);
      const lagMs = 100 + Math.floor((detail / 100) * 1900);
      const history: { readonly at: number; readonly state: ReadonlyMap<string, number> }[] = [];
      const state = new Map<string, number>();
      for (const { sk, n, ms } of writes) {
        clock.at += ms;
        if (n === undefined) {
          state.delete(sk);
          call('DeleteItem', { Key: key('p', sk) });
        } else {
          state.set(sk, n);
          call('PutItem', { Item: { ...key('p', sk), n: N(n) } });
        }
        history.push({ at: clock.at, state: new Map(state) });
        const then = history.findLast(({ at }) => at <= clock.at - lagMs)?.state ?? new Map<string, number>();
        const shown = call('Query', {
          KeyConditionExpression: 'pk = :p',
          ExpressionAttributeValues: { ':p': S('p') },
        });
        const got = shown.Items?.map((item): [string, number] => [item.sk?.S as string, Number(item.n?.N)]);
        expect(got).toEqual([...then].sort());
        expect(call('GetItem', { Key: key('p', sk) }).Item?.n?.N).toBe(
          then.has(sk) ? String(then.get(sk)) : undefined,
        );
      }
    }),
    { numRuns: 150 },
  );
});
