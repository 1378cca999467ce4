import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { NEW_HEAD } from '../../../../shared/core/frontier/head.ts';
import { MAX_SOON_MS, NET_MS, netAt, StateAgenda } from '../../../../shared/engines/aws/state/agenda.ts';
import { AGENDA, HEAD } from '../../../../shared/engines/aws/state/tables.ts';
import type { Item } from '../../../../shared/engines/aws/table/item.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

function setUp() {
  const cloud = createSimCloud({ seed: 1 });
  const process = cloud.begin('waker');
  const calls: string[] = [];
  const client = cloud.clientsOf(process).dynamo;
  const dynamo = {
    async send(command: { constructor: { name: string }; input: object }) {
      if (fault.fails(command.constructor.name, JSON.stringify(command.input)))
        throw new Error('the process died');
      calls.push(command.constructor.name);
      return client.send(command as never);
    },
  } as unknown as typeof client;
  const fault = { fails: (_name: string, _input: string): boolean => false };
  const { clock } = process;
  const open = (aheadMs = 0) =>
    new StateAgenda({
      dynamo,
      table: cloud.settings.crawlState,
      clock: { ...clock, now: () => clock.now() + aheadMs },
    });
  const agenda = open();
  const due = async (of = agenda) => (await of.due()).map(({ crawl }) => crawl);
  const putRaw = (Item: Item) =>
    client.send(new PutItemCommand({ TableName: cloud.settings.crawlState, Item }));
  return {
    ...{ clock, calls, fault, open, agenda, due, putRaw },
    run: <T>(work: Promise<T>) => drive(cloud.time, work),
  };
}

describe('the agenda', () => {
  test('gives the looks whose time has come, the one that has waited longest first', () => {
    const { clock, agenda, due, run } = setUp();
    return run(
      (async () => {
        const now = clock.now();
        const at = (crawl: string, inMs: number, isSoon = false) => ({ crawl, at: now + inMs, isSoon });
        await agenda.replace(
          [at('later', 30 * MINUTE), at('first', 5 * MINUTE), at('soon', 2 * MINUTE, true)],
          [],
        );
        expect(await due()).toEqual([]);
        await clock.sleep(6 * MINUTE);
        await agenda.enter('now');
        expect(await due()).toEqual(['soon', 'first', 'now']);
        await clock.sleep(30 * MINUTE);
        expect(await due()).toEqual(['soon', 'first', 'now', 'later']);
      })(),
    );
  });

  test('strikes an old look only when the new one is entered, so a process that dies leaves one of them', () => {
    const { clock, agenda, fault, run } = setUp();
    return run(
      (async () => {
        await agenda.enter('news');
        const [old] = await agenda.due();
        for (const call of [/PutRequest/, /DeleteRequest/]) {
          fault.fails = (_, input) => call.test(input);
          const next = { crawl: 'news', at: clock.now() + MINUTE, isSoon: true };
          await expect(agenda.replace([next], [old as never])).rejects.toThrow('died');
          expect(await agenda.crawls()).toEqual(new Set(['news']));
          expect(await agenda.due()).toEqual([old]);
        }
      })(),
    );
  });

  test.each([
    ['soon', 10 * MINUTE, true],
    ['later', NET_MS + 10 * MINUTE, false],
  ])('counts a look as due that a wrong clock has entered too far ahead: %s', (_name, aheadMs, isSoon) => {
    const { clock, agenda, due, run } = setUp();
    return run(
      agenda
        .replace([{ crawl: 'news', at: clock.now() + aheadMs, isSoon }], [])
        .then(async () => expect(await due()).toEqual(['news'])),
    );
  });

  test('looks of a crawl at the same net are one, and those of many crawls are spread over the hour', () => {
    const now = 1_800_000_000_000;
    const crawls = Array.from({ length: 600 }, (_, i) => `c${i}`);
    const minutes = new Set<number>();
    for (const crawl of crawls) {
      const at = netAt(crawl, now);
      expect(at).toBeGreaterThan(now);
      expect(at - now).toBeLessThanOrEqual(NET_MS);
      expect(netAt(crawl, at - 1)).toBe(at);
      expect(netAt(crawl, at)).toBe(at + NET_MS);
      minutes.add(Math.floor(at / MINUTE));
    }
    expect(minutes.size).toBeGreaterThan(55);
  });
});

