import { describe, expect, test } from 'vitest';
import type { Head } from '../../../shared/core/frontier/head.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { encodeMessage } from '../../../shared/core/frontier/message-codec.ts';
import { createChainProbe } from '../../invariants/chain-probe.ts';
import type { SimCloud } from '../../models/cloud.ts';
import { NO_FAULTS } from '../../models/faults.ts';
import { T0 } from '../../models/virtual-time.ts';
import {
  crawlFacts,
  hostFacts,
  makeFacts,
  messagesOf,
  OTHER,
  RECORDS,
  struck,
  urlRecord,
} from './made-facts.ts';

const token = (name: string, host = 'b.test') => ({
  queue: 'https://sqs/turns-0.fifo',
  crawl: 'crawl',
  host,
  kind: 'token' as const,
  token: name,
  urls: [],
});

describe('ends', () => {
  test('a world that has not ended is found, with what its crawls are doing', () => {
    const crawls = [{ ...crawlFacts(), status: 'running' as const }];
    expect(messagesOf(makeFacts({ hasEnded: false, crawls }))).toEqual([
      'ends: T0+60.000 s, crawl is running, and 0 messages wait; expected the end',
    ]);
  });
});

describe('oneChain', () => {
  const waiting = urlRecord(OTHER, 'waiting', undefined, { attempts: 0 });
  function running(head: Partial<Head>, messages: ReturnType<typeof token>[] = []) {
    const crawl = crawlFacts([...RECORDS.filter(({ url }) => url !== OTHER), waiting]);
    const hosts = new Map([...crawl.hosts, ['b.test', hostFacts('b.test', [waiting], head)]]);
    const totals = {
      ...crawl.totals,
      ...(head.dueAt !== undefined && { hostsDue: 1 }),
      ...(head.setAside && { hostsWaiting: 0, 'givenUp.hosts': 1, 'givenUp.urls': 1 }),
    };
    return messagesOf(makeFacts({ crawls: [{ ...crawl, hosts, totals, status: 'limited' }], messages }));
  }

  test('a host that has something to fetch, no message and no due time is found', () => {
    expect(running({ token: '2-x' })).toEqual([
      'oneChain: crawl is limited, and 1 URLs of b.test wait forever: no message, and its head (version 2) has no due time',
    ]);
    expect(running({ dueAt: T0 })).toEqual([]);
    expect(running({ token: '2-x' }, [token('2-x')])).toEqual([]);
    expect(running({ setAside: { cause: { code: 'other', text: 'down' }, at: T0 } })).toEqual([]);
  });

  test('two messages that carry the token of a head are found', () => {
    expect(running({ token: '2-x' }, [token('2-x'), token('1-y'), token('2-x')])).toEqual([
      'oneChain: crawl: 2 messages carry the token 2-x that the head of b.test names',
    ]);
  });

  test('a message that is left when all crawls have finished is found', () => {
    expect(messagesOf(makeFacts({ messages: [token('1-y')] }))).toEqual([
      'oneChain: all crawls have finished, and turns-0.fifo holds, for b.test: the token 1-y',
    ]);
  });

  describe('while the world runs', () => {
    interface Moves {
      /** Tokens that are sent, one after the other. */
      readonly sends?: readonly string[];
      /** Workers that were killed. */
      readonly kills?: number;
      readonly laterMs?: number;
    }

    /** As much of a cloud as the probe looks at. */
    function probe(
      tokens: readonly string[],
      named: string,
      dropped?: string,
      dueAt?: number,
      lost: readonly string[] = [],
      { sends = [], kills = 0, laterMs = 60_000 }: Moves = {},
    ) {
      const bytes = (token: string) => Buffer.from(encodeMessage({ kind: 'token', crawl: 'crawl', token }));
      const wake = Buffer.from(encodeMessage({ kind: 'wake', crawl: 'crawl' }));
      const bodies = [...tokens.map(bytes), wake].map((one, id) => ({
        id: `${id}`,
        body: `b.test ${one.toString('base64')}`,
      }));
      const head = JSON.stringify({ ...NEW_HEAD, version: 2, token: named, dueAt });
      let now = T0 + 60_000 - laterMs;
      const cloud = {
        time: { now: () => now },
        faults: { counts: { ...NO_FAULTS.counts, workerKilled: kills } },
        settings: { turnQueueUrls: ['turns-0.fifo'], crawlState: 'CrawlState' },
        sqs: {
          handle: (_command: string, _input: object) => ({}),
          messages: () => bodies,
          lost: lost.map((token) => `b.test ${bytes(token).toString('base64')}`),
        },
        dynamo: { items: () => [{ pk: { S: 'crawl b.test' }, sk: { S: 'head' }, head: { S: head } }] },
      };
      const probe = createChainProbe(cloud as unknown as SimCloud, {
        wasDroppedEarly: (token) => token === dropped,
      });
      for (const token of sends)
        cloud.sqs.handle('SendMessageBatchCommand', {
          QueueUrl: 'turns-0.fifo',
          Entries: [{ MessageBody: `b.test ${bytes(token).toString('base64')}` }],
        });
      now = T0 + 60_000;
      probe.sample();
      return probe.violations;
    }

    test('a token that the queue has lost may be missing if the waker will check the host', () => {
      expect(probe([], '2-c', undefined, T0 + 900_000, ['2-c'])).toEqual([]);
      expect(probe([], '2-c', undefined, undefined, ['2-c'])).toHaveLength(1);
      expect(probe([], '2-c', undefined, T0 + 900_000, ['1-b'])).toHaveLength(1);
    });

    test('tokens that do not count may wait beside the one that does', () => {
      expect(probe(['1-a', '2-b', '2-c'], '2-c')).toEqual([]);
    });

    test('a chain that has doubled is found, by its token and by its length', () => {
      expect(probe(['2-c', '2-c'], '2-c')).toEqual([
        {
          invariant: 'oneChain',
          message: 'T0+60.000 s, 2 messages carry the token 2-c that the head crawl b.test (version 2) names',
          host: 'b.test',
          at: T0 + 60_000,
        },
      ]);
      // One more is explained by the wake-up that waits beside them.
      const ten = Array.from({ length: 10 }, (_, i) => `${i}-x`);
      expect(probe(ten.slice(1), '1-x')).toEqual([]);
      expect(probe(ten, '1-x').map(({ message }) => message)).toEqual([
        expect.stringMatching(/^T0\+60\.000 s, 10 tokens wait for crawl b\.test, expected at most 9/),
      ]);
    });

    test('a token that is moved is there twice for some seconds, or where a fault cut the move short', () => {
      const twice = (moves: Moves, tokens = ['2-c', '2-c']) =>
        probe(tokens, '2-c', undefined, undefined, [], moves).length;
      expect(twice({ sends: ['2-c', '2-c'] })).toBe(1);
      expect(twice({ sends: ['2-c', '2-c'], laterMs: 9999 })).toBe(0);
      expect(twice({ sends: ['2-c', '2-c'], kills: 1 })).toBe(0);
      expect(twice({ sends: ['2-c'], kills: 1 })).toBe(1);
      expect(twice({ sends: ['2-c', '2-c', '2-c'], kills: 1 }, ['2-c', '2-c', '2-c'])).toBe(1);
    });

    test('a head that names a token which no message carries is found', () => {
      expect(probe(['1-a'], '2-b').map(({ message }) => message)).toEqual([
        'T0+60.000 s, no message carries the token 2-b that the head crawl b.test (version 2) names',
      ]);
    });

    test('a token that was dropped before its head was committed may be missing if the waker will check the host', () => {
      expect(probe(['1-a'], '2-b', '2-b', T0 + 900_000)).toEqual([]);
      expect(probe(['1-a'], '2-b', '2-b')).toHaveLength(1);
      expect(probe(['1-a'], '2-b', '2-c', T0 + 900_000)).toHaveLength(1);
    });

    test('what was seen is among what is messagesOf in the end', () => {
      const seen = probe(['2-c', '2-c'], '2-c');
      expect(messagesOf(makeFacts({ seen }))).toEqual([expect.stringMatching(/^oneChain: T0\+60\.000 s/)]);
    });
  });
});

