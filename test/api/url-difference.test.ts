import { describe, expect, test } from 'vitest';
import { differenceBetween } from '../../api/url-difference.ts';
import { printDiff } from '../../cli/verbs/diff.ts';
import type { PayloadSource } from '../../shared/core/archive/payload-reader.ts';
import type { ArchivedResponse } from '../../shared/core/archive/read-response.ts';
import { NotWarc } from '../../shared/core/archive/read-warc.ts';
import type { UrlCapture } from '../../shared/core/archive/url-history.ts';

const URL_ = 'http://a.test/';
const visit = (day: number, change: UrlCapture['change'], more: Partial<UrlCapture> = {}): UrlCapture => ({
  time: `2026-11-0${day}T08:00:00Z`,
  change,
  httpStatus: change === 'notModified' ? 304 : 200,
  digest: `sha1:${change === 'changed' ? day : 1}`,
  warcFile: 'a.warc.gz',
  warcOffset: day,
  warcLength: 100,
  ...more,
});
const HISTORY = [visit(1, 'first'), visit(2, 'same'), visit(3, 'changed'), visit(4, 'notModified')];

const pageOf = (price: string) =>
  `<html><body><main><h1>Shop</h1><p>The lamp costs ${price} euros today, and is in stock.</p></main></body></html>`;

/** Bodies by the days of the visits that have one. */
function sourceOf(bodies: Readonly<Record<number, string>>, type = 'text/html'): PayloadSource {
  return {
    async readResponse({ offset }) {
      const body = bodies[offset];
      if (body === undefined) throw new Error('the file ends within the record');
      return {
        date: `2026-11-0${offset}T08:00:00Z`,
        headers: [['Content-Type', type]],
        body: Buffer.from(body),
      } as unknown as ArchivedResponse;
    },
    async *captures() {},
  };
}
const SOURCE = sourceOf({ 1: pageOf('five'), 3: pageOf('seven') });

const timesOf = async (...[from, to]: (string | undefined)[]) => {
  const times = { from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined };
  const difference = await differenceBetween(URL_, HISTORY, SOURCE, times);
  return [difference.from.time.slice(0, 10), difference.to.time.slice(0, 10)];
};

test('compares the visit before the last change with the last one, or the visits of the times given', async () => {
  expect(await timesOf()).toEqual(['2026-11-02', '2026-11-04']);
  expect(await timesOf('2026-11-01T09:00Z')).toEqual(['2026-11-01', '2026-11-04']);
  expect(await timesOf('2020-01-01', '2026-11-03')).toEqual(['2026-11-01', '2026-11-02']);
});

test('a visit that found the same has the content of the one before', async () => {
  const { lines } = await differenceBetween(URL_, HISTORY, SOURCE);
  expect(lines.filter(({ kind }) => kind !== 'same')).toEqual([
    {
      kind: 'changed',
      parts: [
        { kind: 'same', text: 'The lamp costs ' },
        { kind: 'removed', text: 'five' },
        { kind: 'added', text: 'seven' },
        { kind: 'same', text: ' euros today, and is in stock.' },
      ],
    },
  ]);
});

describe('of a page that was rendered', () => {
  const shell = '<div id=root></div>';
  const bodies = { 1: shell, 2: shell, 3: pageOf('nine') };
  const visits = [visit(1, 'first'), visit(2, 'same'), visit(3, 'changed')];
  const rendered: Readonly<Record<number, string>> = { 1: pageOf('five'), 2: pageOf('seven') };
  const readRendered: PayloadSource['readRendered'] = async (_, { offset }) =>
    rendered[offset] === undefined ? undefined : Buffer.from(rendered[offset]);
  const source: PayloadSource = { ...sourceOf(bodies), readRendered };
  const at = (day: number) => new Date(`2026-11-0${day}T09:00Z`);
  const changeIn = async (times: { from: Date; to: Date }, from = source) => {
    const { lines } = await differenceBetween(URL_, visits, from, times);
    return lines
      .flatMap((line) => ('parts' in line ? line.parts : []))
      .flatMap(({ kind, text }) => (kind === 'same' ? [] : `${kind} ${text}`));
  };

  test('visits of the same bytes are compared by what a browser has shown', async () => {
    expect(await changeIn({ from: at(1), to: at(2) })).toEqual(['removed five', 'added seven']);
  });

  test('a visit that was not rendered, of other bytes, is read as it was sent', async () => {
    expect(await changeIn({ from: at(2), to: at(3) })).toEqual(['removed seven', 'added nine']);
  });

  test('a rendered form that is damaged is said to be', async () => {
    const damaged = async () => {
      throw new NotWarc('Member at 2: its CRC is not that of its bytes');
    };
    await expect(changeIn({ from: at(1), to: at(2) }, { ...source, readRendered: damaged })).rejects.toThrow(
      /^the visit of .* cannot be read: its rendered form is damaged: Member at 2/,
    );
  });

  test('nothing is looked for in a crawl that has rendered no page', async () => {
    const none = { ...source, hasRendered: async () => false, readRendered: () => expect.unreachable() };
    const plain = { ...none, ...sourceOf({ 1: pageOf('five'), 3: pageOf('seven') }) };
    expect(await changeIn({ from: at(2), to: at(3) }, plain)).toEqual(['removed five', 'added seven']);
  });
});

