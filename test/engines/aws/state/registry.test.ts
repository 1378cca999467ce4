/** Crawls on AWS: what each change of one must have done when it comes back, over the model of DynamoDB. */
import { describe, expect, test } from 'vitest';
import { ARRIVING } from '../../../../shared/core/causes/status-reason.ts';
import type { Head } from '../../../../shared/core/frontier/head.ts';
import type { Meter } from '../../../../shared/engines/aws/cost/meter.ts';
import { createRegistry } from '../../../../shared/engines/aws/state/registry.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { headOf, RECORD } from '../../../contract/subjects.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

type Keyed = { readonly sk?: { readonly S?: string } };
interface Written {
  readonly Item?: Keyed;
  readonly Key?: Keyed;
}

function open({ hasMessages = async () => false } = {}) {
  const { clients, dynamo, call } = createServices();
  const used = new Map<string, object>();
  const meter = {
    take() {
      const taken = new Map(used);
      used.clear();
      return taken;
    },
    run: (_: string, work: () => unknown) => work(),
  } as unknown as Meter;
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const before: { on?: ((command: string, sk: string | undefined) => Promise<void>) | undefined } = {};
  const client = {
    async send(command: {
      readonly constructor: { readonly name: string };
      readonly input: Written & { readonly TransactItems?: readonly { readonly Put?: Written }[] };
    }) {
      const { TransactItems: [first] = [] } = command.input;
      const { Item, Key } = first?.Put ?? command.input;
      await before.on?.(command.constructor.name, (Item ?? Key)?.sk?.S);
      return clients.dynamo.send(command as never);
    },
  } as unknown as typeof clients.dynamo;
  const names = { crawlState: 'T', dueShards: 1 };
  const registryOf = (dynamo: typeof client) =>
    createRegistry({ dynamo, names, clock, hasMessages, settleMs: 10_000, meter });
  return {
    registry: registryOf(client),
    /** Another process. */
    other: registryOf(clients.dynamo),
    clock,
    /** Usage that the meter gives next, by crawl. */
    used,
    /** Called before each call of the first process. */
    before,
    items: () => [...dynamo.items('T')].map(({ pk, sk }) => `${pk?.S} ${sk?.S}`),
    /** Deletes all items of a partition. */
    wipe(partition: string) {
      for (const { pk, sk } of [...dynamo.items('T')])
        if (pk?.S === partition) call('DeleteItem', { Key: { pk, sk } });
    },
  };
}

/** The hosts of a crawl; counts how often they are read. */
function hostsOf(heads: readonly Head[], onRead = async () => {}) {
  const seen = { reads: 0 };
  const ledgers = {
    async *hosts() {
      seen.reads++;
      await onRead();
      for (const [i, head] of heads.entries()) yield { host: `h${i}.test`, head };
    },
  };
  return { seen, ledgers };
}

describe('a recount', () => {
  const HEADS = [headOf(1, { urls: { waiting: 2 } }), headOf(4, { urls: { waiting: 1, fetched: 5 } })];

  test('reads the hosts once if nothing is counted meanwhile', async () => {
    const { registry } = open();
    await registry.create('c', RECORD);
    await registry.onCommit('c', undefined, headOf(1, { urls: { waiting: 99 } }));
    const { seen, ledgers } = hostsOf(HEADS);
    await registry.recount('c', ledgers);
    expect(seen.reads).toBe(1);
    expect(await registry.totals('c')).toMatchObject({
      hosts: 2,
      hostsWaiting: 2,
      urls: { waiting: 3, fetched: 5 },
    });
  });

  test('reads them again if something is, and gives up after five times', async () => {
    const { registry, other } = open();
    await registry.create('c', RECORD);
    let commits = 4;
    const count = async () => {
      if (commits-- > 0) await other.onCommit('c', undefined, headOf(1));
    };
    const { seen, ledgers } = hostsOf(HEADS, count);
    await registry.recount('c', ledgers);
    expect([seen.reads, (await registry.totals('c')).hosts]).toEqual([5, 2]);
    commits = 5;
    await expect(registry.recount('c', ledgers)).rejects.toThrow('the counters of c are being changed');
  });

  test('of a crawl that has finished makes its totals exact, until a head is committed', async () => {
    const { registry } = open();
    await registry.create('c', RECORD);
    await registry.recount('c', hostsOf(HEADS).ledgers);
    expect((await registry.totals('c')).isExact).toBe(false);
    await registry.setStatus('c', 'finished');
    expect((await registry.totals('c')).isExact).toBe(true);
    await registry.onCommit('c', HEADS[0], headOf(2));
    expect((await registry.totals('c')).isExact).toBe(false);
  });
});

