/** The counters of a crawl, over the model of DynamoDB. */
import { describe, expect, test } from 'vitest';
import { createMeter } from '../../../../shared/engines/aws/cost/meter.ts';
import type { LineItem, Usage } from '../../../../shared/engines/aws/cost/prices.ts';
import { createCrawlCounters } from '../../../../shared/engines/aws/state/crawl-counters.ts';
import { createServices, key, N } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock, T0 } from '../../../crawler/worker/fake-clock.ts';
import { throttling } from '../throttled.ts';

interface Sent {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** `fails`: the outcome of a call, by its number from 0. */
function open(fails: (n: number) => 'before' | 'after' | undefined = () => undefined) {
  const { clients, dynamo, call } = createServices();
  const clock = createFakeClock();
  const sent: Sent[] = [];
  const warnings: string[] = [];
  const client = {
    send: async (command: never) => {
      const how = fails(sent.length);
      const { input } = command as Pick<Sent, 'input'>;
      sent.push({ name: (command as object).constructor.name, input });
      if (how === 'before') throw new Error('no connection');
      const answer = await clients.dynamo.send(command);
      if (how === 'after') throw new Error('the answer was lost');
      return answer;
    },
  };
  const createOver = (client: typeof clients.dynamo) =>
    createCrawlCounters({ dynamo: client, table: 'T', clock, warn: (message) => warnings.push(message) });
  const create = () => createOver(client as unknown as typeof clients.dynamo);
  return {
    ...{ clock, sent, warnings, create, call },
    counters: create(),
    throttled: createOver(throttling(clients.dynamo)),
    items: () => [...dynamo.items('T')],
  };
}

const updates = (sent: readonly Sent[]) => sent.filter(({ name }) => name === 'UpdateItemCommand').length;

test('differences add up, of each crawl by itself, and the time of the last one is known', async () => {
  const { clock, counters } = open();
  await counters.add('crawl', { pages: 2, bytes: 10 });
  await clock.advance(5000);
  await counters.add('crawl', { pages: 3, hosts: -1 });
  await counters.add('other', { pages: 100 });
  expect(await counters.read('crawl')).toMatchObject({
    counts: { pages: 5, bytes: 10, hosts: -1 },
    lastAt: T0 + 5000,
  });
  expect(await counters.read('unknown')).toMatchObject({ counts: {}, lastAt: 0, isExact: false });
});

test('what was added last is read: no read may lag', async () => {
  const { counters, sent } = open();
  await counters.add('crawl', { pages: 2 });
  await counters.read('crawl');
  const reads = sent.filter(({ name }) => name !== 'UpdateItemCommand');
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.map(({ input }) => input.ConsistentRead)).toEqual(reads.map(() => true));
});

test('no difference at all is noted too: its time counts', async () => {
  const { counters } = open();
  await counters.add('crawl', {});
  expect(await counters.read('crawl')).toMatchObject({ counts: {}, lastAt: T0 });
});

test('differences that come at the same time share a call, and none is lost', async () => {
  const { counters, sent } = open();
  await Promise.all(Array.from({ length: 20 }, (_, i) => counters.add('crawl', { pages: 1, bytes: i })));
  expect((await counters.read('crawl')).counts).toEqual({ pages: 20, bytes: 190 });
  expect(updates(sent)).toBe(2);
});

test('processes have counters of their own, which add up', async () => {
  const { create } = open();
  const processes = Array.from({ length: 30 }, create);
  for (const counters of processes) await counters.add('crawl', { pages: 1 });
  expect((await (processes[0] as ReturnType<typeof create>).read('crawl')).counts).toEqual({ pages: 30 });
});

test('what could not be stored is stored with the next differences, after a warning', async () => {
  const { counters, warnings } = open((n) => (n === 0 ? 'before' : undefined));
  await counters.add('crawl', { pages: 1 });
  expect(warnings).toEqual(['totals of crawl are behind: no connection']);
  await counters.add('crawl', { pages: 2 });
  expect((await counters.read('crawl')).counts).toEqual({ pages: 3 });
});

test('a call whose answer was lost counts once when it is repeated', async () => {
  const { counters } = open((n) => (n === 0 ? 'after' : undefined));
  await counters.add('crawl', { pages: 1 });
  await counters.add('crawl', { pages: 2 });
  expect((await counters.read('crawl')).counts).toEqual({ pages: 3 });
});

test('more than 100 counts go by several calls, each once', async () => {
  const { counters, sent } = open();
  const counts = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`count ${i}`, i + 1]));
  await counters.add('crawl', counts);
  expect((await counters.read('crawl')).counts).toEqual(counts);
  expect(updates(sent)).toBe(3);
});

