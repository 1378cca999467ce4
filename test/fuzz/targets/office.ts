/** Office Open XML and OpenDocument: the XML of one part, in a document that is otherwise sound. */
import { readDocx } from '../../../shared/core/media/docx.ts';
import { type MediaModule, UnreadableDocument } from '../../../shared/core/media/media-module.ts';
import { readOdf } from '../../../shared/core/media/odf.ts';
import { readPptx } from '../../../shared/core/media/pptx.ts';
import { readXlsx } from '../../../shared/core/media/xlsx.ts';
import { makeDocx, makeZip, relationships, type ZipFiles } from '../../core/media/made-documents.ts';
import { type FuzzTarget, MB } from '../target.ts';

const url = 'https://a.test/folder/x';
const COMMON = [
  'text{#}',
  '&amp;',
  '&#65;',
  '</',
  '<',
  '>',
  '/>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  ' xmlns:q="urn:{#}"',
];

/** Start tags, and the end tag of each. */
const tagsOf = (...starts: string[]): string[] => [
  ...starts,
  ...new Set(starts.map((start) => `</${/\w[\w:-]*/.exec(start)}>`)),
];

const office = (
  name: string,
  starts: readonly string[],
  filesOf: (xml: string) => ZipFiles,
  read: MediaModule['read'],
): FuzzTarget => ({
  name: `${name} part`,
  tokens: [...tagsOf(...starts), ...COMMON],
  nests: starts.slice(0, 6),
  maxBytes: MB,
  maxUsPerByte: 2,
  maxHeldPerByte: 128,
  prepare: (document) => makeZip(filesOf(document.toString()), { isStored: true }),
  run: (bytes) => read({ url, bytes }),
  isDocumented: (error) => error instanceof UnreadableDocument,
});

const DOCX = [
  ...[
    '<w:p>',
    '<w:tbl>',
    '<w:tr>',
    '<w:tc>',
    '<w:r>',
    '<w:t>',
    '<m:oMath>',
    '<m:f>',
    '<m:num>',
    '<m:den>',
    '<m:sSup>',
    '<m:e>',
  ],
  ...[
    '<w:tcPr>',
    '<w:gridSpan w:val="{#}"/>',
    '<w:gridBefore w:val="99999"/>',
    '<w:vMerge/>',
    '<w:hyperlink r:id="r1">',
  ],
  ...[
    '<w:pPr>',
    '<w:numPr>',
    '<w:ilvl w:val="{#}"/>',
    '<w:outlineLvl w:val="1"/>',
    '<w:tab/>',
    '<w:br/>',
    '<w:drawing>',
    '<wp:docPr descr="{#}"/>',
  ],
];
const XLSX = [
  ...['<row>', '<c r="A1">', '<is>', '<t>', '<v>', '<f>'],
  ...[
    '<row r="{#}">',
    '<c r="ZZ{#}" t="inlineStr">',
    '<c s="1">',
    '<c t="s">',
    '<f>HYPERLINK("x{#}","y")</f>',
    '<mergeCell ref="A1:ZZ{#}"/>',
    '_x0041_',
  ],
];
const PPTX = [
  ...['<p:sp>', '<p:txBody>', '<a:p>', '<a:r>', '<a:t>', '<a:tbl>'],
  ...[
    '<a:tr>',
    '<a:tc gridSpan="{#}">',
    '<a:br/>',
    '<a:pPr lvl="{#}"/>',
    '<a:hlinkClick r:id="r{#}"/>',
    '<p:ph type="title"/>',
  ],
];
const ODF = [
  ...[
    '<text:p>',
    '<text:list>',
    '<text:list-item>',
    '<table:table>',
    '<table:table-row>',
    '<table:table-cell>',
  ],
  ...[
    '<text:h text:outline-level="{#}">',
    '<text:span>',
    '<text:a xlink:href="x{#}">',
    '<text:s text:c="{#}"/>',
    '<text:tab/>',
    '<text:ruby>',
    '<text:ruby-base>',
  ],
  ...[
    '<table:table-cell table:number-columns-repeated="{#}"/>',
    '<table:table-row table:number-rows-repeated="99999">',
    '<table:covered-table-cell/>',
    '<draw:frame>',
    '<svg:title>',
    '<text:note>',
  ],
];

export const TARGETS: readonly FuzzTarget[] = [
  {
    ...office('docx', DOCX, () => ({}), readDocx),
    prepare: (document) =>
      makeDocx(document.toString(), {
        'word/_rels/document.xml.rels': relationships(['r1', 'hyperlink', '/x', true]),
      }),
  },
  office(
    'xlsx',
    XLSX,
    (xml) => ({
      'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relationships(['r1', 'worksheet', 'worksheets/sheet1.xml']),
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${xml}</sheetData></worksheet>`,
    }),
    readXlsx,
  ),
  office(
    'pptx',
    PPTX,
    (xml) => ({
      'ppt/presentation.xml':
        '<p:presentation><p:sldIdLst><p:sldId r:id="one"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': relationships(['one', 'slide', 'slides/slide1.xml']),
      'ppt/slides/slide1.xml': `<p:sld><p:cSld><p:spTree>${xml}</p:spTree></p:cSld></p:sld>`,
    }),
    readPptx,
  ),
  office(
    'OpenDocument',
    ODF,
    (xml) => ({
      mimetype: 'application/vnd.oasis.opendocument.text',
      'content.xml': `<office:document-content><office:body>${xml}</office:body></office:document-content>`,
    }),
    readOdf,
  ),
];
