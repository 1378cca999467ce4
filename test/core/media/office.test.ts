import { describe, expect, test } from 'vitest';
import { readDocx } from '../../../shared/core/media/docx.ts';
import { readOdf } from '../../../shared/core/media/odf.ts';
import { readPptx } from '../../../shared/core/media/pptx.ts';
import { isoDate } from '../../../shared/core/media/spreadsheet-dates.ts';
import { readXlsx } from '../../../shared/core/media/xlsx.ts';
import { CORE, makeDocx, makeZip, paragraph, relationships } from './made-documents.ts';

const url = 'https://a.test/docs/file';
const docx = (...given: Parameters<typeof makeDocx>) => readDocx({ url, bytes: makeDocx(...given) });

describe('Word documents', () => {
  test('headings by the names of their styles, lists, tables, links and properties', () => {
    const styles = `<w:styles><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
      <w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift2"/></w:style>
      <w:style w:styleId="Punkte"><w:name w:val="List Bullet"/><w:pPr><w:numPr/></w:pPr></w:style></w:styles>`;
    const styled = (style: string, text: string) =>
      `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const body = `${styled('berschrift2', 'Chapter &amp; verse')}${styled('Mine', 'Also one')}${styled('Punkte', 'first')}
      <w:p><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr><w:r><w:t>inner</w:t></w:r></w:p>
      <w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>this</w:t></w:r></w:hyperlink>
        <w:r><w:t>, a&lt;b&gt; [c]</w:t><w:br/><w:t>next</w:t></w:r></w:p>
      <w:tbl><w:tr><w:tc>${paragraph('a')}</w:tc><w:tc>${paragraph('b|c')}</w:tc></w:tr>
        <w:tr><w:tc>${paragraph('d')}${paragraph('e')}</w:tc><w:tc/></w:tr></w:tbl>`;
    const read = docx(body, {
      'word/styles.xml': styles,
      'word/_rels/document.xml.rels': relationships(
        ['r1', 'hyperlink', '/x?a=1&amp;b=2', true],
        ['s', 'styles', 'styles.xml'],
      ),
    });
    expect(read.markdown).toBe(
      '## Chapter & verse\n\n## Also one\n\n- first\n  - inner\n\nSee [this](https://a.test/x?a=1&b=2), a\\<b> \\[c\\]  \nnext\n\n| a | b\\|c |\n| --- | --- |\n| d e |  |',
    );
    expect(read.text).toContain('See this, a<b> [c]\nnext');
    expect(read.links).toEqual(['https://a.test/x?a=1&b=2']);
    expect(read.metadata).toEqual({
      title: 'The title',
      author: 'Ada',
      published: '2026-01-02T03:04:05Z',
      language: 'de',
      types: [],
    });
  });

  test('links in fields; no text that was deleted, or that is there in another form', () => {
    const field = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const read =
      docx(`<w:p>${field('begin')}<w:r><w:instrText> HYPERLINK "https://b.test/" </w:instrText></w:r>${field('separate')}
      <w:r><w:t>there</w:t></w:r>${field('end')}<w:r><w:t> after</w:t></w:r><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del></w:p>
      <mc:AlternateContent><mc:Choice>${paragraph('once')}</mc:Choice><mc:Fallback>${paragraph('once')}</mc:Fallback></mc:AlternateContent>`);
    expect(read.markdown).toBe('[there](https://b.test/) after\n\nonce');
    expect(read.links).toEqual(['https://b.test/']);
  });

  test('notes come at the end; a document may be nested in tables and text boxes', () => {
    const read = docx(
      `<w:p><w:r><w:t>outer</w:t><w:txbxContent>${paragraph('box')}</w:txbxContent></w:r></w:p>
       <w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc>${paragraph('inner')}</w:tc></w:tr></w:tbl>${paragraph('cell')}</w:tc></w:tr></w:tbl>`,
      {
        'word/footnotes.xml': `<w:footnotes><w:footnote>${paragraph('a note')}</w:footnote></w:footnotes>`,
        'word/_rels/document.xml.rels': relationships(['n', 'footnotes', 'footnotes.xml']),
      },
    );
    expect(read.text).toBe('box\n\nouter\n\ninner cell\n\na note');
  });

  test.each([
    [
      'entities',
      () => makeZip({ 'word/document.xml': '<!DOCTYPE a [<!ENTITY b "c">]><w:document/>' }),
      /declares entities/,
    ],
    ['nesting', () => makeDocx('<w:tbl><w:tr><w:tc>'.repeat(400)), /nested deeper than 256/],
    ['no document', () => makeZip({ 'a.txt': 'x' }), /no document in it/],
    ['OLE', () => Buffer.from('d0cf11e0a1b11ae1', 'hex'), /encrypted, or of a version of Office before 2007/],
  ])('%s ends with a cause', (_, make, message) => {
    expect(() => readDocx({ url, bytes: make() })).toThrow(message);
  });
});

test('workbooks: sheets, shared texts, dates by their formats, formulas that link', () => {
  const bytes = makeZip({
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Prices" r:id="r1"/><sheet name="Chart" r:id="r3"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relationships(
      ['r1', 'worksheet', 'worksheets/sheet1.xml'],
      ['r2', 'sharedStrings', 'sharedStrings.xml'],
      ['r3', 'chartsheet', 'x.xml'],
      ['r4', 'styles', 'styles.xml'],
    ),
    'xl/sharedStrings.xml':
      '<sst><si><t>Tea</t><rPh><t>ティー</t></rPh></si><si><r><t>A</t></r><r><t>B</t></r></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy&quot;m&quot;"/><numFmt numFmtId="171" formatCode="0.0 &quot;day&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
      <row><c r="A2" s="1"><v>46351</v></c><c r="B2" s="2"><v>46351.4375</v></c><c r="C2" s="3"><v>46351</v></c><c r="D2" t="b"><v>1</v></c></row>
      <row><c r="A3" t="inlineStr"><is><t>in</t></is></c><c r="B3"><f>HYPERLINK("https://b.test/f","x")</f><v>x</v></c></row></sheetData>
      <hyperlinks><hyperlink ref="A1" r:id="h"/></hyperlinks></worksheet>`,
    'xl/worksheets/_rels/sheet1.xml.rels': relationships(['h', 'hyperlink', '/tea', true]),
    'docProps/core.xml': CORE,
  });
  const read = readXlsx({ url, bytes });
  expect(read.markdown).toBe(
    '## Prices\n\n| Tea |  | AB |  |\n| --- | --- | --- | --- |\n| 2026-11-25 | 2026-11-25T10:30:00 | 46351 | TRUE |\n| in | [x](https://b.test/f) |  |  |',
  );
  expect(read.links).toEqual(['https://b.test/f', 'https://a.test/tea']);
  expect(read.metadata).toMatchObject({ title: 'The title', pages: 1 });
});