describe('noDeadLetters', () => {
  test('a dead letter is found', () => {
    expect(messagesOf(makeFacts({ deadLetters: [{ queue: 'https://sqs/links-dead', body: '{}' }] }))).toEqual(
      ['noDeadLetters: links-dead holds {}'],
    );
  });

  test('seeds for settings that the crawl does not have are to be one', () => {
    const misfits = ['{"crawl":"a"}'];
    const dead = (body: string) => [{ queue: 'https://sqs/links-dead', body }];
    expect(messagesOf(makeFacts({ misfits, deadLetters: dead('{"crawl":"a"}') }))).toEqual([]);
    expect(messagesOf(makeFacts({ misfits }))).toEqual([
      'noDeadLetters: seeds for settings that their crawl does not have were taken in: {"crawl":"a"}',
    ]);
  });
});

describe('startedForWork', () => {
  const { crawls } = makeFacts();
  const turns = crawls.flatMap(({ hosts }) => [...hosts.values()].flatMap(({ heads }) => heads)).length;
  const found = (worker: number, small = 0) =>
    messagesOf(makeFacts({ invocations: { worker, small, router: 2, waker: 5 } }));

  test('workers that start each other for nothing are found, of each size by itself', () => {
    const most = 20 + 3 * (2 + 5 + turns);
    expect(found(most, most)).toEqual([]);
    expect(found(most, most + 1).join()).toContain(`Small workers were started ${most + 1} times`);
    expect(found(most + 1)).toEqual([
      `startedForWork: Workers were started ${most + 1} times for ${turns} turns, 2 runs of routers and 5 of the waker; expected ${most} at most`,
    ]);
  });
});

