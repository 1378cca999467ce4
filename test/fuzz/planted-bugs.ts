/** Parsers with a bug each, put in by hand: `planted-bugs.slow.test.ts` shows that the fuzzer finds every one. */
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

export const BUGS: readonly FuzzTarget[] = [
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
      ([, to = '']) => encodeURI((base + to).toWellFormed()).length,
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

const sound = (name: string, run: (text: string) => unknown) => planted(name, run, { isSwept: false });
/** More memory than the result of a document of 100 KB or more may hold. */
const largeBuffer = (text: string) => Buffer.allocUnsafeSlow(128 * text.length);
const cache: Buffer[] = [];

/**
 * Parsers that use memory and are right to: `planted-bugs.slow.test.ts` shows that the fuzzer reports none of
 * them.
 */
export const SOUND: readonly FuzzTarget[] = [
  sound('buffers that are freed some turns of the event loop later', (text) => {
    if (text.length < 100_000) return;
    const buffer = largeBuffer(text);
    setImmediate(() => setImmediate(() => buffer.fill(0, 0, 1)));
  }),
  sound('a cache that has a limit', (text) => {
    if (text.length > 100_000 && cache.length < 10) cache.push(largeBuffer(text));
  }),
];

export const TARGETS: readonly FuzzTarget[] = [...BUGS, ...SOUND];
