/** A process that is invoked again does as a new one would: by the answers that it gets then. */
import { expect, test } from 'vitest';
import { Announcer } from '../../functions/announcer.ts';
import { createCompactorHandler } from '../../functions/compactor-handler.ts';
import { createCrawlEnd } from '../../functions/crawl-end.ts';
import { createExporterHandler } from '../../functions/exporter-handler.ts';
import { createMeter } from '../../shared/engines/aws/cost/meter.ts';
import { NO_PROGRESS } from '../../shared/services/exports/held-export.ts';
import { RECORD } from '../contract/subjects.ts';
import { createFakeClock, T0 } from '../crawler/worker/fake-clock.ts';
import { textOf } from '../golden.ts';

/** The answers of the ports, by method. */
type Answers = Readonly<Record<string, (...args: never[]) => unknown>>;

interface Process {
  /** Any port: a call of it is noted, and answered as the world is at that time. */
  readonly port: never;
  readonly clock: ReturnType<typeof createFakeClock>;
  log(level: string, fields: object): void;
}

/** The lines of the last of the runs of one process, each in another world. */
async function lastOf(open: (process: Process) => () => Promise<unknown>, worlds: readonly Answers[]) {
  const lines: string[] = [];
  let answers: Answers = {};
  const call =
    (name: string) =>
    async (...args: never[]) => {
      lines.push([name, ...args.map(textOf)].join(' '));
      return answers[name]?.(...args);
    };
  const port = new Proxy({}, { get: (_, name: string) => call(name) }) as never;
  const log = (level: string, fields: object) => void lines.push(`log ${level} ${textOf(fields)}`);
  const run = open({ port, clock: createFakeClock(), log });
  for (const world of worlds) {
    lines.length = 0;
    answers = world;
    await run();
  }
  return [...lines];
}

const CONTEXT = { getRemainingTimeInMillis: () => 900_000 };
const stackOf = ({ port, clock }: Process) => ({
  meter: createMeter({ clock, memoryMb: 1024 }),
  flushMeter: async () => {},
  engine: { registry: port, unjoined: port },
});
const COMPACTED = { joined: 0, objects: 0, bytes: 0, aside: [], itemTables: 0, isCut: false, isDone: true };
const entry = (crawl: string) => ({ crawl, enteredAt: 0, entry: crawl });
const held = (crawl: string, id: string) => ({
  ...{ crawl, id, request: { format: 'jsonl' }, version: 1, progress: NO_PROGRESS },
  tries: 6,
});
const NOTE = { crawl: 'a', entry: 'e', tries: 0, retryAt: 0, finishTries: 0, isFinishDone: false };
const SUMMARY = { state: 'finished', seconds: 9, pages: 1, urls: {}, hosts: 1, bytes: 1, setAside: [] };

function openExporter(process: Process): () => Promise<unknown> {
  const { port, clock, log } = process;
  const { contextOf, continueNow } = port as Record<string, never>;
  const handle = createExporterHandler({
    ...{ clock, log, stack: stackOf(process), jobs: port },
    ...{ contextOf: contextOf as never, continueNow: continueNow as never },
  });
  return () => handle(undefined, CONTEXT);
}

test.each<[string, (process: Process) => () => Promise<unknown>, Answers, Answers]>([
  [
    'the compactor',
    (process) => {
      const { port, clock, log } = process;
      const { compact, continueAs } = port as Record<string, never>;
      const handle = createCompactorHandler({
        ...{ clock, log, stack: stackOf(process), deletions: port },
        ...{ compact: compact as never, continueAs: continueAs as never },
      });
      return () => handle(undefined, CONTEXT);
    },
    {
      pending: () => ['x'],
      proceed: () => ({ requestedAt: 0 }),
      list: () => [entry('a')],
      load: () => ({ ...RECORD, status: 'running' }),
      compact: () => COMPACTED,
    },
    {
      pending: () => ['x', 'y'],
      proceed: () => ({ requestedAt: 0, deletedAt: 1 }),
      list: () => [entry('a'), entry('b')],
      load: () => ({ ...RECORD, status: 'finished' }),
      compact: () => ({ ...COMPACTED, joined: 2, isCut: true }),
    },
  ],
  [
    'the exporter',
    openExporter,
    { open: () => [{ crawl: 'a', id: 'one' }], load: () => RECORD, take: () => undefined },
    {
      open: () => ['one', 'two'].map((id) => ({ crawl: 'a', id })),
      load: () => RECORD,
      take: held,
    },
  ],
  [
    'the exporter, of a crawl that is there only now',
    openExporter,
    { open: () => [{ crawl: 'a', id: 'one' }], load: () => undefined },
    { open: () => [{ crawl: 'a', id: 'one' }], load: () => RECORD, take: held },
  ],
  [
    'the announcer',
    ({ port, clock, log }) => {
      const { summarize, finish } = port as Record<string, never>;
      const announcer = new Announcer({
        ...{ registry: port, sink: port, clock, log, summarize: summarize as never, finish: finish as never },
      });
      return async () => announcer.look('a', T0 + 60_000);
    },
    {
      loadUnannounced: () => NOTE,
      load: () => ({ ...RECORD, status: 'finished', firstPass: { at: 5 } }),
      summarize: () => SUMMARY,
      send: () => 'the receiver is down',
    },
    {
      loadUnannounced: () => NOTE,
      load: () => ({ ...RECORD, status: 'finished', firstPass: { at: 5 } }),
      summarize: () => SUMMARY,
    },
  ],
  [
    'the end of a crawl',
    ({ port, clock, log }) => {
      const { load, summarize, beginExport } = port as Record<string, never>;
      const end = createCrawlEnd({
        ...{ state: port, clock, log },
        ...{ load: load as never, summarize: summarize as never, beginExport: beginExport as never },
      });
      return () => end('a', { ...RECORD, status: 'finished' });
    },
    endsWith('1'),
    endsWith('2'),
  ],
])('%s', async (_, open, before, after) => {
  const again = await lastOf(open, [before, after]);
  expect(again).toEqual(await lastOf(open, [after]));
  expect(again).not.toEqual(await lastOf(open, [before]));
});

test('each of several exports of a crawl is made', async () => {
  const open = () => ['one', 'two'].map((id) => ({ crawl: 'a', id }));
  const lines = await lastOf(openExporter, [{ open, load: () => RECORD, take: held }]);
  expect(
    lines.filter((line) => line.startsWith('end ')).map((line) => /"id":"(\w+)"/.exec(line)?.[1]),
  ).toEqual(['one', 'two']);
});

/** A crawl whose hook notes what the state has. */
function endsWith(value: string): Answers {
  return {
    load: () => ({
      onFinish: (
        _: unknown,
        { state }: { state: { get(key: string): unknown; set(key: string, v: unknown): void } },
      ) => state.set(`seen ${String(state.get('n'))}`, true),
    }),
    summarize: () => SUMMARY,
    readNow: () => Object.assign(new Map([['n', value]]), { chars: 1 }),
  };
}