describe('a change of a crawl', () => {
  test.each<[string, (registry: ReturnType<typeof open>['registry']) => Promise<unknown>]>([
    ['status', (registry) => registry.setStatus('none', 'stopped')],
    ['resume', (registry) => registry.resume('none')],
    ['settings', (registry) => registry.configure('none', { maxPages: 1 })],
    ['seeds', (registry) => registry.addScopeSeeds('none', ['http://a.test/'])],
    ['rules of URLs', (registry) => registry.setUrlRulesVersion('none', 2)],
    ['end of a copy', (registry) => registry.endCopy('none', { status: 'stopped', activeMs: 0 })],
  ])('that is not there fails: %s', async (_, change) => {
    await expect(change(open().registry)).rejects.toThrow('there is no crawl none');
  });

  test('that could not be stored fails, and the crawl is as it was', async () => {
    const { registry, before } = open();
    await registry.create('c', RECORD);
    before.on = async (command, sk) => {
      if (/^(Put|Transact)/.test(command) && sk === 'crawl') throw new Error('the table is full');
    };
    const changes = [
      () => registry.setStatus('c', 'stopped'),
      () => registry.resume('c'),
      () => registry.configure('c', { maxPages: 1 }),
      () => registry.addScopeSeeds('c', ['http://b.test/']),
      () => registry.setUrlRulesVersion('c', 9),
    ];
    for (const change of changes) await expect(change()).rejects.toThrow('the table is full');
    expect(await registry.load('c')).toEqual(RECORD);
    expect(await registry.listRunning()).toEqual(['c']);
  });

  test('adds seeds that are new, each once, and writes nothing for those that are known', async () => {
    const { registry, before } = open();
    await registry.create('c', RECORD);
    await registry.addScopeSeeds('c', ['http://b.test/', 'http://a.test/', 'http://b.test/']);
    expect((await registry.load('c'))?.scopeSeeds).toEqual(['http://a.test/', 'http://b.test/']);
    const written: (string | undefined)[] = [];
    before.on = async (command, sk) => {
      if (command === 'PutItemCommand') written.push(sk);
    };
    await registry.addScopeSeeds('c', ['http://b.test/']);
    await registry.setUrlRulesVersion('c', RECORD.urlRulesVersion);
    expect(written).toEqual([]);
  });
});

