/**
 * Tests of a turn's output to the archive: its records, repeated payloads, and when the output is durable.
 */
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ArchivedPayload, NewPayload } from '../../../shared/core/archive/archived-payload.ts';
import { encodeCapture } from '../../../shared/core/archive/capture.ts';
import type { FetchedResponse } from '../../../shared/core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../shared/core/parser/document.ts';
import type { PayloadIndex } from '../../../shared/crawler/ports/payload-index.ts';
import { TurnOutput } from '../../../shared/crawler/turn/turn-output.ts';
import { captureOf } from '../../core/archive/captures.ts';
import { driven, type OpenTurn, openTurn, type TurnSituation } from './turn-bench.ts';
import { ORIGIN, recordOf } from './turn-fakes.ts';

const PAGE = `${ORIGIN}/page`;
const BODY = Buffer.from('<p>text</p>');
const responseOf = (fields: Partial<FetchedResponse> = {}, body: Uint8Array = BODY) =>
  captureOf({ url: PAGE, requestHead: Buffer.from('GET /page HTTP/1.1\r\n\r\n'), ...fields, body } as never);
const FACTS = {
  type: 'html',
  links: [{ url: `${ORIGIN}/next`, kind: 'a' }],
  title: 'A title',
  charset: 'utf-8',
  droppedLinks: 3,
  dropCause: 'count',
  robots: {},
} as unknown as DocumentFacts;

/** An archive that keeps the text of each record, and whether all is durable. */
async function open(situation: TurnSituation & { readonly known?: ArchivedPayload } = {}) {
  const added: NewPayload[][] = [];
  const asked: string[] = [];
  const payloads: PayloadIndex = {
    async find(crawl: string, sha1: Uint8Array) {
      asked.push(`${crawl} ${Buffer.from(sha1).toString('hex')}`);
      return situation.known;
    },
    async add(_crawl: string, list: readonly NewPayload[]) {
      turn.calls.push('payloads');
      added.push([...list]);
    },
  } as never;
  const turn: OpenTurn = await openTurn({ optional: { payloads }, ...situation });
  const records: string[][] = [];
  const captures: (string | undefined)[] = [];
  const archive = turn.engine.archiveOf('c');
  const append = archive.append.bind(archive);
  archive.append = async (members, lines) => {
    const texts: string[] = [];
    for (const member of members) {
      const pieces: Uint8Array[] = [];
      for await (const piece of member) pieces.push(piece);
      texts.push(gunzipSync(Buffer.concat(pieces)).toString('latin1'));
    }
    records.push(texts);
    captures.push(...(lines ?? []));
    return append(members, lines);
  };
  return { ...turn, records, captures, added, asked, output: turn.parts.output };
}

const typesOf = (texts: readonly string[]): string[] =>
  texts.map((text) => /WARC-Type: (\w+)/.exec(text)?.[1] ?? '');

test('a page that is archived already has what the site states now about the use of its content', async () => {
  const { output, records } = await open();
  const archived = { url: PAGE, date: '2026-01-02T03:04:05Z', sha1: responseOf().body.sha1 };
  const stated = { signal: 'content-usage', source: 'robots.txt', value: 'train-ai=n' } as const;
  for (const response of [responseOf({ httpStatus: 304 }, Buffer.alloc(0)), responseOf()]) {
    await output.archiveAgain(recordOf(PAGE), response, archived, [stated]);
    await output.archiveAgain(recordOf(PAGE), response, archived, []);
  }
  expect(records.map((texts) => texts.at(-1)?.match(/^usage-preference: .*$/m)?.[0])).toEqual([
    'usage-preference: robots.txt content-usage: train-ai=n',
    undefined,
    'usage-preference: robots.txt content-usage: train-ai=n',
    undefined,
  ]);
});

