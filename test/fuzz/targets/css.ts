/** Style sheets. */
import { cssReferences } from '../../../shared/core/parser/css-references.ts';
import { type FuzzTarget, MB } from '../target.ts';
import { checkDocument, readDocument } from './html.ts';

const CSS = [
  ...[
    '@import ',
    '@import url(',
    '@import "a.css"',
    '@charset "',
    '@font-face{',
    'src:',
    '@media screen{',
    '@namespace ',
    '@',
  ],
  ...[
    'url(',
    'url("',
    "url('",
    ')',
    '")',
    "')",
    'URL(',
    'image-set(',
    '-webkit-image-set(',
    'src(',
    'format("woff")',
    'local(',
  ],
  ...[
    '{',
    '}',
    '(',
    ')',
    '[',
    ']',
    ';',
    ':',
    ',',
    '/*',
    '*/',
    '/',
    '*',
    '<!--',
    '-->',
    '\\',
    '\\\n',
    '\\26 ',
    '\\000026',
    '\\ffffff',
  ],
  ...[
    'a{b:',
    'background:url(a{#}.png)',
    '--x:',
    '!important',
    'a',
    '#',
    '.',
    '"',
    "'",
    '"a{#}.png" 1x',
    '\n',
    'u',
    'r',
    'l',
    '\\75rl(',
  ],
];

const FRAMES: readonly (readonly [string, string])[] = [
  ...([
    ['url(', ')'],
    ['url("', '")'],
    ['@import ', ';'],
    ['@font-face{src:', '}'],
    ['a{b:', '}'],
    ['/*', '*/'],
    ['"', '"'],
  ] as const),
  ...([
    ['image-set(', ')'],
    ['@', '{'],
    ['url( ', ' )'],
    ['\\', ' '],
    ['@charset "', '";'],
  ] as const),
];
const NESTS = ['(', '{', '[', 'a(', 'url(', '@media{', 'image-set('];

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'css',
    tokens: CSS,
    frames: FRAMES,
    nests: NESTS,
    seeds: ['style.css'],
    maxBytes: MB,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 64,
    run: (body) => readDocument(body, { contentType: 'text/css', all: true }),
    check: (body) => checkDocument(body, { contentType: 'text/css', all: true }),
  },
  {
    name: 'css references',
    tokens: CSS,
    frames: FRAMES,
    nests: NESTS,
    seeds: ['style.css'],
    maxBytes: MB,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 64,
    run(input) {
      const found: string[] = [];
      cssReferences(input.toString(), (reference) => found.push(reference));
      return found;
    },
  },
];
