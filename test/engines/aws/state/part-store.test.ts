/**
 * Parts of ledgers in rows and objects: what is there already, what is not, and what another attempt has
 * left.
 */
import { ConditionalCheckFailedException, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { describe, expect, type MockInstance, test, vi } from 'vitest';
import { createPartStore } from '../../../../shared/engines/aws/state/part-store.ts';
import { partObject } from '../../../../shared/engines/aws/state/tables.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

const [CRAWL, HOST] = ['crawl', 'a.test'];
const MAX_ROW_BYTES = 100;
const bytesOf = (size: number, first = 1) => Uint8Array.from({ length: size }, (_, i) => (i + first) % 251);

function open() {
  const { clients, s3 } = createServices();
  const reads: unknown[] = [];
  let misses = 0;
  const send = clients.dynamo.send.bind(clients.dynamo) as (command: unknown) => Promise<never>;
  const dynamo = {
    async send(command: unknown) {
      if (command instanceof GetItemCommand) {
        reads.push(command.input.ConsistentRead);
        if (!command.input.ConsistentRead && misses-- > 0) return {};
      }
      return send(command);
    },
  } as unknown as typeof clients.dynamo;
  const store = createPartStore({
    ...{ dynamo, s3: clients.s3, clock: createFakeClock(), maxRowBytes: MAX_ROW_BYTES },
    names: { urlSeen: 'U', bucket: 'b' },
  });
  return {
    ...{ store, reads, objects: () => [...s3.objects('b').keys()] },
    s3: clients.s3,
    /** The next read that may lag does. */
    missNext() {
      misses = 1;
    },
  };
}

test('a part of as many bytes as a row takes is a row, a larger one an object', async () => {
  const { store, objects } = open();
  await store.putPart(CRAWL, HOST, 'row', bytesOf(MAX_ROW_BYTES));
  expect(objects()).toEqual([]);
  await store.putPart(CRAWL, HOST, 'object', bytesOf(MAX_ROW_BYTES + 1));
  expect(objects()).toEqual([partObject(CRAWL, HOST, 'object')]);
});

test('a row that DynamoDB refuses, without saying what is there, is a failure', async () => {
  const { clients } = createServices();
  const refusal = new ConditionalCheckFailedException({ message: 'it was refused', $metadata: {} });
  const store = createPartStore({
    ...{ dynamo: { send: () => Promise.reject(refusal) } as never, s3: clients.s3 },
    ...{ clock: createFakeClock(), maxRowBytes: MAX_ROW_BYTES, names: { urlSeen: 'U', bucket: 'b' } },
  });
  for (const size of [50, 500])
    await expect(store.putPart(CRAWL, HOST, 'p', bytesOf(size))).rejects.toThrow('differs');
});

test('an object that S3 does not store, for another reason than that it is there, is a failure', async () => {
  const { clients } = createServices();
  const s3 = {
    send: async () =>
      Promise.reject(Object.assign(new Error('denied'), { $metadata: { httpStatusCode: 403 } })),
  } as unknown as typeof clients.s3;
  const store = createPartStore({
    ...{ dynamo: clients.dynamo, s3, clock: createFakeClock(), maxRowBytes: MAX_ROW_BYTES },
    names: { urlSeen: 'U', bucket: 'b' },
  });
  await expect(store.putPart(CRAWL, HOST, 'p', bytesOf(500))).rejects.toThrow('denied');
});

test('an object that somebody has deleted is lost, and one that S3 refuses is not', async () => {
  const { store, objects, s3 } = open();
  await store.putPart(CRAWL, HOST, 'p', bytesOf(500));
  const send = vi.spyOn(s3, 'send') as unknown as MockInstance<() => Promise<never>>;
  send.mockRejectedValueOnce(Object.assign(new Error('denied'), { name: 'AccessDenied' }));
  await expect(store.readPart(CRAWL, HOST, 'p')).rejects.toMatchObject({ name: 'AccessDenied' });
  send.mockRestore();
  await s3.send(new DeleteObjectsCommand({ Bucket: 'b', Delete: { Objects: [{ Key: objects()[0] }] } }));
  for (const range of [[], [10, 20]])
    await expect(store.readPart(CRAWL, HOST, 'p', ...range)).rejects.toMatchObject({
      name: 'LostPart',
      part: 'p',
    });
});

describe.each([50, 500])('a part of %i bytes', (size) => {
  test('that is stored again must be the same', async () => {
    const { store } = open();
    await store.putPart(CRAWL, HOST, 'p', bytesOf(size));
    await store.putPart(CRAWL, HOST, 'p', bytesOf(size));
    for (const other of [bytesOf(size, 2), bytesOf(size + 1), bytesOf(99), bytesOf(999)])
      await expect(store.putPart(CRAWL, HOST, 'p', other)).rejects.toThrow(
        "the part p of a.test's ledger is there already, and differs",
      );
    expect(Buffer.from(await store.readPart(CRAWL, HOST, 'p'))).toEqual(Buffer.from(bytesOf(size)));
  });

  test('is read at half the price where it is seen at once, and again where it is not', async () => {
    const { store, reads } = open();
    await store.putPart(CRAWL, HOST, 'p', bytesOf(size));
    await store.readPart(CRAWL, HOST, 'p');
    expect(reads).toEqual([false]);
    await expect(store.readPart(CRAWL, HOST, 'none')).rejects.toThrow(
      "the part none of a.test's ledger is not there",
    );
    expect(reads).toEqual([false, false, true]);
  });

  test('that was not there is read once it is, also while reads at half the price miss it', async () => {
    const { store, missNext } = open();
    await expect(store.readPart(CRAWL, HOST, 'p')).rejects.toThrow('is not there');
    await store.putPart(CRAWL, HOST, 'p', bytesOf(size));
    missNext();
    expect(Buffer.from(await store.readPart(CRAWL, HOST, 'p'))).toEqual(Buffer.from(bytesOf(size)));
  });

  test.each([
    [0, undefined],
    [10, undefined],
    [10, 20],
    [size - 1, 1],
    [size - 5, 100],
    [10, 0],
    [size, 10],
  ])('gives its bytes from %i, %s of them, as far as there are any', async (offset, length) => {
    const { store } = open();
    await store.putPart(CRAWL, HOST, 'p', bytesOf(size));
    const end = length === undefined ? undefined : offset + length;
    expect(Buffer.from(await store.readPart(CRAWL, HOST, 'p', offset, length))).toEqual(
      Buffer.from(bytesOf(size).subarray(offset, end)),
    );
  });
});

describe('parts that are deleted', () => {
  test('are gone, rows and objects, and others stay; a name may stand there twice, or be that of none', async () => {
    const { store, objects } = open();
    for (const [name, size] of Object.entries({ row: 50, object: 500, row2: 50, object2: 500 }))
      await store.putPart(CRAWL, HOST, name, bytesOf(size));
    await store.putPart(CRAWL, 'b.test', 'object', bytesOf(500));
    await store.deleteParts(CRAWL, HOST, ['row', 'object', 'row', 'none']);
    expect(await store.listParts(CRAWL, HOST)).toEqual(['object2', 'row2']);
    expect(objects()).toEqual([partObject(CRAWL, HOST, 'object2'), partObject(CRAWL, 'b.test', 'object')]);
    await store.deleteParts(CRAWL, HOST, []);
    expect(await store.listParts(CRAWL, HOST)).toHaveLength(2);
  });

  test.each(['DeleteObjects', 'BatchWriteItem'])(
    'are still listed if %s fails, so that they are deleted the next time',
    async (failing) => {
      const { clients, s3 } = createServices();
      let isDown = true;
      const refusing = (client: { send(command: never): Promise<unknown> }) => ({
        async send(command: never) {
          if (isDown && (command as object).constructor.name === `${failing}Command`)
            throw Object.assign(new Error(`no ${failing}`), { name: 'AccessDenied' });
          return client.send(command);
        },
      });
      const store = createPartStore({
        ...{ dynamo: refusing(clients.dynamo) as never, s3: refusing(clients.s3) as never },
        ...{ clock: createFakeClock(), maxRowBytes: MAX_ROW_BYTES },
        names: { urlSeen: 'U', bucket: 'b' },
      });
      await store.putPart(CRAWL, HOST, 'object', bytesOf(500));
      await expect(store.deleteParts(CRAWL, HOST, ['object'])).rejects.toThrow(`no ${failing}`);
      expect(await store.listParts(CRAWL, HOST)).toEqual(['object']);
      isDown = false;
      await store.deleteParts(CRAWL, HOST, ['object']);
      expect([await store.listParts(CRAWL, HOST), [...s3.objects('b').keys()]]).toEqual([[], []]);
    },
  );
});