test('each exchange is archived with records of its own', async () => {
  const { output, records } = await open();
  const urls = [PAGE, `${PAGE}2`];
  const archived = { date: '2026-01-02T03:04:05Z', sha1: responseOf().body.sha1 };
  for (const url of urls) await output.archiveRobots(responseOf({ url }));
  for (const url of urls)
    await output.archiveAgain(recordOf(url), responseOf({ url }), { ...archived, url }, []);
  for (const url of urls)
    await output.archiveAgain(
      recordOf(url),
      responseOf({ url, httpStatus: 304 }, Buffer.alloc(0)),
      { ...archived, url },
      [],
    );
  const targets = records.map(([text = '']) => /WARC-Target-URI: (\S+)/.exec(text)?.[1]);
  expect(targets).toEqual([...urls, ...urls, ...urls]);
});

describe('the exchange of a page', () => {
  test('is a response, a request and metadata, and its place is that of the response', async () => {
    const { output, records, captures, engine } = await open();
    const record = recordOf(PAGE, { depth: 2, via: `${ORIGIN}/from` });
    const response = responseOf({ startedAt: 1000, endedAt: 1250 });
    const { location } = await output.archive(record, response, FACTS);
    expect(records.map(typesOf)).toEqual([['response', 'request', 'metadata']]);
    expect(captures).toEqual([(await encodeCapture(response, { newId: () => '<urn:uuid:1>' })).capture]);
    await output.makeDurable();
    const text = gunzipSync(engine.archiveOf('c').read(location!)).toString('latin1');
    expect(text).toContain('WARC-Type: response');
    expect(text).toContain(`WARC-Target-URI: ${PAGE}`);
    const [first, , metadata] = records[0] as [string, string, string];
    const id = /WARC-Record-ID: (\S+)/.exec(first)?.[1];
    const date = /WARC-Date: (\S+)/.exec(first)?.[1];
    expect(metadata.split('\r\n')).toEqual(
      expect.arrayContaining([
        `WARC-Concurrent-To: ${id}`,
        `WARC-Target-URI: ${PAGE}`,
        `WARC-Date: ${date}`,
        `via: ${ORIGIN}/from`,
        'hopsFromSeed: LL',
        'fetchTimeMs: 250',
        'charsetForLinkExtraction: utf-8',
        'title: A title',
        'outlinkCount: 1',
        'outlinksLeftOut: 3 count',
      ]),
    );
  });

  test('says what was wrong with its certificate', async () => {
    const { output, records } = await open();
    await output.archive(recordOf(PAGE), responseOf({ tlsError: 'expired' } as never), undefined);
    expect(records[0]?.[2]).toContain('expired');
  });

  test.each(['archive', 'archiveRobots'] as const)('that cannot be appended fails %s', async (method) => {
    const { output, engine } = await open();
    engine.archiveOf('c').append = () => Promise.reject(new Error('disk full'));
    const done =
      method === 'archive'
        ? output.archive(recordOf(PAGE), responseOf(), FACTS)
        : output.archiveRobots(responseOf());
    await expect(done).rejects.toThrow('disk full');
  });

  test('names as many outlinks as the configuration says', async () => {
    const { output, records } = await open({ config: { metadataLinks: 2 } });
    const links = [1, 2, 3].map((i) => ({ url: `${ORIGIN}/${i}`, kind: 'a' as const }));
    await output.archive(recordOf(PAGE), responseOf(), { ...FACTS, links });
    expect(records[0]?.[2]).toContain(`${ORIGIN}/2`);
    expect(records[0]?.[2]).not.toContain(`${ORIGIN}/3`);
  });

  test('has no metadata if it is a sitemap, or none are wanted', async () => {
    const sitemap = await open();
    await sitemap.output.archive(recordOf(PAGE, { kind: 'sitemap' }), responseOf(), FACTS);
    const none = await open({ config: { metadata: false } });
    await none.output.archive(recordOf(PAGE), responseOf(), FACTS);
    for (const { records } of [sitemap, none])
      expect(records.map(typesOf)).toEqual([['response', 'request']]);
  });

  test('that is a 304 has the headers of the site in its metadata, also where none are wanted', async () => {
    const { output, records } = await open({ config: { metadata: false } });
    const archived = { url: PAGE, date: '2026-01-02T03:04:05Z', sha1: responseOf().body.sha1 };
    const headers: [string, string][] = [['ETag', '"new"']];
    const response = responseOf({ httpStatus: 304, headers } as never, Buffer.alloc(0));
    await output.archiveAgain(recordOf(PAGE), response, archived, []);
    await output.archiveAgain(recordOf(PAGE), responseOf(), archived, []);
    expect(records.map(typesOf)).toEqual([
      ['revisit', 'request', 'metadata'],
      ['revisit', 'request'],
    ]);
  });

  test('of robots.txt is a response and a request', async () => {
    const { output, records, captures } = await open();
    await output.archiveRobots(responseOf());
    expect(records.map(typesOf)).toEqual([['response', 'request']]);
    expect(captures).toHaveLength(1);
  });
});