test.each([
  [1, '1899-12-31'],
  [0.5, '12:00:00'],
  [-1, undefined],
  [Number.NaN, undefined],
  [3e6, undefined],
])('the day %d is %s', (days, date) => {
  expect(isoDate(days, false)).toBe(date);
});

test('days since 1904', () => expect(isoDate(0.5 + 366, true)).toBe('1905-01-01T12:00:00'));

test('presentations: slides in their order, titles, links, notes', () => {
  const shape = (type: string, text: string) =>
    `<p:sp><p:nvPr>${type === '' ? '' : `<p:ph type="${type}"/>`}</p:nvPr><p:txBody>${text}</p:txBody></p:sp>`;
  const line = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const slide = (...shapes: string[]) =>
    `<p:sld><p:cSld><p:spTree>${shapes.join('')}</p:spTree></p:cSld></p:sld>`;
  const bytes = makeZip({
    'ppt/presentation.xml':
      '<p:presentation><p:sldIdLst><p:sldId r:id="two"/><p:sldId r:id="one"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relationships(
      ['one', 'slide', 'slides/slide1.xml'],
      ['two', 'slide', '/ppt/slides/slide2.xml'],
    ),
    'ppt/slides/slide1.xml': slide(
      shape('title', line('Last')),
      shape('sldNum', line('7')),
      '<a:tbl><a:tr><a:tc><a:p><a:r><a:t>x</a:t></a:r></a:p></a:tc></a:tr></a:tbl>',
    ),
    'ppt/slides/slide2.xml': slide(
      shape('ctrTitle', line('First')),
      shape(
        'body',
        `${line('point')}<a:p><a:pPr lvl="1"/><a:r><a:t>deeper</a:t></a:r></a:p><a:p><a:r><a:rPr><a:hlinkClick r:id="h"/></a:rPr><a:t>go</a:t></a:r></a:p>`,
      ),
    ),
    'ppt/slides/_rels/slide2.xml.rels': relationships(
      ['h', 'hyperlink', 'https://b.test/', true],
      ['n', 'notesSlide', '../notesSlides/n1.xml'],
    ),
    'ppt/notesSlides/n1.xml': slide(shape('body', line('say this'))),
  });
  const read = readPptx({ url, bytes });
  expect(read.markdown).toBe(
    '## First\n\npoint\n\n- deeper\n\n[go](https://b.test/)\n\nsay this\n\n## Last\n\n| x |\n| --- |',
  );
  expect(read).toMatchObject({ links: ['https://b.test/'], metadata: { pages: 2 } });
});