describe('the list of crawls that run', () => {
  test('has a crawl from its creation to its end, and again when it is resumed', async () => {
    const { registry } = open();
    await registry.create('c', RECORD);
    await registry.create('idle', { ...RECORD, status: 'stopped' });
    expect(await registry.listRunning()).toEqual(['c']);
    expect((await registry.list()).sort()).toEqual(['c', 'idle']);
    await registry.setStatus('c', 'finished');
    expect(await registry.listRunning()).toEqual([]);
    expect((await registry.listUnannounced()).map(({ crawl }) => crawl)).toEqual(['c']);
    const [entered] = await registry.listUnannounced();
    await registry.noteAnnounced(entered!);
    expect(await registry.listUnannounced()).toEqual([]);
    await registry.resume('c');
    expect(await registry.listRunning()).toEqual(['c']);
    expect((await registry.listUnannounced()).map(({ crawl }) => crawl)).toEqual(['c']);
  });

  test.each(['resume', 'setStatus'] as const)(
    'has it when %s is over, though another process stopped it meanwhile',
    async (method) => {
      const { registry, other, before } = open();
      await registry.create('c', RECORD);
      await registry.setStatus('c', 'stopped');
      let isStruck = false;
      // Between the reading and the writing of the first process.
      before.on = async (command) => {
        if (command !== 'TransactWriteItemsCommand' || isStruck) return;
        isStruck = true;
        await other.setStatus('c', 'stopped');
      };
      await (method === 'resume' ? registry.resume('c') : registry.setStatus('c', 'running'));
      expect(isStruck).toBe(true);
      expect(await registry.listRunning()).toEqual(['c']);
    },
  );

  test.each([
    [['running'], false],
    [['running', 'stopped'], true],
  ] as const)(
    'agrees with the record, though another process stops the crawl in the moment of its end: %s, %s',
    async (from, isSet) => {
      const { registry, other, before } = open();
      await registry.create('c', RECORD);
      before.on = async (command) => {
        if (command !== 'TransactWriteItemsCommand') return;
        before.on = undefined;
        await other.setStatus('c', 'stopped');
      };
      expect(await registry.setStatus('c', 'finished', undefined, { from })).toBe(isSet);
      expect((await registry.load('c'))?.status).toBe(isSet ? 'finished' : 'stopped');
      expect(await registry.listRunning()).toEqual([]);
    },
  );

  test('agrees with the record after each change of which the answer is lost or which never comes', async () => {
    const { registry, before, items } = open();
    await registry.create('c', RECORD);
    for (const change of [
      () => registry.setStatus('c', 'paused'),
      () => registry.resume('c'),
      () => registry.setStatus('c', 'finished'),
      () => registry.setStatus('c', 'running'),
    ]) {
      before.on = async (command) => {
        if (command !== 'TransactWriteItemsCommand') return;
        throw new Error('the process died');
      };
      const running = await registry.listRunning();
      await expect(change()).rejects.toThrow('the process died');
      expect(await registry.listRunning()).toEqual(running);
      before.on = undefined;
      await change();
      const isRunning = (await registry.load('c'))?.status === 'running';
      expect(await registry.listRunning()).toEqual(isRunning ? ['c'] : []);
      expect(items()).toContain('#unjoined c');
    }
  });

  test.each([
    ['runs again', ['running']],
    ['has run and ended again', ['running', 'finished']],
  ] as const)('keeps the end to be announced of a crawl that %s meanwhile', async (_what, statuses) => {
    const { registry, other, before } = open();
    await registry.create('c', RECORD);
    await registry.setStatus('c', 'finished');
    const unannounced = (await registry.loadUnannounced('c'))!;
    before.on = async (command) => {
      if (command !== 'DeleteItemCommand') return;
      before.on = undefined;
      for (const status of statuses) await other.setStatus('c', status);
    };
    await registry.noteAnnounced(unannounced);
    await registry.delayAnnouncement({ ...unannounced, tries: 3 });
    await registry.noteFinish({ ...unannounced, isFinishDone: true });
    expect(await registry.listUnannounced()).toMatchObject([
      { crawl: 'c', tries: 0, finishTries: 0, isFinishDone: false },
    ]);
  });
});

test('a crawl is created once, however often a process tries, and stays as it was created', async () => {
  const { registry } = open();
  await registry.create('c', RECORD);
  for (const record of [RECORD, { ...RECORD, config: { maxPages: 3 } }])
    await expect(registry.create('c', record)).rejects.toThrow('there is a crawl c already');
  expect(await registry.load('c')).toEqual(RECORD);
});

test('what a crawl has used is kept while the crawl is there, not before and not after', async () => {
  const { registry, used, items, wipe } = open();
  const use = async () => {
    used.set('c', { sqsFifoRequests: 5 });
    await registry.flushUsage();
  };
  await use();
  expect(items()).toEqual([]);
  await registry.create('c', RECORD);
  await use();
  await use();
  expect((await registry.totals('c')).usage).toMatchObject({ sqsFifoRequests: 10 });
  wipe('c');
  await use();
  expect(items().filter((item) => item.startsWith('c '))).toEqual([]);
});

test('the active time of a crawl is the time that it was running', async () => {
  const { registry, clock } = open();
  const activeMs = async () => (await registry.totals('c')).activeMs;
  await registry.create('c', RECORD);
  clock.set(1000);
  expect(await activeMs()).toBe(1000);
  await registry.setStatus('c', 'stopped');
  clock.set(5000);
  expect(await activeMs()).toBe(1000);
  await registry.resume('c');
  clock.set(200);
  expect(await activeMs()).toBe(1200);
});

test('a copy of a crawl ends once, with the status and the time of the original', async () => {
  const { registry } = open();
  await registry.create('c', { ...RECORD, status: 'stopped', why: ARRIVING });
  await registry.endCopy('c', { status: 'finished', activeMs: 700 });
  expect([(await registry.load('c'))?.status, (await registry.totals('c')).activeMs]).toEqual([
    'finished',
    700,
  ]);
  await registry.endCopy('c', { status: 'stopped', activeMs: 9 });
  expect([(await registry.load('c'))?.status, (await registry.totals('c')).activeMs]).toEqual([
    'finished',
    700,
  ]);
});
