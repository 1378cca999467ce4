/** Tests of cells that span others, fields, formulas, durations and prefixes of office documents. */
import { describe, expect, test } from 'vitest';
import { readDocx } from '../../../shared/core/media/docx.ts';
import { readOdf } from '../../../shared/core/media/odf.ts';
import { durationText } from '../../../shared/core/media/spreadsheet-dates.ts';
import { readXlsx } from '../../../shared/core/media/xlsx.ts';
import { makeDocx, makeZip, paragraph, relationships } from './made-documents.ts';

const url = 'https://a.test/docs/file';
const docx = (body: string) => readDocx({ url, bytes: makeDocx(body) });
/** The rows of a Markdown table, without its rule. */
const rowsOf = (markdown: string) =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('| ---'))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim()),
    );

describe('a table of Word', () => {
  const cell = (text: string, properties = '') =>
    `<w:tc>${properties && `<w:tcPr>${properties}</w:tcPr>`}${paragraph(text)}</w:tc>`;
  const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
  const head = row(cell('A'), cell('B'), cell('C'));

  test.each([
    ['spanned at the start', row(cell('x', '<w:gridSpan w:val="2"/>'), cell('y')), ['x', '', 'y']],
    ['spanned at the end', row(cell('x'), cell('y', '<w:gridSpan w:val="2"/>')), ['x', 'y', '']],
    ['spanned whole', row(cell('x', '<w:tcW w:w="1"/><w:gridSpan w:val="3"/>')), ['x', '', '']],
    [
      'with columns before it',
      row('<w:trPr><w:gridBefore w:val="1"/></w:trPr>', cell('x'), cell('y')),
      ['', 'x', 'y'],
    ],
    [
      'with columns behind it',
      row('<w:trPr><w:gridAfter w:val="1"/></w:trPr>', cell('x'), cell('y')),
      ['x', 'y', ''],
    ],
    ['merged with the row above', row(cell('', '<w:vMerge/>'), cell('x'), cell('y')), ['', 'x', 'y']],
    [
      'with a span that is no number',
      row(cell('x', '<w:gridSpan w:val="many"/>'), cell('y')),
      ['x', 'y', ''],
    ],
    [
      'with a table in the spanned cell',
      row(
        `<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:tbl>${row(cell('i', '<w:gridSpan w:val="5"/>'), cell('j'))}</w:tbl>${paragraph('x')}</w:tc>`,
        cell('y'),
      ),
      ['i j x', '', 'y'],
    ],
  ])('has values below their headings: a row %s', (_, given, expected) => {
    const { markdown, text } = docx(`<w:tbl>${head}${given}</w:tbl>`);
    expect(rowsOf(markdown)).toEqual([['A', 'B', 'C'], expected]);
    expect(text.split('\n')[1]).toBe(expected.join('\t').trimEnd());
  });

  test('has no more columns than a table may have', () => {
    const { markdown } = docx(
      `<w:tbl>${row(cell('x', '<w:gridSpan w:val="1000000000"/>'), cell('y'))}</w:tbl>`,
    );
    expect(rowsOf(markdown)[0]!.length).toBeLessThanOrEqual(256);
  });
});

