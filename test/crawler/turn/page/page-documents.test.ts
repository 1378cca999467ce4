import { expect, test } from 'vitest';
import { NO_TOTALS } from '../../../../shared/core/frontier/host-totals.ts';
import type { MediaContent } from '../../../../shared/core/media/media-module.ts';
import type { FetchedResponse } from '../../../../shared/core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../../shared/core/parser/document.ts';
import { TurnCounters } from '../../../../shared/crawler/turn/counters.ts';
import type { DocumentAnswer } from '../../../../shared/crawler/turn/page/document-reading.ts';
import {
  type PageDocument,
  PageDocuments,
  withLinks,
} from '../../../../shared/crawler/turn/page/page-documents.ts';
import type { TurnServices } from '../../../../shared/crawler/turn/services.ts';
import { newStats } from '../../../../shared/crawler/turn/worker-stats.ts';
import { createFakeClock } from '../../worker/fake-clock.ts';
import { crawlOfTurn, ORIGIN, PLAIN_FACTS, recordOf } from '../turn-fakes.ts';

const PAGE = recordOf(`${ORIGIN}/a.pdf`);
const RESPONSE = { body: { size: 10 } } as unknown as FetchedResponse;
const FACTS: DocumentFacts = { ...PLAIN_FACTS, type: 'document', mimeType: 'application/pdf', links: [] };
const CONTENT: MediaContent = {
  text: 'text',
  markdown: 'text',
  metadata: { title: 'Of the document', types: [] },
  links: ['/b', `${ORIGIN}/c#part`, 'mailto:a@b.test'],
};
const resolve = (reference: string, base: string) => URL.parse(reference, base)?.href;

function open(answer: DocumentAnswer | 'never', config = {}) {
  const counters = new TurnCounters(NO_TOTALS, newStats());
  const clock = createFakeClock();
  const stopping = new AbortController();
  const asked: string[] = [];
  const services = {
    engine: { clock },
    stopping: stopping.signal,
    work: { run: (_crawl: string, _url: string, _step: string, work: () => unknown) => work() },
    documents: {
      reads: (type: string) => type === 'application/pdf',
      limitMs: () => 1000,
      read({ url }: { url: string }) {
        asked.push(url);
        return answer === 'never' ? new Promise(() => {}) : Promise.resolve(answer);
      },
    },
  } as unknown as TurnServices;
  const documents = new PageDocuments(services, { crawl: crawlOfTurn({ config }), counters });
  return { documents, counters, clock, stopping, asked, services };
}

test('the links and the title of a document are those of its page', async () => {
  const { documents, counters } = open({ content: CONTENT });
  const read = await documents.read(PAGE, RESPONSE, FACTS, resolve);
  expect(read).toMatchObject({ content: CONTENT, facts: { title: 'Of the document', droppedLinks: 0 } });
  const { facts, cause } = read as PageDocument;
  expect(facts.links).toEqual([
    { url: `${ORIGIN}/b`, kind: 'a' },
    { url: `${ORIGIN}/c`, kind: 'a' },
  ]);
  expect(cause).toBeUndefined();
  expect(counters.totals.hints).toBeUndefined();
});

test('one that is not read, or not to its end, has a cause and is counted', async () => {
  const unread = open({ fault: 'it is encrypted' });
  expect(await unread.documents.read(PAGE, RESPONSE, FACTS, resolve)).toEqual({
    facts: FACTS,
    cause: { code: 'documentUnread', detail: 'it is encrypted' },
  });
  expect(unread.counters.totals.hints).toEqual({ unreadDocument: 1 });
  const cut = open({ content: { ...CONTENT, cut: '1 of 2 pages were read' } });
  const read = await cut.documents.read(PAGE, RESPONSE, FACTS, resolve);
  expect(read).toMatchObject({ cause: { code: 'documentCut', detail: '1 of 2 pages were read' } });
  expect(cut.counters.totals.hints).toEqual({ cutDocument: 1 });
});

const BUSY = { code: 'documentUnread', detail: 'busy' } as const;
const CUT = { content: { ...CONTENT, cut: 'busy' }, wasBusy: 'reading' } as const;

test.each<[string, DocumentAnswer, number, boolean | 'kept']>([
  ['that waited for others', { fault: 'busy', isLimit: true, wasBusy: 'waiting' }, 0, false],
  ['that waited, at the last attempt', { fault: 'busy', isLimit: true, wasBusy: 'waiting' }, 2, false],
  ['that a busy machine did not read', { fault: 'busy', isLimit: true, wasBusy: 'reading' }, 0, true],
  ['that a busy machine did not read to its end', CUT, 1, true],
  ['that it did not read to its end at the last attempt', CUT, 2, 'kept'],
])('a document %s', async (_, answer, attempts, expected) => {
  const { documents, counters } = open(answer, { maxAttempts: 3 });
  const read = await documents.read({ ...PAGE, attempts }, RESPONSE, FACTS, resolve);
  if (expected === 'kept')
    expect(read).toMatchObject({ content: CUT.content, cause: { code: 'documentCut' } });
  else expect(read).toEqual({ retryMs: 30_000, isAttempt: expected, cause: BUSY });
  expect(counters.totals.hints).toEqual(expected === 'kept' ? { cutDocument: 1 } : undefined);
});

test.each([
  ['a requisite', { ...PAGE, kind: 'requisite' as const }, RESPONSE, FACTS, {}],
  ['an empty body', PAGE, { body: { size: 0 } } as FetchedResponse, FACTS, {}],
  ['another type', PAGE, RESPONSE, { ...FACTS, mimeType: 'image/png' }, {}],
  ['a crawl that does not want it', PAGE, RESPONSE, FACTS, { readDocuments: false }],
])('%s is not read', async (_, record, response, facts, config) => {
  const { documents, asked } = open({ content: CONTENT }, config);
  expect(await documents.read(record, response, facts, resolve)).toEqual({ facts });
  expect(asked).toEqual([]);
});

test('a page whose document is not read when the worker is stopped waits for the next session', async () => {
  const { documents, stopping, clock } = open('never');
  const reading = documents.read(PAGE, RESPONSE, FACTS, resolve);
  stopping.abort();
  await clock.advance(3000);
  expect(await reading).toBeUndefined();
});

test('links that the parser has found stay, and further ones than a page may have are counted', () => {
  const facts = { ...FACTS, links: [{ url: `${ORIGIN}/b`, kind: 'a' as const }], title: 'Known' };
  const found = withLinks(
    facts,
    { ...CONTENT, metadata: { types: [] } },
    { url: PAGE.url, maxLinks: 1, resolve },
  );
  expect(found.links).toEqual(facts.links);
  expect(found).toMatchObject({ title: 'Known', droppedLinks: 1 });
});
