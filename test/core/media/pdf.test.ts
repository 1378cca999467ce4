import { describe, expect, test } from 'vitest';
import { createPdfModule, isoDateOf } from '../../../shared/core/media/pdf.ts';
import { linesOf, type PdfText } from '../../../shared/core/media/pdf-text.ts';
import { makePdf, pdfOf, pdfText } from './made-documents.ts';

const url = 'https://a.test/docs/file.pdf';
const read = async (bytes: Uint8Array, { pages = 1000, hasTime = (): boolean => true } = {}) =>
  createPdfModule({ pages, hasTime }).read({ url, bytes });

test('text, headings, links and metadata', async () => {
  const lines = ['A Large Title', 'The first line of a para-', 'graph, and its second line.'];
  const info = "/Title(Of the file)/Author(Ada)/CreationDate(D:20260102030405+01'00')";
  const found = await read(makePdf([{ content: pdfText(lines, 30), link: '../next.html' }], info));
  const target = 'https://a.test/next.html';
  expect(found.markdown).toBe(
    `# [A Large Title](${target})\n\n[The first line of a paragraph, and its second line.](${target})`,
  );
  expect(found.text).toBe('A Large Title\n\nThe first line of a paragraph, and its second line.');
  expect(found.links).toEqual([target]);
  expect(found.metadata).toEqual({
    title: 'Of the file',
    author: 'Ada',
    published: '2026-01-02T03:04:05+01:00',
    pages: 1,
    types: [],
  });
  expect(found.cut).toBeUndefined();
});

test('without a title its largest letters are one; numbers of pages are no text', async () => {
  const page = { content: pdfText(['The Report', 'Some text here, and more of it.', '17'], 24) };
  const found = await read(makePdf([page, page]));
  expect(found.metadata.title).toBe('The Report');
  expect(found.text).not.toContain('17');
});

test('URLs in the text are links, unless they may go on in the next line', async () => {
  const lines = [
    'See https://b.test/whole. And (https://b.test/bracket) or https://b.test/cut-',
    'here.html',
  ];
  expect((await read(makePdf([{ content: pdfText(lines) }]))).links).toEqual([
    'https://b.test/whole',
    'https://b.test/bracket',
  ]);
});

test('tables of contents have a line for each title', async () => {
  const lines = [
    '1. First . . . . . . . . . 3',
    '2. Second . . . . . . . 4',
    'One sentence goes',
    'on here.',
  ];
  const { text } = await read(makePdf([{ content: pdfText(lines) }]));
  expect(text).toBe(
    '1. First . . . . . . . . . 3\n\n2. Second . . . . . . . 4\n\nOne sentence goes on here.',
  );
});

describe('limits and faults', () => {
  const page = { content: pdfText(['hello']) };

  test('further pages are not read, and the document says so', async () => {
    const bytes = makePdf(Array.from({ length: 12 }, () => page));
    expect((await read(bytes, { pages: 5 })).cut).toBe('5 of 12 pages were read');
    let left = 3;
    const slow = await read(bytes, { hasTime: () => left-- > 0 });
    expect(slow).toMatchObject({ cut: '3 of 12 pages were read', text: 'hello\n\nhello\n\nhello' });
  });

  test.each([
    ['no PDF', Buffer.from('<!doctype html>'), /no PDF, or is damaged/],
    ['its head alone', makePdf([page]).subarray(0, 20), /no PDF, or is damaged/],
    [
      'a tree of pages that is its own child',
      pdfOf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R 2 0 R]/Count 100>>', '<<>>']),
      /none of its pages can be read/,
    ],
  ])('%s is refused', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
  });

  test('a form that draws itself ends', async () => {
    const form = '<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>/Length 11>>';
    const bytes = pdfOf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>',
      '<</Length 5>>stream\n/F Do\nendstream',
      `${form}stream\n/F Do /F Do\nendstream`,
      '<<>>',
    ]);
    expect((await read(bytes)).text).toBe('');
  });
});

test('pieces of one line are one line, and links are those of the pieces under them', () => {
  const piece = (str: string, x: number, y: number, hasEOL = false): PdfText => ({
    str,
    transform: [1, 0, 0, 1, x, y],
    width: 10,
    height: 10,
    hasEOL,
  });
  const lines = linesOf(
    [piece('a ', 0, 100), piece('link', 10, 100), piece('below', 0, 80, true)],
    ({ str }) => (str === 'link' ? 'https://b.test/' : undefined),
  );
  expect(lines.map(({ text }) => text)).toEqual(['a link', 'below']);
  expect(lines[0]!.runs[1]).toEqual({ text: 'link', href: 'https://b.test/' });
});

test.each([
  ['D:2026', '2026'],
  ['D:20260131', '2026-01-31'],
  ['D:20260131120000Z', '2026-01-31T12:00:00Z'],
  ["20260131120000-05'30'", '2026-01-31T12:00:00-05:30'],
  ['yesterday', undefined],
  [undefined, undefined],
])('the date %s is %s', (date, iso) => {
  expect(isoDateOf(date)).toBe(iso);
});
