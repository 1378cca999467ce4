/** The state of hooks, committed with heads, over the model of DynamoDB. */
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { type Head, NEW_HEAD } from '../../../../shared/core/frontier/head.ts';
import type { StateChange } from '../../../../shared/crawler/ports/shared-state.ts';
import { StaleTurn } from '../../../../shared/crawler/ports/stale-turn.ts';
import { HookState } from '../../../../shared/engines/aws/state/hook-state.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { NO_FAULTS } from '../../../../simulation/models/faults.ts';
import { randomOf } from '../../../../simulation/models/random.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

const add = (key: string, by = 1): StateChange => ({
  key,
  apply: (before = '0') => String(Number(before) + by),
});
const headOf = (version: number, token?: string): Head => ({ ...NEW_HEAD, version, token });

/** A table, and processes that use it. `rate`: the share of the calls that strike with each of these faults. */
function openTable(faults: readonly string[] = [], rate = 0, seed = 1) {
  const random = randomOf(seed, 'faults');
  const strikes = (name: string) => faults.includes(name) && random() < rate;
  const cloud = createSimCloud({
    seed,
    sizes: SIZES,
    faults: () => ({ ...NO_FAULTS, strikes, random }),
  });
  const open = (name: string) => cloud.open(cloud.begin(name)).engine;
  const run = <T>(work: Promise<T>): Promise<T> => drive(cloud.time, work);
  const stored = async () => new Map((await run(open('reader').state.readNow('news'))).entries());
  return { cloud, open, run, stored };
}

test('the values of many crawls are kept, of those used last as many as there is memory for', async () => {
  const { clients } = createServices();
  const clock = createFakeClock();
  const crawls = Array.from({ length: 50 }, (_, n) => `c${n}`);
  const write = (crawl: string, chars: number) =>
    new HookState({ dynamo: clients.dynamo, clock, table: 'T' }).change(crawl, [
      { key: 'k', apply: () => 'x'.repeat(chars) },
    ]);
  for (const crawl of crawls) await write(crawl, 10);
  for (const crawl of ['large', 'other']) await write(crawl, 600);
  let reads = 0;
  const dynamo = {
    send(command: QueryCommand) {
      reads++;
      return clients.dynamo.send(command as never);
    },
  } as unknown as typeof clients.dynamo;
  const state = new HookState({ dynamo, clock, table: 'T', maxChars: 1000 });
  for (let n = 0; n < 2; n++) for (const crawl of crawls) await state.read(crawl);
  expect(reads).toBe(50);
  reads = 0;
  for (const crawl of ['large', 'c49', 'other', 'c49', 'large', 'large']) await state.read(crawl);
  expect(reads).toBe(3);
});

test('values that are read now are those of now, though an earlier read is still under way', async () => {
  const { clients } = createServices();
  const clock = createFakeClock();
  const held = Promise.withResolvers<void>();
  let reads = 0;
  const dynamo = {
    async send(command: never) {
      const answer = await clients.dynamo.send(command);
      if ((command as object) instanceof QueryCommand && ++reads === 1) await held.promise;
      return answer;
    },
  } as unknown as typeof clients.dynamo;
  const state = new HookState({ dynamo, clock, table: 'T' });
  const before = state.read('news');
  await new Promise((resolve) => setImmediate(resolve));
  expect(reads).toBe(1);
  await new HookState({ dynamo: clients.dynamo, clock, table: 'T' }).change('news', [add('n')]);
  const now = state.readNow('news');
  held.resolve();
  expect((await now).get('n')).toBe('1');
  await before;
  expect(reads).toBe(2);
});

