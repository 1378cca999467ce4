/** The small worker as its function runs it: the events that start it, and what it leaves to full-size workers. */
import { describe, expect, test } from 'vitest';
import { smallDocumentMb, smallDocuments } from '../../functions/small-documents.ts';
import { createWorkerHandler, type WorkerDeps } from '../../functions/worker-handler.ts';
import { SIZES } from '../../shared/core/base/sizes.ts';
import { createCrawls } from '../../shared/crawler/crawl-state/crawls.ts';
import { routeParcels } from '../../shared/crawler/routing/router.ts';
import type {
  DocumentAnswer,
  DocumentReading,
  UnreadDocument,
} from '../../shared/crawler/turn/page/document-reading.ts';
import { createLanes } from '../../shared/crawler/worker/lanes.ts';
import type { WorkerPool } from '../../shared/engines/aws/workers/worker-pool.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { createScriptedFetcher, page, type Site } from '../crawler/worker/scripted-fetcher.ts';
import { begin, SILENT, statesOf } from '../crawler/worker/world.ts';
import { contextFor, eventFrom, fakeStack, SETTINGS } from './fake-stack.ts';

const SITE: Site = {
  'http://a.test/': page('/1', '/2.pdf'),
  'http://a.test/1': page(),
  'http://a.test/2.pdf': { body: '%PDF', headers: { 'Content-Type': 'application/pdf' } },
};
const NOW = { queue: 0, workers: 1, delayMs: 0 };
const SMALL_EVENT = { detail: { stack: 'Test', queue: 0, workers: 1, isSmall: true } };
const startEvent = (more: object = {}) =>
  eventFrom('starts', [JSON.stringify({ queue: 0, workers: 1, ...more })]);

/** A crawl whose seed waits at its host, and its workers. */
async function setUp() {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock);
  const fetcher = createScriptedFetcher(clock, SITE);
  await begin({ engine }, ['http://a.test/'], { delayMs: 1000, totalTimeoutMs: 10_000 });
  await routeParcels(engine, createCrawls(engine.registry, clock), await engine.exchange.receive(100, 0));
  const fake = fakeStack(engine, clock);
  const run = async (
    event: Parameters<ReturnType<typeof createWorkerHandler>>[0],
    more: Partial<WorkerDeps> = {},
  ) => {
    const handle = createWorkerHandler({
      settings: { ...SETTINGS, smallWorkerMemoryMb: 512 },
      clock,
      log: fake.log,
      open: () => fake.stack,
      fetchers: { of: () => fetcher, close: async () => {} },
      lanes: createLanes(clock, SIZES.maxIdleLanes),
      usedBytes: () => 0,
      write() {},
      ...more,
    });
    return clock.drive(handle(event, contextFor(clock, 120_000)));
  };
  const { workers } = fake.stack.engine;
  return {
    ...fake,
    clock,
    engine,
    fetcher,
    workers: workers as typeof workers & { smallStarts: object[] },
    run,
  };
}

test('an event starts it: it serves the hosts to the end as one of its own places', async () => {
  const { run, engine, workers } = await setUp();
  const shown: object[] = [];
  const { show } = workers;
  workers.show = async (queue, member) => {
    shown.push(member);
    await show(queue, member);
  };
  await run(SMALL_EVENT, { isSmall: true });
  expect(Object.values(await statesOf(engine))).toEqual(['fetched', 'fetched', 'fetched']);
  // A full-size one has 10 hosts and 1,024 MB.
  expect(shown[0]).toMatchObject({ maxHosts: 2, isSmall: true });
});

test('it takes the place of what stood for it since its start', async () => {
  const { run, engine, workers } = await setUp();
  await workers.show(0, { id: 'starting-1', hosts: 0, maxHosts: 1, isEnding: false, isSmall: true });
  await run({ detail: { ...SMALL_EVENT.detail, inPlaceOf: 'starting-1' } }, { isSmall: true });
  expect(Object.values(await statesOf(engine))).toEqual(['fetched', 'fetched', 'fetched']);
  expect(await workers.members(0)).toEqual([]);
});

test('of two that begin at once, each of which sees what stands for the other one, the first serves the hosts', async () => {
  for (const [own, isServed] of [
    ['starting-1', true],
    ['starting-3', false],
  ] as const) {
    const { run, fetcher, workers } = await setUp();
    for (const id of [own, 'starting-2'])
      await workers.show(0, { id, hosts: 0, maxHosts: 1, isEnding: false, isSmall: true });
    await run({ detail: { ...SMALL_EVENT.detail, inPlaceOf: own } }, { isSmall: true });
    expect(fetcher.log.length > 0).toBe(isServed);
  }
});

test('it ends at once where there is a worker already', async () => {
  const { run, fetcher, workers } = await setUp();
  await workers.show(0, { id: 'other', hosts: 1, maxHosts: 10, isEnding: false });
  await run(SMALL_EVENT, { isSmall: true });
  expect(fetcher.log).toEqual([]);
});