describe('a formula of Word', () => {
  const run = (text: string) => `<m:r><w:rPr/><m:t>${text}</m:t></m:r>`;
  const of = (name: string, text: string) =>
    `<m:${name}>${text.startsWith('<') ? text : run(text)}</m:${name}>`;
  const value = (name: string, text: string) => `<m:${name} m:val="${text}"/>`;

  test.each([
    ['a fraction', `<m:f><m:fPr><m:ctrlPr/></m:fPr>${of('num', 'a')}${of('den', 'b')}</m:f>`, 'a/b'],
    ['a fraction of sums', `<m:f>${of('num', 'a+b')}${of('den', '2c')}</m:f>`, '(a+b)/2c'],
    [
      'a binomial',
      `<m:f><m:fPr>${value('type', 'noBar')}</m:fPr>${of('num', 'n')}${of('den', 'k')}</m:f>`,
      'n¦k',
    ],
    ['a power', `<m:sSup>${of('e', 'x')}${of('sup', '2')}</m:sSup>`, 'x^2'],
    ['a power of a sum', `<m:sSup>${of('e', 'x+1')}${of('sup', 'n-1')}</m:sSup>`, '(x+1)^(n-1)'],
    ['an index', `<m:sSub>${of('e', 'x')}${of('sub', 'i')}</m:sSub>`, 'x_i'],
    ['both', `<m:sSubSup>${of('e', 'x')}${of('sub', 'i')}${of('sup', '2')}</m:sSubSup>`, 'x_i^2'],
    ['before', `<m:sPre>${of('sub', '6')}${of('sup', '12')}${of('e', 'C')}</m:sPre>`, '_6^12 C'],
    ['a root', `<m:rad><m:radPr>${value('degHide', '1')}</m:radPr><m:deg/>${of('e', 'x')}</m:rad>`, '√(x)'],
    ['a third root', `<m:rad>${of('deg', '3')}${of('e', 'x')}</m:rad>`, '√(3&x)'],
    [
      'a sum',
      `<m:nary><m:naryPr>${value('chr', '∑')}</m:naryPr>${of('sub', 'i=1')}${of('sup', 'n')}${of('e', 'i')}</m:nary>`,
      '∑_(i=1)^n i',
    ],
    ['an integral', `<m:nary>${of('sub', '0')}${of('sup', '1')}${of('e', 'x dx')}</m:nary>`, '∫_0^1 x dx'],
    ['brackets', `<m:d>${of('e', 'a')}${of('e', 'b')}</m:d>`, '(a|b)'],
    [
      'other brackets',
      `<m:d><m:dPr>${value('begChr', '[')}${value('sepChr', ',')}${value('endChr', '')}</m:dPr>${of('e', 'a')}${of('e', 'b')}</m:d>`,
      '[a,b',
    ],
    ['a function', `<m:func>${of('fName', 'sin')}${of('e', 'x')}</m:func>`, 'sin x'],
    [
      'a limit',
      `<m:func>${of('fName', `<m:limLow>${of('e', 'lim')}${of('lim', 'x→0')}</m:limLow>`)}${of('e', 'f')}</m:func>`,
      'lim_(x→0) f',
    ],
    [
      'a matrix',
      `<m:m><m:mr>${of('e', 'a')}${of('e', 'b')}</m:mr><m:mr>${of('e', 'c')}${of('e', 'd')}</m:mr></m:m>`,
      '[a, b; c, d]',
    ],
    ['equations', `<m:eqArr>${of('e', 'a=1')}${of('e', 'b=2')}</m:eqArr>`, 'a=1; b=2'],
    ['an accent', `<m:acc>${of('e', 'x')}</m:acc>`, 'x\u0302'],
    ['a box', `<m:box>${of('e', 'x')}</m:box>${run('=1')}`, 'x=1'],
    [
      'one in another',
      `<m:f>${of('num', `<m:sSup>${of('e', 'x')}${of('sup', '2')}</m:sSup>`)}${of('den', `<m:rad>${of('e', 'y')}</m:rad>`)}</m:f>`,
      '(x^2)/(√(y))',
    ],
  ])('is readable: %s', (_, math, expected) => {
    const { text } = docx(
      `<w:p><w:r><w:t>So </w:t></w:r><m:oMathPara><m:oMath>${math}</m:oMath></m:oMathPara><w:r><w:t>.</w:t></w:r></w:p>`,
    );
    expect(text).toBe(`So ${expected}.`);
  });

  test('is bounded, whatever it has in it', () => {
    const deep = '<m:f><m:num>'.repeat(120) + run('x'.repeat(200_000)) + '</m:num></m:f>'.repeat(120);
    expect(docx(`<w:p><m:oMath>${deep}</m:oMath></w:p>${paragraph('after')}`).text).toMatch(/after$/);
  });
});