describe('changes of the state of hooks', () => {
  test('are made with the head, and not if another visit has replaced it', async () => {
    const { open, run, stored } = openTable();
    const [a, b] = [open('a'), open('b')];
    await run(a.ledgers.commit('news', 'h.test', headOf(1, 'first'), [add('n'), add('m', 5)]));
    const late = b.ledgers.commit('news', 'h.test', headOf(1, 'other'), [add('n', 100)]);
    await expect(run(late)).rejects.toThrow(StaleTurn);
    expect(await stored()).toEqual(
      new Map([
        ['n', '1'],
        ['m', '5'],
      ]),
    );
    expect((await run(a.ledgers.loadHead('news', 'h.test')))?.token).toBe('first');
  });

  test('of workers that know old values are made to the present ones', async () => {
    const { open, run, stored } = openTable();
    const workers = ['a', 'b', 'c'].map(open);
    for (const { state } of workers) await run(state.read('news'));
    for (const version of [1, 2, 3])
      for (const [i, { ledgers }] of workers.entries())
        await run(ledgers.commit('news', `h${i}.test`, headOf(version), [add('n')]));
    expect(await stored()).toEqual(new Map([['n', '9']]));
  });

  test('of visits that end together are made together, and one that is stale does not hold up the others', async () => {
    const { open, run, stored } = openTable();
    const { ledgers, state } = open('a');
    await run(ledgers.commit('news', 'stale.test', headOf(1)));
    const hosts = ['a.test', 'stale.test', 'b.test', 'c.test'];
    const ended = await run(
      Promise.allSettled(
        hosts.map((host) => ledgers.commit('news', host, headOf(1, host), [add('n'), add(host)])),
      ),
    );
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await stored()).toEqual(
      new Map([
        ['n', '3'],
        ['a.test', '1'],
        ['b.test', '1'],
        ['c.test', '1'],
      ]),
    );
    expect((await run(state.read('news'))).get('n')).toBe('3');
  });

  test('that leave the value as it is write no value; a value is deleted and made again', async () => {
    const { open, run, stored } = openTable();
    const { ledgers } = open('a');
    const set = (value: string | undefined): StateChange => ({ key: 'v', apply: () => value });
    await run(ledgers.commit('news', 'a.test', headOf(1), [set('1')]));
    await run(
      Promise.all([
        ledgers.commit('news', 'a.test', headOf(2), [set('1')]),
        ledgers.commit('news', 'b.test', headOf(1), [set('1')]),
      ]),
    );
    expect(await stored()).toEqual(new Map([['v', '1']]));
    await run(ledgers.commit('news', 'a.test', headOf(3), [set(undefined)]));
    expect(await stored()).toEqual(new Map());
    await run(open('b').ledgers.commit('news', 'a.test', headOf(4), [add('v')]));
    expect(await stored()).toEqual(new Map([['v', '1']]));
    expect((await run(ledgers.loadHead('news', 'b.test')))?.version).toBe(1);
  });

  test('counters of the crawl know what a transaction has replaced', async () => {
    const { open, run } = openTable();
    const { ledgers, registry } = open('a');
    const counted = (version: number, pages: number): Head => ({
      ...headOf(version),
      totals: { ...NEW_HEAD.totals, pages },
    });
    await run(ledgers.commit('news', 'h.test', counted(1, 3), [add('n')]));
    await run(ledgers.commit('news', 'h.test', counted(2, 7), [add('n')]));
    expect((await run(registry.totals('news'))).pages).toBe(7);
  });

  test('are made once, whatever calls fail or lose their answers', async () => {
    const faults = ['callFailsBefore', 'callFailsAfter', 'conditionAnswerLost'];
    let failures = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1e6 }), async (seed) => {
        const { open, run, cloud } = openTable(faults, 0.15, seed);
        const workers = ['a', 'b', 'c'].map(open);
        const versions = new Map<string, number>();
        for (let round = 0; round < 6; round++) {
          const works = workers.map(async ({ ledgers }, i) => {
            const host = `h${i}.test`;
            const before = versions.get(host) ?? 0;
            const next = headOf(before + 1, cloud.begin('token').name + round + host);
            try {
              await ledgers.commit('news', host, next, [add('n'), add(host)]);
            } catch {
              failures++;
            }
          });
          await run(Promise.all(works));
          for (const item of cloud.dynamo.items(cloud.settings.crawlState))
            if (item.sk?.S === 'head') versions.set(item.pk!.S!.split(' ')[1]!, Number(item.version!.N));
        }
        const values = new Map<string, number>();
        for (const item of cloud.dynamo.items(cloud.settings.crawlState))
          if (item.pk?.S === '#state news') values.set(item.sk!.S!, Number(item.value!.S));
        // Each version of a head was committed once, with its changes.
        for (const [host, version] of versions) expect(values.get(host) ?? 0).toBe(version);
        expect(values.get('n') ?? 0).toBe([...versions.values()].reduce((sum, one) => sum + one, 0));
      }),
      { numRuns: 30 },
    );
    expect(failures).toBeGreaterThan(0);
  });
});