test('a block that is main content in one version alone is no change', async () => {
  const reference = (more: string) =>
    `<html><body><h1>Catalogs</h1>${Array.from(
      { length: 8 },
      (_, i) => `<p class=x>Column ${i}</p><p>Holds ${i}, of the row.</p>`,
    ).join('')}${more}<table><tr><td>Prev</td><td>Home</td><td>Next</td></tr></table></body></html>`;
  const sentence = 'A paragraph that is new, which says much about the catalog, and how to read it. ';
  const inserted = sentence.repeat(20).trim();
  const source = sourceOf({ 1: reference(''), 3: reference(`<p>${inserted}</p>`) });
  const { lines } = await differenceBetween(URL_, HISTORY, source);
  expect(lines.filter(({ kind }) => kind !== 'same')).toEqual([
    { kind: 'added', parts: [{ kind: 'added', text: inserted }] },
  ]);
});

test('says why there is nothing to compare', async () => {
  const problem = (visits: readonly UrlCapture[], source = SOURCE) =>
    differenceBetween(URL_, visits, source).then(
      () => 'none',
      (error: Error) => `${error.name}: ${error.message}`,
    );
  expect(await problem([])).toBe(`NoDifference: the archive has no visit of ${URL_}`);
  expect(await problem(HISTORY.slice(0, 2))).toBe(
    `NoDifference: ${URL_} has not changed: 2 visits from 2026-11-01T08:00:00Z to 2026-11-02T08:00:00Z have shown the same`,
  );
  expect(await problem(HISTORY, sourceOf({ 1: 'a', 3: 'b' }, 'image/png'))).toBe(
    `NoDifference: the visit of ${URL_} at 2026-11-01T08:00:00Z has shown no document with a text`,
  );
  expect(await problem(HISTORY, sourceOf({ 1: pageOf('five') }))).toBe(
    `NoDifference: the visit of ${URL_} at 2026-11-03T08:00:00Z cannot be read: the file ends within the record`,
  );
});

test('the command shows the words, the lines beside them, and how many lines are the same', async () => {
  const lines = (price: string) => [...Array(9).keys(), price].map(String).join('\n');
  const source = sourceOf({ 1: lines('it costs \u001b[31mfive'), 3: lines('it costs seven') }, 'text/plain');
  const print = async (colour: boolean, json = false) => {
    let text = '';
    const diff = () => differenceBetween(URL_, HISTORY, source);
    const out = { write: (piece: string) => (text += piece) };
    return { code: await printDiff({ diff }, { url: URL_, json, colour }, out), text };
  };
  expect(await print(false)).toEqual({
    code: 0,
    text: `--- 2026-11-02T08:00:00Z  200
+++ 2026-11-04T08:00:00Z  304
  ... 7 lines the same
  7
  8
~ it costs [-[31mfive-]{+seven+}
`,
  });
  expect((await print(true)).text).toContain('\u001b[32m{+seven+}\u001b[0m');
  expect(JSON.parse((await print(false, true)).text)).toMatchObject({ url: URL_, lines: { length: 10 } });
});

test('visits as Markdown are compared with each other, and not with those as HTML', async () => {
  const form = 'markdown';
  const history = [
    visit(1, 'first'),
    visit(2, 'otherForm', { form }),
    visit(3, 'changed'),
    visit(4, 'changed', { form }),
  ];
  const source: PayloadSource = {
    ...sourceOf({}),
    readResponse: (location, maxBytes) =>
      sourceOf(
        { 1: pageOf('five'), 2: '# Shop\n\nfive euros\n', 3: pageOf('seven'), 4: '# Shop\n\nsix euros\n' },
        location.offset % 2 === 0 ? 'text/markdown' : 'text/html',
      ).readResponse(location, maxBytes),
  };
  const { from, to, lines } = await differenceBetween(URL_, history, source);
  expect([from.time, to.time]).toEqual([history[1]!.time, history[3]!.time]);
  expect(lines.some(({ kind }) => kind === 'changed')).toBe(true);
  const html = await differenceBetween(URL_, history, source, { to: new Date('2026-11-03T09:00Z') });
  expect([html.from.time, html.to.time]).toEqual([history[0]!.time, history[2]!.time]);
  const mixed = differenceBetween(URL_, history, source, { from: new Date('2026-11-01T09:00Z') });
  await expect(mixed).rejects.toThrow('was HTML and Markdown, which are not compared');
});