describe('OpenDocument', () => {
  const odf = (body: string, mimetype = 'application/vnd.oasis.opendocument.text', more = {}) =>
    readOdf({
      url,
      bytes: makeZip({
        mimetype,
        'content.xml': `<office:document-content><office:body>${body}</office:body></office:document-content>`,
        ...more,
      }),
    });

  test('texts: headings, spaces, lists, links; nothing that was deleted', () => {
    const read = odf(
      `<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="2">Head</text:h>
       <text:p>a<text:s text:c="2"/>b<text:line-break/><text:a xlink:href="../up">up</text:a><office:annotation><text:p>no</text:p></office:annotation></text:p>
       <text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>two</text:p></text:list-item></text:list></text:list-item></text:list>`,
      undefined,
      {
        'meta.xml':
          '<office:document-meta><office:meta><dc:title>T</dc:title><meta:initial-creator>G</meta:initial-creator><dc:date>2026-01-01</dc:date><meta:document-statistic meta:page-count="3"/></office:meta></office:document-meta>',
      },
    );
    expect(read.markdown).toBe('## Head\n\na b  \n[up](https://a.test/up)\n\n- one\n  - two');
    expect(read.metadata).toEqual({ title: 'T', author: 'G', modified: '2026-01-01', pages: 3, types: [] });
  });

  test('spreadsheets: cells that stand for many take no more than a row may have', () => {
    const cell = (text: string, repeated = '') =>
      `<table:table-cell ${repeated}><text:p>${text}</text:p></table:table-cell>`;
    const read = odf(
      `<table:table table:name="S"><table:table-row>${cell('a', 'table:number-columns-repeated="2"')}${cell('b')}<table:table-cell table:number-columns-repeated="16384"/></table:table-row>
       <table:table-row>${cell('x', 'table:number-columns-repeated="1000000000"')}</table:table-row></table:table>`,
      'application/vnd.oasis.opendocument.spreadsheet',
    );
    const [heading, head = '', , row = ''] = read.markdown.split('\n').filter((line) => line !== '');
    expect(heading).toBe('## S');
    expect(head).toMatch(/^\| a \| a \| b \|/);
    expect(row.split('x')).toHaveLength(257);
    expect(read.metadata.pages).toBe(1);
  });

  test('an encrypted one says so', () => {
    const manifest = '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>';
    expect(() => odf('', undefined, { 'META-INF/manifest.xml': manifest })).toThrow(/encrypted/);
  });
});