describe('prefixes', () => {
  const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  const strict = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
  const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const M = 'http://schemas.openxmlformats.org/officeDocument/2006/math';
  const document = (root: string) =>
    readDocx({
      url,
      bytes: makeZip({
        'word/document.xml': root,
        'word/_rels/document.xml.rels': relationships(['r1', 'hyperlink', '/x', true]),
      }),
    });

  test.each([
    [
      'others',
      `<ns0:document xmlns:ns0="${W}" xmlns:ns1="${R}" xmlns:q="${M}"><ns0:body><ns0:p><ns0:pPr><ns0:outlineLvl ns0:val="1"/></ns0:pPr><ns0:hyperlink ns1:id="r1"><ns0:r><ns0:t>head</ns0:t></ns0:r></ns0:hyperlink><q:oMath><q:f><q:num><q:r><q:t>a</q:t></q:r></q:num><q:den><q:r><q:t>b</q:t></q:r></q:den></q:f></q:oMath></ns0:p></ns0:body></ns0:document>`,
    ],
    [
      'of the strict variant',
      `<w:document xmlns:w="${strict}" xmlns:r="http://purl.oclc.org/ooxml/officeDocument/relationships" xmlns:m="http://purl.oclc.org/ooxml/officeDocument/math"><w:body><w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:hyperlink r:id="r1"><w:r><w:t>head</w:t></w:r></w:hyperlink><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></w:p></w:body></w:document>`,
    ],
    [
      'swapped, and declared further in',
      `<document xmlns="${W}" xmlns:r="${W}"><body><p><pPr><outlineLvl r:val="1"/></pPr><hyperlink xmlns:w="${R}" w:id="r1"><r><t>head</t></r></hyperlink><oMath xmlns="${M}"><f><num><r><t>a</t></r></num><den><r><t>b</t></r></den></f></oMath></p></body></document>`,
    ],
  ])('%s are read by their namespaces', (_, root) => {
    expect(document(root).markdown).toBe('## [head](https://a.test/x)a/b');
  });

  test('of workbooks, too', () => {
    const S = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
    const bytes = makeZip({
      'xl/workbook.xml': `<x:workbook xmlns:x="${S}" xmlns:rel="${R}"><x:sheets><x:sheet name="S" rel:id="r1"/></x:sheets></x:workbook>`,
      'xl/_rels/workbook.xml.rels': relationships(['r1', 'worksheet', 'worksheets/sheet1.xml']),
      'xl/worksheets/sheet1.xml': `<x:worksheet xmlns:x="${S}"><x:sheetData><x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>in</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>`,
    });
    expect(readXlsx({ url, bytes }).markdown).toBe('## S\n\n| in |\n| --- |');
  });

  test('of OpenDocument, too', () => {
    const ns = (name: string) => `urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`;
    const bytes = makeZip({
      mimetype: 'application/vnd.oasis.opendocument.text',
      'content.xml': `<o:document-content xmlns:o="${ns('office')}" xmlns:t="${ns('text')}" xmlns:l="http://www.w3.org/1999/xlink" xmlns:v="${ns('svg-compatible')}" xmlns:text="urn:other"><o:body><t:h t:outline-level="3" text:outline-level="1"><t:a l:href="/x">head</t:a><frame><v:title>no</v:title></frame></t:h></o:body></o:document-content>`,
    });
    expect(readOdf({ url, bytes }).markdown).toBe('### [head](https://a.test/x)');
  });
});