const KNOWN_PAYLOAD = {
  url: `${ORIGIN}/first`,
  date: '2026-01-01T00:00:00.000Z',
  recordId: '<urn:uuid:known>',
};

describe('a payload', () => {
  const config = { revisits: true };
  const known = KNOWN_PAYLOAD;

  test('that an earlier turn has archived is not written again', async () => {
    const { output, records, asked, added } = await open({ config, known });
    await output.archive(recordOf(PAGE), responseOf(), FACTS);
    expect(typesOf(records[0] ?? [])).toEqual(['revisit', 'request', 'metadata']);
    expect(records[0]?.[0]).toContain(`WARC-Refers-To: ${known.recordId}`);
    expect(records[0]?.[0]).not.toContain('text</p>');
    expect(asked).toEqual([`c ${Buffer.from(responseOf().body.sha1).toString('hex')}`]);
    await output.makeDurable();
    expect(added).toEqual([]);
  });

  test('is looked up at each visit: another host may have archived it meanwhile', async () => {
    const situation: { config: typeof config; known?: ArchivedPayload } = { config };
    const turn = await open(situation);
    const types: (string | undefined)[] = [];
    for (const known of [undefined, KNOWN_PAYLOAD, undefined]) {
      if (known) situation.known = known;
      else delete situation.known;
      // Another turn of the process has the same index.
      const output = new TurnOutput(turn.services, turn.parts.crawl, turn.parts.quarantine);
      turn.records.length = 0;
      await output.archive(recordOf(PAGE), responseOf(), FACTS);
      types.push(typesOf(turn.records[0] ?? [])[0]);
    }
    expect(types).toEqual(['response', 'revisit', 'response']);
    expect(turn.asked).toHaveLength(3);
  });

  test('of this turn is found again, and is indexed for later turns once all is durable', async () => {
    const { output, records, asked, added, calls } = await open({ config });
    await output.archive(recordOf(PAGE), responseOf(), FACTS);
    await output.archive(recordOf(`${PAGE}2`), responseOf({ url: `${PAGE}2` }), FACTS);
    await output.archive(recordOf(`${PAGE}3`), responseOf({ url: `${PAGE}3` }), FACTS);
    expect(records.map((texts) => typesOf(texts)[0])).toEqual(['response', 'revisit', 'revisit']);
    const id = /WARC-Record-ID: (\S+)/.exec(records[0]?.[0] ?? '')?.[1];
    for (const i of [1, 2]) expect(records[i]?.[0]).toContain(`WARC-Refers-To: ${id}`);
    expect(asked).toHaveLength(1);
    expect(added).toEqual([]);
    await output.makeDurable();
    expect(added).toMatchObject([[{ url: PAGE, recordId: id }]]);
    expect(calls.slice(-2)).toEqual(['flush', 'payloads']);
  });

  test.each([
    ['revisits are not wanted', { revisits: false }, responseOf()],
    ['it is empty', config, responseOf({}, new Uint8Array(0))],
    ['it was cut off', config, responseOf({ truncated: 'length' })],
  ])('is not looked up where %s', async (_, settings, response) => {
    const { output, records, asked, added } = await open({ config: settings, known });
    await output.archive(recordOf(PAGE), response, FACTS);
    expect(typesOf(records[0] ?? [])[0]).toBe('response');
    await output.makeDurable();
    expect([asked, added]).toEqual([[], []]);
  });

  test('is always written where the engine has no index of payloads', async () => {
    const { output, records } = await open({ config, optional: {} });
    for (const url of [PAGE, PAGE]) await output.archive(recordOf(url), responseOf(), FACTS);
    expect(records.map((texts) => typesOf(texts)[0])).toEqual(['response', 'response']);
    await output.makeDurable();
  });
});

