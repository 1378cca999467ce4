/** Where the bytes of joined WARC files stand, over the model of DynamoDB. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import {
  allJoinedSources,
  announceJoined,
  joinedResolver,
  joinedSources,
  resolveLocation,
} from '../../../../shared/engines/aws/archive/joined-warcs.ts';
import { createServices, key } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

const planOf = (file: string, ...sources: [file: string, offset: number, bytes: number][]) => ({
  file,
  bytes: 1000,
  sources: sources.map(([name, offset, bytes]) => ({ file: name, offset, bytes })),
});

function open() {
  const { clients } = createServices();
  const requested: number[] = [];
  const dynamo = {
    async send(command: { readonly input: { RequestItems?: { T?: { Keys?: readonly unknown[] } } } }) {
      const keys = command.input.RequestItems?.T?.Keys;
      if (keys) requested.push(keys.length);
      return clients.dynamo.send(command as never);
    },
  } as unknown as typeof clients.dynamo;
  const options = { dynamo, clock: createFakeClock(), table: 'T' };
  const announce = (crawl: string, plan: ReturnType<typeof planOf>) =>
    announceJoined(options, crawl, plan as never);
  const put = (pk: string, sk: string) =>
    dynamo.send(new PutItemCommand({ TableName: 'T', Item: key(pk, sk) }));
  return { options, announce, put, requested };
}

test('the joined files of a crawl are its own, and nothing else that is noted of it', async () => {
  const { options, announce, put } = open();
  await announce('news', planOf('big', ['one', 0, 10], ['two', 10, 20]));
  await announce('news', planOf('huge', ['three', 5, 30]));
  await announce('news-2', planOf('other', ['four', 0, 40]));
  for (const sk of ['crawl', 'hosts', 'zzz']) await put('news', sk);
  const expected = new Map([
    ['one', { file: 'big', offset: 0, bytes: 10 }],
    ['two', { file: 'big', offset: 10, bytes: 20 }],
    ['three', { file: 'huge', offset: 5, bytes: 30 }],
  ]);
  expect(await allJoinedSources(options, 'news')).toEqual(expected);
  expect(await allJoinedSources(options, 'none')).toEqual(new Map());
  expect(await joinedSources(options, 'news', ['two', 'two', 'four', 'none'])).toEqual(
    new Map([['two', expected.get('two')]]),
  );
});

test('a joined file of very many sources is announced whole', async () => {
  const { options, announce } = open();
  const sources = Array.from({ length: 130 }, (_, i): [string, number, number] => [`f${i}`, i * 7, 7]);
  await announce('news', planOf('big', ...sources));
  expect(await allJoinedSources(options, 'news')).toHaveLength(130);
  expect(
    await joinedSources(
      options,
      'news',
      sources.map(([file]) => file),
    ),
  ).toHaveLength(130);
});

describe('a resolver', () => {
  const at = (file: string, offset = 3) => ({ file, offset, length: 4 });

  test('says where records stand, in their order, and requests each file once', async () => {
    const { options, announce, requested } = open();
    await announce('news', planOf('big', ['one', 100, 10], ['two', 110, 20]));
    const resolver = joinedResolver(options, 'news');
    expect(await resolver.resolveAll([at('two'), at('alone'), at('one'), at('two', 9)])).toEqual([
      at('big', 113),
      at('alone'),
      at('big', 103),
      at('big', 119),
    ]);
    expect(requested).toEqual([3]);
  });

  test('remembers what is joined, and asks again for what is not yet', async () => {
    const { options, announce, requested } = open();
    await announce('news', planOf('big', ['one', 100, 10]));
    const resolver = joinedResolver(options, 'news');
    await resolver.resolveAll([at('one'), at('late')]);
    await announce('news', planOf('huge', ['late', 0, 10]));
    expect(await resolver.resolveAll([at('one'), at('late', 0)])).toEqual([at('big', 103), at('huge', 0)]);
    expect(await resolver.resolve(at('late'))).toEqual(at('huge'));
    expect(requested).toEqual([2, 1]);
  });

  test('refuses a record that reaches beyond its file', async () => {
    const { options, announce } = open();
    await announce('news', planOf('big', ['one', 100, 10]));
    const resolver = joinedResolver(options, 'news');
    expect(await resolver.resolve(at('one', 6))).toEqual(at('big', 106));
    await expect(resolver.resolve(at('one', 7))).rejects.toThrow('within the 10 bytes of one');
  });
});

test('what one call has found is known to the next one of that crawl, table and client alone', async () => {
  const { options, announce, requested } = open();
  const other = open();
  await announce('news', planOf('big', ['one', 100, 10]));
  const one = { file: 'one', offset: 3, length: 4 };
  const found = { file: 'big', offset: 103, length: 4 };
  expect(await resolveLocation(options, 'news', one)).toEqual(found);
  expect(await resolveLocation(options, 'news', one)).toEqual(found);
  expect(requested).toEqual([1]);
  expect(await resolveLocation(options, 'news-2', one)).toEqual(one);
  expect(await resolveLocation(other.options, 'news', one)).toEqual(one);
  expect(await resolveLocation({ ...options, table: 'U' }, 'news', one)).toEqual(one);
});

test('what was found for a hundred other crawls since is not kept', async () => {
  const { options, announce, requested } = open();
  await announce('news', planOf('big', ['one', 100, 10]));
  const resolve = (crawl: string) => resolveLocation(options, crawl, { file: 'one', offset: 3, length: 4 });
  await resolve('news');
  for (let i = 0; i < 50; i++) await resolve(`crawl-${i}`);
  const before = requested.length;
  await resolve('news');
  expect(requested.length).toBe(before);
  for (let i = 0; i < 200; i++) await resolve(`crawl-${i}`);
  const then = requested.length;
  await resolve('news');
  expect(requested.length).toBe(then + 1);
});
