/** Documents that a busy machine cannot read when they are fetched. */
import { expect, test, vi } from 'vitest';
import type { DocumentAnswer, DocumentReading } from '../../../shared/crawler/turn/page/document-reading.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { begin, CRAWL, createWorld, recordOf, runToEnd, said, startProcess, statesOf } from './world.ts';

const A = 'http://a.test';
const PDF = `${A}/x.pdf`;
const SITE: Site = {
  [`${A}/`]: page('/x.pdf', '/1'),
  [`${A}/1`]: page('/2'),
  [PDF]: { body: '%PDF-1.4', headers: { 'Content-Type': 'application/pdf' } },
};
const READ = { text: 'text', markdown: 'text', links: ['/linked'], metadata: { types: [] } };
const WAITED: DocumentAnswer = { fault: 'busy', isLimit: true, wasBusy: 'waiting' };
const CUT: DocumentAnswer = { content: { ...READ, cut: '1 of 2 pages' }, wasBusy: 'reading' };

const reading = (answers: readonly DocumentAnswer[]): DocumentReading => {
  let next = 0;
  return {
    reads: (mediaType) => mediaType === 'application/pdf',
    read: async () => answers[next++] ?? { content: READ },
    limitMs: () => 1000,
  };
};

test.each<[string, DocumentAnswer[], number, string | undefined]>([
  ['that is read at once', [], 1, undefined],
  ['that has waited for others, however often', Array(9).fill(WAITED), 10, undefined],
  ['that a busy machine did not read to its end', [CUT, CUT], 3, undefined],
  ['that it never reads to its end', [CUT, CUT, CUT], 3, 'it was not read to its end: 1 of 2 pages'],
])('a document %s is fetched again, and archived and counted once', async (_, answers, fetches, cause) => {
  const world = createWorld(SITE, { documents: reading(answers) });
  const append = vi.spyOn(world.engine.archiveOf(CRAWL), 'append');
  await begin(world, [`${A}/`], { maxAttempts: 3 });
  expect(await runToEnd(world)).toEqual([]);
  expect(world.fetcher.count(PDF)).toBe(fetches);
  expect(await statesOf(world.engine)).toMatchObject({ [PDF]: 'fetched', [`${A}/linked`]: 'gone' });
  expect(said(await recordOf(world.engine, PDF))).toBe(cause);
  const { pages, urls } = await world.engine.registry.totals(CRAWL);
  expect({ pages, urls }).toMatchObject({ pages: 5, urls: { fetched: 3, gone: 2, waiting: 0 } });
  const archived = append.mock.calls.flatMap(([members]) => members);
  // The same as if each page had been fetched once.
  expect(archived).toHaveLength(17);
});

test('meanwhile its host goes on, and the document says what it waits for', async () => {
  const world = createWorld(SITE, { documents: reading([WAITED]) });
  await begin(world, [`${A}/`], { maxAttempts: 3 });
  const { engine, fetcher, clock, documents } = world;
  const process = startProcess(engine, fetcher, { maxHosts: 9, documents });
  await clock.drive(process.ended, () => fetcher.count(`${A}/2`) > 0);
  process.stop();
  await clock.drive(process.ended);
  const record = await recordOf(engine, PDF);
  expect(record).toMatchObject({ state: 'waiting', attempts: 0 });
  expect(record!.dueAt).toBeGreaterThan(clock.now());
  expect(said(record)).toBe('its text and links were not read: busy');
  expect(await runToEnd(world)).toEqual([]);
  expect(await statesOf(engine)).toMatchObject({ [PDF]: 'fetched', [`${A}/linked`]: 'gone' });
});

test('a page that is fetched again keeps what is known of it until its document is read', async () => {
  const changing = (n: number) => ({ ...SITE[PDF], body: `%PDF-1.4 ${n}` });
  const documents = reading([{ content: READ }, WAITED]);
  const world = createWorld({ ...SITE, [PDF]: changing }, { documents });
  await begin(world, [`${A}/`], { recrawlEveryMs: 3_600_000 });
  const { engine, fetcher, clock } = world;
  const process = startProcess(engine, fetcher, { maxHosts: 9, documents });
  await clock.drive(process.ended, () => fetcher.count(PDF) > 1);
  await clock.drive(process.ended, () => fetcher.count(PDF) > 2);
  process.stop();
  await clock.drive(process.ended);
  expect(process.errors).toEqual([]);
  const [, second, third] = fetcher.log.filter(({ url }) => url === PDF);
  expect(third!.startedAt - second!.startedAt).toBeLessThan(120_000);
  expect(await recordOf(engine, PDF)).toMatchObject({
    state: 'fetched',
    attempts: 0,
    result: { httpStatus: 200 },
  });
});