describe('what is durable', () => {
  test('nothing is flushed if nothing was archived', async () => {
    const { output, calls } = await open();
    await output.makeDurable();
    expect(calls).toEqual([]);
  });

  test.each(['archive', 'archiveRobots'] as const)(
    'after %s the archive is flushed, and waited for',
    async (method) => {
      const turn = await open({ config: { revisits: false } });
      const { output, engine, calls, clock } = turn;
      if (method === 'archive') await output.archive(recordOf(PAGE), responseOf(), FACTS);
      else await output.archiveRobots(responseOf());
      const archive = engine.archiveOf('c');
      archive.flush = async () => {
        await clock.sleep(1000);
        calls.push('flushed');
      };
      await driven(turn, output.makeDurable());
      expect(calls).toEqual([expect.stringMatching(/^append/), 'flushed']);
    },
  );

  test('the archive that fails to flush fails the turn, and payloads are not indexed', async () => {
    const { output, engine, added } = await open({ config: { revisits: true } });
    await output.archive(recordOf(PAGE), responseOf(), FACTS);
    engine.archiveOf('c').flush = () => Promise.reject(new Error('disk full'));
    await expect(output.makeDurable()).rejects.toThrow('disk full');
    expect(added).toEqual([]);
  });
});

test('a turn whose payloads cannot be indexed fails', async () => {
  const { output, engine } = await open({ config: { revisits: true } });
  await output.archive(recordOf(PAGE), responseOf(), FACTS);
  engine.payloads!.add = () => Promise.reject(new Error('no index'));
  await expect(output.makeDurable()).rejects.toThrow('no index');
});

test('two payloads of a turn are two', async () => {
  const { output, records, added } = await open({ config: { revisits: true } });
  await output.archive(recordOf(PAGE), responseOf(), FACTS);
  const other = responseOf({ url: `${PAGE}2` }, Buffer.from('<p>other</p>'));
  await output.archive(recordOf(`${PAGE}2`), other, FACTS);
  expect(records.map((texts) => typesOf(texts)[0])).toEqual(['response', 'response']);
  await output.makeDurable();
  expect(added[0]?.map(({ url }) => url)).toEqual([PAGE, `${PAGE}2`]);
});

test('items are kept in their order, and a turn with 16 million characters of them is full', async () => {
  const { output } = await open();
  expect(output.items).toEqual([]);
  expect(output.isFull).toBe(false);
  const line = 'x'.repeat(8_000_000);
  output.addItems(['a', line]);
  output.addItems([line.slice(2)]);
  expect(output.isFull).toBe(false);
  output.addItems(['b']);
  expect(output.isFull).toBe(true);
  expect(output.items.map(({ length }) => length)).toEqual([1, 8_000_000, 7_999_998, 1]);
});

test('a page is encoded while it is watched: what kills the worker then is the page', async () => {
  const watched: number[] = [];
  const { output, parts } = await open();
  const watch = parts.quarantine.watch.bind(parts.quarantine);
  parts.quarantine.watch = async (work) => {
    const result = await watch(work);
    watched.push(1);
    return result;
  };
  await output.archive(recordOf(PAGE), responseOf(), FACTS);
  await output.archiveRobots(responseOf());
  expect(watched).toEqual([1, 1]);
});
