/**
 * The engine of the simulated account, held to the one contract suite: the adapters of `aws` over models. On
 * virtual time, which passes while somebody waits for the engine.
 */
import { describe } from 'vitest';
import type { Engine } from '../../shared/crawler/ports/engine.ts';
import { warcKey } from '../../shared/engines/aws/archive/archive.ts';
import { warcFolder } from '../../shared/engines/aws/archive/archives.ts';
import { createSimCloud } from '../../simulation/models/cloud.ts';
import { openSimEngine } from '../../simulation/models/engine.ts';
import { createFaults, type FaultName } from '../../simulation/models/faults.ts';
import type { SimProcess } from '../../simulation/models/process.ts';
import { drive, type VirtualTime } from '../../simulation/models/virtual-time.ts';
import { engineContract } from './engine-contract.ts';
import type { OpenOptions } from './subject.ts';

/** Longer than the visibility of all queues. */
const LEASES_MS = 400_000;

interface World {
  readonly faults?: readonly FaultName[];
  readonly seed?: number;
  readonly isInstant?: boolean;
}

const opens =
  ({ faults: names = [], seed = 1, isInstant = false }: World = {}) =>
  async ({ leaseMs }: OpenOptions = {}) => {
    const cloud = createSimCloud({
      seed,
      faults: () => createFaults({ seed, names }),
      ...(isInstant && { latency: () => 0 }),
    });
    const { time, s3, settings } = cloud;
    let process: SimProcess | undefined;
    function open(): Engine {
      process = cloud.begin('contract');
      return waitingFor(
        time,
        openSimEngine(cloud, process, {
          // A lease counts from before the poll that gave it.
          ...(leaseMs !== undefined && { leaseMs: Math.max(leaseMs, 4000) }),
          // "Perhaps late" is to be within what a test may take.
          settleMs: 1000,
        }),
      );
    }
    return {
      engine: open(),
      async reopen() {
        process?.kill('abrupt end');
        // Messages that it had received come back when their leases end.
        await time.advance(LEASES_MS);
        return open();
      },
      close: async () => {},
      advance: (ms: number) => time.advance(ms),
      readRecord: async (
        crawl: string,
        { file, offset, length }: { file: string; offset: number; length: number },
      ) => {
        const bytes = s3.objects(settings.bucket).get(warcKey(warcFolder(crawl), file))?.bytes;
        if (!bytes) throw new Error(`there is no ${file}`);
        return bytes.subarray(offset, offset + length);
      },
    };
  };

/** The same engine, but time passes until what it has promised is there. */
function waitingFor(time: VirtualTime, engine: Engine): Engine {
  const wait = <T>(result: T): T => {
    if (result instanceof Promise) return drive(time, result) as T;
    if (!isAsyncIterable(result)) return result;
    return (async function* () {
      const iterator = result[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await drive(time, iterator.next());
          if (next.done) return;
          yield next.value;
        }
      } finally {
        await iterator.return?.();
      }
    })() as T;
  };
  const waiting = <P extends object>(port: P): P =>
    Object.fromEntries(
      Object.entries(port).map(([name, member]) => [
        name,
        typeof member === 'function' ? (...args: unknown[]) => wait(member.apply(port, args)) : member,
      ]),
    ) as P;
  return {
    clock: engine.clock,
    queue: waiting(engine.queue),
    exchange: waiting(engine.exchange),
    ledgers: waiting(engine.ledgers),
    registry: waiting(engine.registry),
    ...(engine.jars && { jars: waiting(engine.jars) }),
    archiveOf: (crawl) => waiting(engine.archiveOf(crawl)),
  };
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** Payloads are in the memory of a process. */
const LACKS = { keepPayloads: 'they are in the memory of a process' };

engineContract('sim', opens(), LACKS);

describe('whose services answer at once', () => engineContract('sim', opens({ isInstant: true }), LACKS));

/**
 * Faults that the engine hides from its callers. Not among them are messages that come late or twice, and
 * reads of an index that show the past: ports.ts allows for them, but the suite asks what came at one look.
 */
const HIDDEN: readonly FaultName[] = [
  'messageReordered',
  'unprocessedKeys',
  'batchEntryFails',
  'callFailsBefore',
  'conditionAnswerLost',
  'throttleStorm',
  'clockSkew',
];

describe.each([1, 2, 3])('with faults that it hides, seed %i', (seed) =>
  engineContract('sim', opens({ seed, faults: HIDDEN }), LACKS),
);