describe('a head that is to be committed', () => {
  test('has an entry by its due time, which those that follow count on until shortly before it', () => {
    const { clock, agenda, calls, due, run } = setUp();
    return run(
      (async () => {
        for (let turn = 0; turn < 40; turn++) {
          const dueAt = clock.now() + 15 * MINUTE;
          await agenda.ensureDue('news', dueAt);
          await clock.sleep(20 * SECOND);
        }
        expect(calls).toEqual(['PutItemCommand']);
        expect(await due()).toEqual([]);
        calls.length = 0;
        // Some time after that of the entry, which is rounded as in the index.
        await clock.sleep(8 * MINUTE);
        await agenda.ensureDue('news', clock.now() + 15 * MINUTE);
        expect(calls).toEqual(['PutItemCommand']);
        expect((await agenda.due()).map(({ crawl, isDue }) => [crawl, isDue])).toEqual([['news', true]]);
      })(),
    );
  });

  test('that is due earlier than the known entry gets one of its own, and one that is due at once a moment later', () => {
    const { clock, agenda, calls, due, run } = setUp();
    return run(
      (async () => {
        await agenda.ensureDue('news', clock.now() + 15 * MINUTE);
        await agenda.ensureDue('news', clock.now() + MINUTE);
        await agenda.ensureDue('other', clock.now() - MINUTE);
        expect(calls).toHaveLength(3);
        // It is not counted on: the waker may take it before the head is stored.
        expect(await due()).toEqual([]);
        await clock.sleep(75 * SECOND);
        expect(await due()).toEqual(['other', 'news']);
      })(),
    );
  });

  test('needs none if it is due after the next look that there is in any case', () => {
    const { clock, agenda, calls, run } = setUp();
    return run(
      agenda
        .ensureDue('news', clock.now() + NET_MS + MAX_SOON_MS + 10 * MINUTE)
        .then(() => expect(calls).toEqual([])),
    );
  });

  test('is not committed if its entry cannot be made; the next one makes it', () => {
    const { clock, agenda, calls, fault, run } = setUp();
    return run(
      (async () => {
        const dueAt = clock.now() + 15 * MINUTE;
        fault.fails = () => true;
        const both = [agenda.ensureDue('news', dueAt), agenda.ensureDue('news', dueAt)];
        for (const one of both) await expect(one).rejects.toThrow('died');
        fault.fails = () => false;
        await agenda.ensureDue('news', dueAt);
        expect(calls).toEqual(['PutItemCommand']);
      })(),
    );
  });
});

test('an engine stores a head that is due only when the agenda has its entry', () => {
  const cloud = createSimCloud({ seed: 1 });
  const { engine, clients } = cloud.open(cloud.begin('worker'));
  const written: (string | undefined)[] = [];
  cloud.dynamo.onWrite = (_table, after) => {
    if (after?.pk?.S === AGENDA) written.push('entry');
    if (after?.sk?.S === HEAD) written.push('head');
  };
  const agenda = new StateAgenda({
    dynamo: clients.dynamo,
    table: cloud.settings.crawlState,
    clock: engine.clock,
  });
  return drive(
    cloud.time,
    (async () => {
      const dueAt = engine.clock.now() + 15 * MINUTE;
      await engine.ledgers.commit('news', 'a.test', { ...NEW_HEAD, version: 1, dueAt });
      expect(written).toEqual(['entry', 'head']);
      await engine.ledgers.commit('other', 'b.test', { ...NEW_HEAD, version: 1 });
      expect(written).toEqual(['entry', 'head', 'head']);
      await engine.clock.sleep(20 * MINUTE);
      expect((await agenda.due()).map(({ crawl, isDue }) => [crawl, isDue])).toEqual([['news', true]]);
    })(),
  );
});

test('what nobody of ours has written in the agenda keeps no crawl from its look', () => {
  const { clock, agenda, due, run, putRaw } = setUp();
  return run(
    (async () => {
      const now = clock.now();
      await agenda.replace([{ crawl: 'c', at: now - 1, isSoon: false }], []);
      for (const sk of ['0', 'zzz', '0000 ', `${'0'.repeat(15)} ../x`, `x c`])
        await putRaw({ pk: { S: AGENDA }, sk: { S: sk } });
      expect(await due()).toEqual(['c']);
    })(),
  );
});