test('sums can be replaced: of all processes, at once', async () => {
  const { clock, create, items } = open();
  const processes = Array.from({ length: 30 }, create);
  for (const counters of processes) await counters.add('crawl', { pages: 7, hosts: 1 });
  expect(items().length).toBeGreaterThan(1);
  await clock.advance(1000);
  const [first] = processes as [ReturnType<typeof create>];
  const before = await first.read('crawl');
  expect(before).toMatchObject({ counts: { pages: 210 }, lastAt: T0, isExact: false });
  expect(await first.replace('crawl', before, { pages: 5 })).toBe(true);
  expect(await first.read('crawl')).toMatchObject({ counts: { pages: 5 }, lastAt: T0, isExact: true });
  expect(items()).toHaveLength(1);
  await first.add('crawl', { pages: 1 });
  expect(await first.read('crawl')).toMatchObject({
    counts: { pages: 6 },
    lastAt: T0 + 1000,
    isExact: false,
  });
});

test('sums to which something was added meanwhile are not replaced', async () => {
  const { create } = open();
  const [first, second] = [create(), create()];
  await first.add('crawl', { pages: 7 });
  const read = await first.read('crawl');
  await second.add('crawl', { pages: 1 });
  await first.add('crawl', { pages: 1 });
  expect(await first.replace('crawl', read, { pages: 7 })).toBe(false);
  expect((await first.read('crawl')).counts).toEqual({ pages: 9 });
  const replaced = await first.read('crawl');
  expect(await first.replace('crawl', replaced, { pages: 8 })).toBe(true);
  // Read before the replacement, and nothing added since: still out of date.
  expect(await second.replace('crawl', replaced, { pages: 9 })).toBe(false);
  expect((await second.read('crawl')).counts).toEqual({ pages: 8 });
});

test('sums are not replaced if a process has added its first difference since they were read', async () => {
  const { create, items } = open();
  const shards = new Set<string | undefined>();
  const [reader, ...others] = Array.from({ length: 60 }, create) as [
    ReturnType<typeof create>,
    ...ReturnType<typeof create>[],
  ];
  let pages = 0;
  for (const counters of others) {
    const read = await reader.read('crawl');
    await counters.add('crawl', { pages: 1 });
    pages++;
    const before = shards.size;
    for (const { sk } of items()) shards.add(sk?.S);
    // Its counters are new: nothing that was read says anything about them.
    if (shards.size > before) expect(await reader.replace('crawl', read, { pages: 99 })).toBe(false);
  }
  expect(shards.size).toBe(8);
  expect((await reader.read('crawl')).counts).toEqual({ pages });
});

test('sums in a row that names no last addition are replaced, unless something was added to them since', async () => {
  for (const isAdded of [false, true]) {
    const { create, call, items } = open();
    const rows = Array.from({ length: 8 }, (_, shard) => ({
      ...key('crawl', `totals#${shard}`),
      'n.pages': N(5),
    }));
    for (const Item of rows) call('PutItem', { Item });
    const counters = create();
    const read = await counters.read('crawl');
    expect(read.counts).toEqual({ pages: 40 });
    if (isAdded) await create().add('crawl', { pages: 1 });
    expect(await counters.replace('crawl', read, { pages: 7 })).toBe(!isAdded);
    expect((await counters.read('crawl')).counts).toEqual({ pages: isAdded ? 41 : 7 });
    expect(items()).toHaveLength(isAdded ? 8 : 1);
  }
});

test('differences are added, read and replaced, though each call is refused once for its rate', async () => {
  const { clock, throttled, warnings } = open();
  await clock.drive(throttled.add('crawl', { pages: 3 }));
  const read = await clock.drive(throttled.read('crawl'));
  expect(read?.counts).toEqual({ pages: 3 });
  expect(await clock.drive(throttled.replace('crawl', read!, { pages: 2 }))).toBe(true);
  expect((await clock.drive(throttled.read('crawl')))?.counts).toEqual({ pages: 2 });
  expect(warnings).toEqual([]);
});

test('usage of a crawl that could not be stored is stored with the next call, if there is the crawl', async () => {
  for (const isThere of [true, false]) {
    const { clients } = createServices();
    const clock = createFakeClock();
    const state = { isAway: false, isThere: true };
    const dynamo = {
      async send(command: never) {
        if (state.isAway) throw new Error('no connection');
        return clients.dynamo.send(command);
      },
    } as unknown as typeof clients.dynamo;
    const meter = createMeter({ clock, memoryMb: 1024 });
    const exists = async () => state.isThere;
    const counters = createCrawlCounters({ dynamo, table: 'T', clock, meter, exists });
    if (isThere) await counters.add('crawl', { pages: 1 });
    state.isAway = true;
    meter.add('s3Puts', 2, 'crawl');
    await counters.flush();
    Object.assign(state, { isAway: false, isThere });
    await counters.flush();
    expect((await counters.read('crawl')).counts['usage.s3Puts']).toBe(isThere ? 2 : undefined);
  }
});