describe('a message for a small worker, which the start queue brings to a full-size one', () => {
  test('is passed on, and the requests for the message are paid for', async () => {
    const { run, fetcher, workers, stack } = await setUp();
    const added: unknown[] = [];
    stack.meter.add = (kind, count) => void added.push([kind, count]);
    await run(startEvent({ isSmall: true }));
    expect(added).toContainEqual(['sqsStandardRequests', 2]);
    expect(workers.smallStarts).toEqual([NOW]);
    expect(fetcher.log).toEqual([]);
  });

  test('is looked after by the workers that there are now, also by a process that has done so before', async () => {
    const { run, fetcher, workers } = await setUp();
    await run(startEvent({ isSmall: true }));
    await workers.show(0, { id: 'other', hosts: 1, maxHosts: 10, isEnding: false });
    await run(startEvent({ isSmall: true }));
    await workers.hide(0, 'other');
    await run(startEvent({ isSmall: true }));
    expect(workers.smallStarts).toEqual([NOW, NOW]);
    expect(fetcher.log).toEqual([]);
  });

  test('is not passed on where there is a worker already', async () => {
    const { run, fetcher, workers } = await setUp();
    await workers.show(0, { id: 'other', hosts: 1, maxHosts: 10, isEnding: false });
    await run(startEvent({ isSmall: true }));
    expect(workers.smallStarts).toEqual([]);
    expect(fetcher.log).toEqual([]);
  });

  test.each<[string, (made: Awaited<ReturnType<typeof setUp>>) => Partial<WorkerDeps>, object[]?]>([
    ['the small one cannot be started', ({ workers }) => refuse(workers, async () => false)],
    [
      'the event bus cannot be reached',
      ({ workers }) => refuse(workers, async () => Promise.reject(new Error('down'))),
      [{ level: 'warn', notStartedFor: 0, message: 'Error: down' }],
    ],
    ['the stack has none any more', () => ({ settings: SETTINGS })],
    ['the project has code of its own', () => ({ hooks: SILENT })],
  ])('is served if %s', async (_why, change, lines = []) => {
    const made = await setUp();
    await made.run(startEvent({ isSmall: true }), change(made));
    expect(Object.values(await statesOf(made.engine))).toEqual(['fetched', 'fetched', 'fetched']);
    expect(made.logged).toEqual(lines);
  });
});

function refuse(workers: Pick<WorkerPool, 'startSmall'>, startSmall: () => Promise<boolean>) {
  workers.startSmall = startSmall;
  return {};
}

describe('a document', () => {
  const reading = (answer: DocumentAnswer): DocumentReading => ({
    reads: (mediaType) => mediaType === 'application/pdf',
    read: async () => answer,
    limitMs: () => 1000,
  });
  const read = (text: string): DocumentAnswer => ({
    content: { text, markdown: text, links: [], metadata: { types: [] } },
  });

  test.each<[string, DocumentAnswer]>([
    ['needs more time or memory', { fault: 'reading it took more than 192 MiB of memory', isLimit: true }],
    [
      'was not read to its end',
      { content: { text: '', markdown: '', links: [], metadata: { types: [] }, cut: '9 of 99 pages' } },
    ],
  ])('that %s is left to a full-size worker, which fetches it again', async (_what, answer) => {
    const { run, engine, fetcher, starts, logged } = await setUp();
    await run(SMALL_EVENT, { isSmall: true, documents: smallDocuments(reading(answer)) });
    expect(starts).toContainEqual(NOW);
    expect(logged).toEqual([]);
    expect(engine.messages('a.test')).not.toEqual([]);
    await run(startEvent(), { documents: reading(read('text')) });
    expect(Object.values(await statesOf(engine))).toEqual(['fetched', 'fetched', 'fetched']);
    expect(fetcher.count('http://a.test/2.pdf')).toBe(2);
    const times = fetcher.log.map(({ startedAt }) => startedAt);
    for (const [i, at] of times.entries()) if (i > 0) expect(at - times[i - 1]!).toBeGreaterThanOrEqual(1000);
  });

  test('that comes again is judged by the reading of that time', async () => {
    const answers: DocumentAnswer[] = [
      read('text'),
      { fault: 'it took too long', isLimit: true },
      read('more'),
    ];
    const documents = smallDocuments({ ...reading(read('')), read: async () => answers.shift()! });
    const document = { url: 'http://a.test/2.pdf' } as UnreadDocument;
    expect(await documents.read(document)).toEqual(read('text'));
    await expect(documents.read(document)).rejects.toThrow('http://a.test/2.pdf: it took too long');
    expect(await documents.read(document)).toEqual(read('more'));
  });

  test('that is damaged is so for any worker', async () => {
    const { run, engine, fetcher, starts } = await setUp();
    await run(SMALL_EVENT, { isSmall: true, documents: smallDocuments(reading({ fault: 'it is damaged' })) });
    expect(starts).toEqual([]);
    expect(Object.values(await statesOf(engine))).toEqual(['fetched', 'fetched', 'fetched']);
    expect(fetcher.count('http://a.test/2.pdf')).toBe(1);
  });
});

test.each([
  [512, 64],
  [1000, 125],
  [1001, 125],
  [1007, 125],
])('of %d MB a document may take a whole number of MB, and not more than an eighth: %d', (memoryMb, mb) => {
  expect(smallDocumentMb(memoryMb)).toBe(mb);
});
