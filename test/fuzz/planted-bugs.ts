/** Parsers with a bug each, put in by hand: `planted-bugs.test.ts` shows that the fuzzer finds every one. */
import { type FuzzTarget, MB } from './target.ts';

const HTML_TOKENS = [
  '<p>',
  '</p>',
  '<g>',
  '<svg>',
  '<svg ',
  '</x>',
  '<base href="',
  '">',
  '<a href="x{#}">',
  '<meta ',
  '<a ',
  '=',
];

const planted = (
  name: string,
  run: (text: string) => unknown,
  more: Partial<FuzzTarget> = {},
): FuzzTarget => ({
  name,
  tokens: HTML_TOKENS,
  frames: [
    ['<svg ', '"/>'],
    ['<base href="', '">'],
    ['<p>', '</p>'],
  ],
  nests: ['<g>', '<p>'],
  maxBytes: MB,
  maxUsPerByte: 0.6,
  maxHeldPerByte: 64,
  run: (input) => run(input.toString()),
  ...more,
});

const kept: unknown[] = [];

export const TARGETS: readonly FuzzTarget[] = [
  planted('a quadratic regular expression', (text) => /=+"$/.test(text)),
  planted('an exponential regular expression', (text) => /^<svg (=|==)+!$/.test(text.slice(0, 60))),
  planted('an exception for a rare piece', (text) => {
    if (/<svg [^>]*<meta /.test(text)) throw new TypeError('it cannot be');
  }),
  planted('an exception for a large document', (text) => Math.max(...text.split('').map(Number))),
  planted('a stack that overflows', (text) => {
    const nested = (at: number): number => (text.startsWith('<g>', at) ? nested(at + 3) : at);
    nested(Math.max(0, text.indexOf('<g>')));
  }),
  planted('end tags that look through all open elements', (text) => {
    const open: string[] = [];
    for (const [, slash, name = ''] of text.matchAll(/<(\/?)(\w+)/g)) {
      if (slash === '') open.push(name);
      else if (!open.includes(name)) open.lastIndexOf(`${name}${name}`);
      else open.pop();
    }
  }),
  planted('a long base for each reference', (text) => {
    const base = /<base href="([^"]*)"/.exec(text)?.[1] ?? '';
    return [...text.matchAll(/<a href="([^"]*)"/g)].map(
      ([, to = '']) => new TextEncoder().encode(base + to).length,
    );
  }),
  planted('text that is put together again for each piece', (text) => {
    let all = '';
    for (const piece of text.split('<p>')) all = Buffer.from(all + piece).toString();
    return all;
  }),
  planted('a result that is much larger than its document', (text) =>
    text.split('<a href="').map((part) => new Array(300).fill(part.length)),
  ),
  planted('memory that is never freed', (text) => {
    if (text.length > 4096) kept.push(Buffer.alloc(64 * text.length, 1).toString('latin1'));
  }),
  planted('a wrong property', () => undefined, {
    check(_, document) {
      if (document.includes('<p></x>')) throw new Error('not the same');
    },
  }),
];