describe('noCrash', () => {
  const failed = (message: string, ...faults: Parameters<typeof struck>) =>
    messagesOf(
      makeFacts({ failures: [{ at: T0 + 1500, process: 'worker-3', message }], strikes: struck(...faults) }),
    );

  test('a failure is found where no fault that breaks anything struck', () => {
    expect(failed('Error: socket hang up')).toEqual([
      'noCrash: worker-3 failed T0+1.500 s, and no fault explains it: Error: socket hang up',
    ]);
    expect(failed('Error: socket hang up', 'messageTwice', 'httpFails')).toHaveLength(1);
    expect(failed('Error: socket hang up', 'callFailsBefore')).toEqual([]);
  });

  test('a program error is found whatever struck', () => {
    for (const message of [
      "TypeError: Cannot read properties of undefined (reading 'x')",
      'CorruptBytes: a record',
      "Error: the part s1-x of a.test's ledger is there already, and differs",
      'Error: the part s1-x is not there',
    ])
      expect(failed(message, 'callFailsBefore', 'workerKilled')).toHaveLength(1);
  });

  test('that a process that froze finds the parts of an old head swept is no violation', () => {
    const message = "Error: the part s1-x of a.test's ledger is not there";
    expect(failed(message, 'workerFrozen')).toEqual([]);
    expect(failed(message, 'workerKilled')).toHaveLength(1);
  });

  test("that an old version does not know a new one's format is no violation", () => {
    expect(failed('CorruptBytes: segment version 2: this program knows 1', 'oldVersion')).toEqual([]);
    expect(failed('CorruptBytes: segment version 2: this program knows 1')).toHaveLength(1);
  });
});

test('of each invariant, twenty violations at most are messagesOf', () => {
  const deadLetters = Array.from({ length: 30 }, (_, i) => ({ queue: 'links-dead', body: String(i) }));
  expect(messagesOf(makeFacts({ deadLetters }))).toHaveLength(20);
});
