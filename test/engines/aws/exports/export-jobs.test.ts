/** The list of a stack's exports: one function at a time works on each, and no slice of its work counts twice. */
import { DeleteItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { ExportJobs, ExportLost } from '../../../../shared/engines/aws/exports/export-jobs.ts';
import { NO_PROGRESS } from '../../../../shared/services/exports/held-export.ts';
import { createServices, key } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { throttled } from '../throttled.ts';

const HOUR = 3_600_000;
const HALF = { files: 2, bytes: 300, records: 40, skipped: 1, share: 0.5 };

type Command = { readonly constructor: { readonly name: string } };

/** `refuses`: that call fails. */
function setUp({ refuses = '' } = {}) {
  const { clients } = createServices();
  const clock = { ...createFakeClock(), sleep: async () => {} };
  let isLosing = false;
  const dynamo = {
    async send(command: Command) {
      const { name } = command.constructor;
      if (name === `${refuses}Command`) throw new Error('no table');
      const send = () => clients.dynamo.send(command as never);
      if (isLosing) await send();
      isLosing = false;
      return send();
    },
  } as unknown as DynamoDBClient;
  let now = clock.now();
  const moving = { ...clock, now: () => now };
  const open = () => new ExportJobs({ dynamo, clock: moving, table: 'T', bucket: 'b' });
  return {
    open,
    /** The answer to the next call is lost, and the SDK sends it again. */
    loseAnswer() {
      isLosing = true;
    },
    at: () => now,
    pass: (ms: number) => {
      now += ms;
    },
    async stored(crawl: string, id: string) {
      const Key = key('#exports', `${crawl} ${id}`);
      return (await clients.dynamo.send(new GetItemCommand({ TableName: 'T', Key }))).Item;
    },
    remove: (crawl: string, id: string) =>
      clients.dynamo.send(new DeleteItemCommand({ TableName: 'T', Key: key('#exports', `${crawl} ${id}`) })),
  };
}

describe('the list', () => {
  test('an export that begins waits, has nothing yet, and says where its files will be', async () => {
    const { open, at } = setUp();
    const begun = await open().begin('c', { format: 'parquet', tables: ['index'] });
    const stamp = new Date(at()).toISOString();
    expect(begun).toEqual({
      crawl: 'c',
      id: begun.id,
      format: 'parquet',
      tables: ['index'],
      state: 'waiting',
      location: `s3://b/exports/c/${begun.id}/`,
      requestedAt: stamp,
      ...NO_PROGRESS,
    });
    expect(begun.id).toMatch(new RegExp(`^parquet-${stamp.replace(/\D/g, '').slice(0, 14)}-[0-9a-f]{4}$`));
    expect(await open().load('c', begun.id)).toEqual(begun);
    expect(await open().load('d', begun.id)).toBeUndefined();
  });

  test('two that begin at the same time are two', async () => {
    const jobs = setUp().open();
    await jobs.begin('c', { format: 'wet' });
    await jobs.begin('c', { format: 'wet' });
    expect(await jobs.list('c')).toHaveLength(2);
  });

  test('one with a name begins once, and a later call gets how far it is', async () => {
    const { open, at } = setUp();
    const first = await open().begin('c', { format: 'wet' }, 'at-end');
    const held = await open().take('c', 'at-end', at() + HOUR);
    const again = await open().begin('c', { format: 'wat' }, 'at-end');
    expect([first.id, again.id, again.format, again.state]).toEqual(['at-end', 'at-end', 'wet', 'running']);
    expect(held).toBeDefined();
    expect(await open().list('c')).toHaveLength(1);
  });

  test('each call for one with a name gets how far it is then', async () => {
    const { open, at } = setUp();
    const jobs = open();
    const state = async () => (await jobs.begin('c', { format: 'wet' }, 'at-end')).state;
    const states = [await state(), await state()];
    const held = (await jobs.take('c', 'at-end', at() + HOUR))!;
    states.push(await state());
    await jobs.end(held, 'done');
    states.push(await state());
    expect(states).toEqual(['waiting', 'waiting', 'running', 'done']);
  });

  test('an error of the table is no sign that it has begun', async () => {
    const { open } = setUp({ refuses: 'PutItem' });
    await expect(open().begin('c', { format: 'wet' }, 'at-end')).rejects.toThrow('no table');
  });

  test('those of one crawl are listed apart from those of another whose name begins like it', async () => {
    const { open, at } = setUp();
    const jobs = open();
    for (const [crawl, id] of [
      ['c', 'one'],
      ['c', 'two'],
      ['c2', 'three'],
      ['b', 'four'],
    ] as const)
      await jobs.begin(crawl, { format: 'wet' }, id);
    expect((await jobs.list('c')).map(({ id }) => id)).toEqual(['one', 'two']);
    const [two, four] = [await jobs.take('c', 'two', at() + HOUR), await jobs.take('b', 'four', at() + HOUR)];
    await jobs.end(two!, 'done');
    await jobs.end(four!, 'failed', 'no files');
    expect(await jobs.open()).toEqual([
      { crawl: 'c', id: 'one' },
      { crawl: 'c2', id: 'three' },
    ]);
    await jobs.forget('c');
    expect(await jobs.list('c')).toEqual([]);
    expect((await jobs.list('c2')).map(({ id }) => id)).toEqual(['three']);
  });
});

describe('the function that works on it', () => {
  test('has it alone until its lease is over', async () => {
    const { open, at, pass } = setUp();
    const [a, b] = [open(), open()];
    await a.begin('c', { format: 'wet' }, 'x');
    expect(await a.take('c', 'x', at() + HOUR)).toEqual({
      crawl: 'c',
      id: 'x',
      request: { format: 'wet' },
      version: 0,
      tries: 1,
      progress: NO_PROGRESS,
    });
    expect(await b.take('c', 'x', at() + HOUR)).toBeUndefined();
    pass(HOUR);
    expect(await b.take('c', 'x', at() + HOUR)).toBeUndefined();
    pass(1);
    expect(await b.take('c', 'x', at() + HOUR)).toMatchObject({ tries: 2, version: 0 });
    expect(await a.load('c', 'x')).toMatchObject({ state: 'running' });
  });

  test('a slice that counts is what the next one continues, whose tries are counted from the first', async () => {
    const { open, at } = setUp();
    const [a, b] = [open(), open()];
    await a.begin('c', { format: 'wet' }, 'x');
    const held = await a.take('c', 'x', at() + HOUR);
    const after = await a.advance(held!, HALF);
    expect(after).toEqual({ ...held, version: 1, tries: 0, progress: HALF });
    expect(await a.load('c', 'x')).toMatchObject({ state: 'running', ...HALF });
    await a.release(after);
    expect(await b.take('c', 'x', at() + 2 * HOUR)).toMatchObject({ version: 1, tries: 1, progress: HALF });
  });

  test('a slice of a function whose lease another one has does not count', async () => {
    const { open, at, pass } = setUp();
    const [a, b] = [open(), open()];
    await a.begin('c', { format: 'wet' }, 'x');
    const old = await a.take('c', 'x', at() + HOUR);
    pass(HOUR + 1);
    const held = await b.take('c', 'x', at() + HOUR);
    await expect(a.advance(old!, HALF)).rejects.toThrow(ExportLost);
    await a.release(old!);
    await a.end(old!, 'failed', 'late');
    const next = await b.advance(held!, HALF);
    // As it was stored: not over, and still held.
    expect(await b.load('c', 'x')).toMatchObject({ state: 'running', ...HALF });
    expect((await b.load('c', 'x'))?.message).toBeUndefined();
    expect(await a.take('c', 'x', at() + 2 * HOUR)).toBeUndefined();
    expect(next).toMatchObject({ version: 1 });
  });

  test("an export that was deleted is nobody's, and does not come back", async () => {
    const { open, at, remove, stored } = setUp();
    const jobs = open();
    await jobs.begin('c', { format: 'wet' }, 'x');
    const held = await jobs.take('c', 'x', at() + HOUR);
    await remove('c', 'x');
    await expect(jobs.advance(held!, HALF)).rejects.toThrow(/another function works on x of the crawl c/);
    await jobs.end(held!, 'done');
    await jobs.release(held!);
    expect(await jobs.take('c', 'x', at() + HOUR)).toBeUndefined();
    expect(await stored('c', 'x')).toBeUndefined();
  });

  test.each(['done', 'failed'] as const)('one that is %s stays so, and is taken no more', async (state) => {
    const { open, at, pass, stored } = setUp();
    const jobs = open();
    await jobs.begin('c', { format: 'wet' }, 'x');
    const held = await jobs.take('c', 'x', at() + HOUR);
    pass(1000);
    await jobs.end(held!, state, state === 'failed' ? 'no files' : undefined);
    const shown = await jobs.load('c', 'x');
    expect(shown).toMatchObject({ state, endedAt: new Date(at()).toISOString() });
    expect(shown?.message).toBe(state === 'failed' ? 'no files' : undefined);
    expect(await stored('c', 'x')).not.toHaveProperty('holder');
    pass(2 * HOUR);
    expect(await jobs.take('c', 'x', at() + HOUR)).toBeUndefined();
  });

  test('one that is given back is taken at once, without a failed one to give it back', async () => {
    const { open, at } = setUp();
    const jobs = open();
    await jobs.begin('c', { format: 'wet' }, 'x');
    await jobs.release((await jobs.take('c', 'x', at() + HOUR))!);
    expect(await open().take('c', 'x', at() + HOUR)).toMatchObject({ tries: 2 });
    const failing = setUp({ refuses: 'UpdateItem' }).open();
    const held = {
      crawl: 'c',
      id: 'x',
      request: { format: 'wet' as const },
      version: 0,
      tries: 1,
      progress: NO_PROGRESS,
    };
    await expect(failing.release(held)).resolves.toBeUndefined();
    await expect(failing.end(held, 'done')).rejects.toThrow('no table');
    await expect(failing.advance(held, HALF)).rejects.toThrow('no table');
    await expect(failing.take('c', 'x', at() + HOUR)).rejects.toThrow('no table');
  });

  test('a change whose answer was lost counts once', async () => {
    const { open, at, loseAnswer } = setUp();
    const jobs = open();
    loseAnswer();
    expect(await jobs.begin('c', { format: 'wet' }, 'x')).toMatchObject({ state: 'waiting' });
    loseAnswer();
    const held = await jobs.take('c', 'x', at() + HOUR);
    expect(held).toMatchObject({ tries: 1, version: 0 });
    loseAnswer();
    const after = await jobs.advance(held!, HALF);
    expect(after).toMatchObject({ version: 1 });
    // A slice that was not counted is not taken for the one before it.
    await expect(jobs.advance({ ...after, version: 4 }, HALF)).rejects.toThrow(ExportLost);
    loseAnswer();
    await jobs.end(after, 'done');
    expect(await jobs.load('c', 'x')).toMatchObject({ state: 'done', ...HALF });
  });
});

test('each call that is throttled is made again', async () => {
  const { clients } = createServices();
  const clock = createFakeClock();
  const { client: dynamo, refused } = throttled(clients.dynamo);
  const jobs = new ExportJobs({ dynamo, clock, table: 'T', bucket: 'b' });
  async function work() {
    await jobs.begin('c', { format: 'wet' }, 'x');
    const held = await jobs.take('c', 'x', clock.now() + HOUR);
    const after = await jobs.advance(held!, HALF);
    expect(await jobs.load('c', 'x')).toMatchObject({ state: 'running', ...HALF });
    await jobs.end(after, 'done');
    expect(await jobs.open()).toEqual([]);
    await jobs.forget('c');
    return jobs.list('c');
  }
  expect(await clock.drive(work())).toEqual([]);
  expect(new Set(refused)).toEqual(new Set(['PutItem', 'UpdateItem', 'GetItem', 'Query', 'DeleteItem']));
});
