/** Documents that are read as a whole: zip archives, PDF, Markdown; statements of sites and questions of replay tools. */
import { BadQuery, parseCdxQuery } from '../../../api/local/serve/cdx-query.ts';
import { UnreadableDocument } from '../../../shared/core/media/media-module.ts';
import { createPdfModule } from '../../../shared/core/media/pdf.ts';
import { openZip } from '../../../shared/core/media/zip.ts';
import { readMarkdown } from '../../../shared/core/parser/markdown-source.ts';
import { readTdmrep } from '../../../shared/core/usage/tdmrep-file.ts';
import { makePdf, makeZip } from '../../core/media/made-documents.ts';
import { type FuzzTarget, MB } from '../target.ts';

const url = 'https://a.test/folder/x';
const isUnreadable = (error: unknown): boolean => error instanceof UnreadableDocument;
/** Text as the content of a page: operators, strings and what they need. */
const PDF_CONTENT = [
  ...[
    'BT ',
    'ET ',
    '/F1 12 Tf ',
    '/F1 0 Tf ',
    '50 700 Td ',
    '0 -20 Td ',
    '1 0 0 1 50 700 Tm ',
    '0 0 0 0 0 0 Tm ',
    'T* ',
    '(text) Tj ',
    '(x) Tj ',
  ],
  ...[
    '(',
    ')',
    '\\',
    '\\(',
    '\\777',
    '<48656c6c6f> Tj ',
    '<',
    '>',
    '[(a) -250 (b)] TJ ',
    '[',
    ']',
    '(a{#}) Tj ',
    '(https://b.test/{#}) Tj ',
  ],
  ...[
    'q ',
    'Q ',
    '/F1 ',
    '/X Do ',
    'BI ',
    'ID ',
    'EI ',
    'BDC ',
    'EMC ',
    '1e9 ',
    '-1 ',
    '999999999999 ',
    '% x\n',
    '\n',
    '12 TL ',
    '90 Tz ',
    '5 Ts ',
  ],
];

const text = (
  name: string,
  tokens: readonly string[],
  run: (text: string) => unknown,
  more: Partial<FuzzTarget> = {},
): FuzzTarget => ({
  name,
  tokens,
  maxBytes: MB,
  maxUsPerByte: 1,
  maxHeldPerByte: 64,
  run: (input) => run(input.toString()),
  ...more,
});

/** Local headers, a directory and its end: whole, cut, and with fields that lie. */
const ZIP = [
  'PK\x03\x04',
  'PK\x01\x02',
  'PK\x05\x06',
  'PK\x06\x06',
  'PK\x06\x07',
  '\x00',
  '\x00\x00',
  '\x00\x00\x00\x00',
  '\xff\xff\xff\xff',
  '\x08\x00',
  '\x01',
  'a',
];

const zipOf = (document: Buffer): Buffer => {
  const zip = makeZip({ a: document, b: document.subarray(0, 99) });
  // The document's first bytes are put in at places that they choose.
  const changes = document.subarray(0, 12);
  for (let i = 0; i + 2 < changes.length && zip.length > 0; i += 3)
    zip[zip.length - 1 - ((changes[i]! * 7 + changes[i + 1]!) % Math.min(zip.length, 160))] = changes[i + 2]!;
  return zip;
};

function unzipped(bytes: Buffer): unknown {
  const zip = openZip(bytes);
  return [...zip.names].map((name) => {
    try {
      return zip.read(name)?.length;
    } catch (error) {
      if (isUnreadable(error)) return undefined;
      throw error;
    }
  });
}

const zip = (name: string, prepare?: FuzzTarget['prepare']): FuzzTarget => ({
  name,
  tokens: ZIP,
  encoding: 'latin1',
  maxBytes: MB,
  maxUsPerByte: 2,
  maxHeldPerByte: 64,
  ...(prepare && { prepare }),
  run: unzipped,
  isDocumented: isUnreadable,
});

/**
 * Each state that pdf.js saves has the one before as its prototype, so that nested ones take quadratic time: 16,000 take 6 s. Only
 * the thread's limit of CPU bounds that (docs/threat-model.md).
 */
const MAX_SAVES = 1000;
const withFewSaves = (content: string): string => {
  let saves = 0;
  return content.replace(/\bq\b/g, (save) => (++saves > MAX_SAVES ? 'n' : save));
};

export const TARGETS: readonly FuzzTarget[] = [
  zip('zip archive'),
  zip('zip archive with changed fields', zipOf),
  {
    name: 'pdf text',
    tokens: PDF_CONTENT,
    encoding: 'latin1',
    // pdf.js and what is made of its pieces; a thread has 40 s.
    maxBytes: 64 * 1024,
    maxUsPerByte: 60,
    maxHeldPerByte: 512,
    isSwept: false,
    prepare: (document) => makePdf([{ content: withFewSaves(document.toString('latin1')) }]),
    run: (bytes) => createPdfModule({ pages: 10, hasTime: () => true }).read({ url, bytes }),
    isDocumented: isUnreadable,
  },
  text(
    'markdown source',
    [
      ...[
        '[',
        ']',
        '(',
        ')',
        '[a](b)',
        '![a](b "t")',
        '[a]: b\n',
        '<https://b.test/>',
        '<a href="x">',
        '`',
        '```\n',
        '~~~\n',
        '\n',
        '\n\n',
        '---\n',
      ],
      ...[
        '# ',
        '\\',
        '\\[',
        '&amp;',
        '*',
        '_',
        '    ',
        '> ',
        '- ',
        'title: x\n',
        'description: "',
        '<!--',
        '-->',
        '<script>',
        '[x][y]',
        '](<',
      ],
    ],
    readMarkdown,
    // 1.06 measured, for many brackets.
    { maxUsPerByte: 2 },
  ),
  text(
    'tdmrep',
    [
      '[',
      ']',
      '{',
      '}',
      '"location"',
      '"tdm-reservation"',
      '"tdm-policy"',
      ':',
      ',',
      '"/a{#}*"',
      '0',
      '1',
      '"https://b.test/{#}"',
      '"/*"',
      'null',
      '\\u0000',
      '{"location":"/{#}","tdm-reservation":1},',
    ],
    readTdmrep,
  ),
  text(
    'cdx query',
    [
      ...[
        'url=',
        'http://a.test/',
        '*.a.test',
        'a.test/*',
        '&',
        '=',
        '%',
        '%20',
        '%ff',
        'matchType=',
        'prefix',
        'domain',
        'host',
        'exact',
        'from=',
        'to=',
      ],
      ...[
        '2024',
        '20240229',
        '99999999999999',
        'filter=',
        '!status:200',
        '~url:.*',
        '=mime:text/html',
        '~url:(a+)+$',
        'fl=',
        'url,timestamp',
        'limit=',
        '-1',
      ],
      ...[
        'resumeKey=',
        'showResumeKey=true',
        'sort=closest',
        'closest=',
        'output=json',
        'collapse=',
        'page=',
        '+',
      ],
    ],
    (query) => parseCdxQuery(new URLSearchParams(query)),
    // Node refuses longer heads of requests.
    { maxBytes: 64 * 1024, isDocumented: (error) => error instanceof BadQuery, maxHeldPerByte: 256 },
  ),
];