describe('at the end of an invocation', () => {
  const WORTH = { s3Puts: 1 };

  function metered(options: { readonly exists?: (crawl: string) => Promise<boolean> } = {}) {
    const { clients } = createServices();
    const clock = createFakeClock();
    const meter = createMeter({ clock });
    /** Called before each update of the crawl's counters. */
    const before: { on?: (crawl: string) => Promise<void> } = {};
    const updated: string[] = [];
    const warnings: string[] = [];
    let atOnce = 0;
    let most = 0;
    const dynamo = {
      async send(command: { readonly input: { readonly Key?: { readonly pk?: { readonly S?: string } } } }) {
        const crawl = command.input.Key?.pk?.S ?? '';
        const isUpdate = command.constructor.name === 'UpdateItemCommand';
        if (!isUpdate) return clients.dynamo.send(command as never);
        most = Math.max(most, ++atOnce);
        try {
          await before.on?.(crawl);
          updated.push(crawl);
          // In the name of the crawl that the write is for.
          meter.add('dynamoWriteUnits', 1);
          return await clients.dynamo.send(command as never);
        } finally {
          atOnce--;
        }
      },
    } as unknown as typeof clients.dynamo;
    const warn = (message: string) => void warnings.push(message);
    const counters = createCrawlCounters({ dynamo, table: 'T', clock, meter, warn, ...options });
    const usageOf = async (crawl: string) => (await counters.read(crawl)).counts;
    const use = (crawl: string, usage: Usage) => {
      for (const item in usage) meter.add(item as LineItem, usage[item as LineItem]!, crawl);
    };
    return { counters, clock, meter, before, updated, warnings, usageOf, use, most: () => most };
  }

  test('a thousand crawls are stored some at a time, each once', async () => {
    const { counters, updated, use, usageOf, most, before } = metered();
    before.on = async () => void (await Promise.resolve());
    for (let i = 0; i < 1000; i++) use(`c${i}`, WORTH);
    await counters.flush();
    expect(new Set(updated).size).toBe(1000);
    expect([updated.length, most()]).toEqual([1000, 16]);
    expect(await usageOf('c999')).toMatchObject({ 'usage.s3Puts': 1 });
  });

  test('nothing is begun when time is up, and the next invocation stores the rest: nothing is lost', async () => {
    const { counters, clock, updated, use, usageOf, before } = metered();
    const crawls = Array.from({ length: 100 }, (_, i) => `c${i}`);
    for (const crawl of crawls) use(crawl, WORTH);
    before.on = async () => clock.set(100);
    await counters.flush(clock.now() + 1000);
    const first = updated.length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(40);
    before.on = async () => {};
    for (const crawl of crawls) use(crawl, WORTH);
    await counters.flush(clock.now() + 1000);
    for (const crawl of crawls) expect(await usageOf(crawl)).toMatchObject({ 'usage.s3Puts': 2 });
  });

  test('a crawl whose counters cannot be stored holds up no other, and is stored later, once', async () => {
    const { counters, updated, warnings, use, usageOf, before } = metered();
    before.on = async (crawl) => {
      if (crawl === 'a') throw new Error('no connection');
    };
    for (const crawl of ['a', 'b']) use(crawl, WORTH);
    await counters.flush();
    expect([updated, warnings]).toEqual([['b'], ['totals of a are behind: no connection']]);
    before.on = async () => {};
    await counters.flush();
    await counters.flush();
    expect(await usageOf('a')).toMatchObject({ 'usage.s3Puts': 1 });
  });

  test('an addition that DynamoDB refuses is left out with one word, and all others are stored', async () => {
    const { counters, warnings, use, usageOf, before } = metered();
    before.on = async (crawl) => {
      if (crawl === 'bad') throw Object.assign(new Error('type mismatch'), { name: 'ValidationException' });
    };
    for (const crawl of ['bad', 'good']) use(crawl, WORTH);
    for (let i = 0; i < 3; i++) await counters.flush();
    expect(warnings).toEqual(['totals of bad: an addition is refused, and left out: type mismatch']);
    expect(await usageOf('good')).toMatchObject({ 'usage.s3Puts': 1 });
  });

  test('what is worth less than a write is the stack’s, in one write for all crawls', async () => {
    const { counters, updated, use, usageOf } = metered();
    for (let i = 0; i < 1000; i++) use(`c${i}`, { dynamoReadUnits: 1 });
    await counters.flush();
    expect(updated).toEqual(['#stack']);
    expect(await usageOf('#stack')).toEqual({ 'usage.dynamoReadUnits': 1000 });
    expect(await usageOf('c1')).toEqual({});
  });

  test('a process that is invoked in vain writes nothing: not even for its own last write', async () => {
    const { counters, updated, use } = metered();
    use('a', WORTH);
    for (let i = 0; i < 10; i++) await counters.flush();
    expect(updated.length).toBeLessThanOrEqual(2);
  });

  test('what was used for a crawl that is deleted meanwhile is the stack’s', async () => {
    const { counters, use, usageOf } = metered({ exists: async () => false });
    use('gone', { s3Puts: 5 });
    await counters.flush();
    await counters.flush();
    expect(await usageOf('gone')).toEqual({});
    expect(await usageOf('#stack')).toMatchObject({ 'usage.s3Puts': 5 });
  });
});