describe('OpenDocument', () => {
  const odf = (body: string, kind = 'text') =>
    readOdf({
      url,
      bytes: makeZip({
        mimetype: `application/vnd.oasis.opendocument.${kind}`,
        'content.xml': `<office:document-content><office:body>${body}</office:body></office:document-content>`,
      }),
    });
  const cell = (text: string, attributes = '') =>
    `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;
  const covered = (attributes = '', text = '') =>
    `<table:covered-table-cell ${attributes}>${text}</table:covered-table-cell>`;
  const table = (...rows: string[]) =>
    `<table:table>${rows.map((cells) => (cells.startsWith('<table:table-row') ? cells : `<table:table-row>${cells}</table:table-row>`)).join('')}</table:table>`;
  const head = [cell('A'), cell('B'), cell('C'), cell('D')].join('');

  test.each([
    [
      'a covered cell',
      cell('x', 'table:number-columns-spanned="2"') + covered() + cell('y') + cell('z'),
      ['x', '', 'y', 'z'],
    ],
    [
      'covered cells written as one',
      cell('x', 'table:number-columns-spanned="3"') +
        covered('table:number-columns-repeated="2"') +
        cell('y'),
      ['x', '', '', 'y'],
    ],
    [
      'cells that the row above covers',
      covered() + cell('x') + covered('table:number-columns-repeated="1"') + cell('y'),
      ['', 'x', '', 'y'],
    ],
    [
      'text below a covering cell',
      cell('x') + covered('', '<text:p>hidden</text:p>') + cell('y') + cell('z'),
      ['x', '', 'y', 'z'],
    ],
    ['a repeated cell', cell('x', 'table:number-columns-repeated="3"') + cell('y'), ['x', 'x', 'x', 'y']],
    [
      'a repeated empty cell',
      `<table:table-cell table:number-columns-repeated="3"/>${cell('y')}`,
      ['', '', '', 'y'],
    ],
  ])('has values below their headings: %s', (_, row, expected) => {
    expect(rowsOf(odf(table(head, row)).markdown)).toEqual([['A', 'B', 'C', 'D'], expected]);
  });

  test('repeats rows, in bounded number and size, and no empty ones', () => {
    const repeated = (times: number, cells: string) =>
      `<table:table-row table:number-rows-repeated="${times}">${cells}</table:table-row>`;
    const rows = (...given: string[]) => rowsOf(odf(table(...given), 'spreadsheet').markdown);
    expect(rows(head, repeated(3, cell('x')), repeated(1_048_576, '<table:table-cell/>'))).toHaveLength(4);
    expect(rows(head, repeated(1e9, cell('x')))).toHaveLength(1001);
    expect(rows(head, repeated(1000, cell('x'.repeat(100_000))))).toHaveLength(12);
    expect(
      rows(head, cell('x'.repeat(100_000), 'table:number-columns-repeated="256"'))
        .flat()
        .join('').length,
    ).toBeLessThan(1_200_000);
  });

  test.each([
    'date',
    'time',
    'page-number',
    'page-count',
    'author-name',
    'title',
    'description',
    'file-name',
    'sequence',
    'sequence-ref',
    'bookmark-ref',
    'reference-ref',
    'note-ref',
    'user-defined',
    'variable-get',
    'variable-set',
    'user-field-get',
    'expression',
    'conditional-text',
    'placeholder',
    'bibliography-mark',
    'text-input',
    'database-display',
    'chapter',
    'measure',
    'creator',
    'meta-field',
    'meta',
    'span',
  ])('shows the text of text:%s', (name) => {
    expect(odf(`<text:p>a <text:${name}>text</text:${name}> b</text:p>`).text).toBe('a text b');
  });

  test.each([
    [
      'how it is pronounced',
      '<text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby>',
      '漢字',
    ],
    ['the number of a note', 'x<text:note><text:note-citation>1</text:note-citation></text:note>', 'x'],
    [
      'texts of a picture',
      'x<draw:frame><draw:image/><svg:title>no</svg:title><svg:desc>no</svg:desc></draw:frame>',
      'x',
    ],
    ['what is hidden', 'x<text:hidden-text>no</text:hidden-text>', 'x'],
  ])('does not show %s', (_, given, expected) => {
    expect(odf(`<text:p>${given}</text:p>`).text).toBe(expected);
  });
});

test('Word: no text of how characters are pronounced', () => {
  const ruby = `<w:p><w:r><w:ruby><w:rt><w:r><w:t>かんじ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢字</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>`;
  expect(docx(ruby).text).toBe('漢字');
});

describe('a workbook', () => {
  const shown = (cells: string, formats: readonly string[] = []) => {
    const bytes = makeZip({
      'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relationships(
        ['r1', 'worksheet', 'worksheets/sheet1.xml'],
        ['r2', 'sharedStrings', 'sharedStrings.xml'],
        ['r4', 'styles', 'styles.xml'],
      ),
      'xl/sharedStrings.xml': '<sst><si><t>a_x000D_b_x005F_x0041_</t></si></sst>',
      'xl/styles.xml': `<styleSheet><numFmts>${formats.map((format, i) => `<numFmt numFmtId="${170 + i}" formatCode="${format}"/>`).join('')}</numFmts><cellXfs><xf numFmtId="46"/>${formats.map((_, i) => `<xf numFmtId="${170 + i}"/>`).join('')}</cellXfs></styleSheet>`,
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row>${cells}</row></sheetData></worksheet>`,
    });
    return readXlsx({ url, bytes }).text.split('\n').at(-1);
  };

  test.each([
    ['[h]:mm', 1.25, '30:00:00'],
    ['[hh]:mm:ss', 0.5, '12:00:00'],
    ['[mm]:ss', 1, '24:00:00'],
    ['[ss].00', 1.5 / 86_400, '0:00:01.5'],
    ['[Red][h]:mm', -0.25, '-6:00:00'],
    ['[$-409]h:mm AM/PM', 0.5, '12:00:00'],
    ['[Red]0.00', 1.25, '1.25'],
    ['[h]:mm', 41_000, '984000:00:00'],
    ['&quot;[h]&quot;0', 1.25, '1.25'],
  ])('shows what has the format %s: %d as %s', (format, number, expected) => {
    expect(shown(`<c r="A1" s="1"><v>${number}</v></c>`, [format])).toBe(expected);
  });

  test('shows a duration of the format that all programs know', () => {
    expect(shown('<c r="A1" s="0"><v>1.5</v></c>')).toBe('36:00:00');
  });

  test.each([
    ['<c t="s" s="9"><v>0</v></c>', 'a b_x0041_'],
    ['<c t="inlineStr"><is><t>x_x0041_y</t></is></c>', 'xAy'],
    ['<c t="str"><f>A1</f><v>_x0022_q_x0022_</v></c>', '"q"'],
    ['<c t="inlineStr"><is><t>_xD83D__xDE00_ _xD83D_ _x0007_ _x41_</t></is></c>', '😀 \ufffd _x41_'],
  ])('shows characters for their escapes: %s', (cells, expected) => {
    expect(shown(cells)).toBe(expected);
  });

  test('what is no duration is none', () => {
    expect([Number.NaN, 1e300, -1e300].map(durationText)).toEqual([undefined, undefined, undefined]);
    expect(durationText(-0)).toBe('0:00:00');
  });
});
