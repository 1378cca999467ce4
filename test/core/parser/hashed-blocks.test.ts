import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLOCKS, isBlockName } from '../../../shared/core/parser/block-elements.ts';
import { SNIFFED_BYTES } from '../../../shared/core/parser/charset.ts';
import { MAX_BLOCKS, MAX_WORDS } from '../../../shared/core/parser/hashed-blocks.ts';
import { createHtmlLinks } from '../../../shared/core/parser/html-links.ts';

function blocksOf(html: string, pieceBytes = 1e9) {
  const parser = createHtmlLinks({
    url: 'https://a.test/',
    contentType: 'text/html; charset=utf-8',
    maxLinks: 100,
    wantsBlocks: true,
  });
  // Up to here a document is kept until its charset is known, and is one piece.
  parser.write(Buffer.alloc(SNIFFED_BYTES, ' '));
  const bytes = Buffer.from(html);
  for (let at = 0; at < bytes.length; at += pieceBytes) parser.write(bytes.subarray(at, at + pieceBytes));
  const { blocks, words, ends } = parser.end().blocks!;
  return { blocks: [...blocks], words: [...words], ends: [...ends] };
}
const hashes = (html: string) => blocksOf(html).blocks;

test('paragraphs, headings, items and cells are blocks; elements within a line are not', () => {
  expect(hashes('<h1>one</h1><p>two <b>three</b> fo<i>ur</i></p><ul><li>five<li>six</ul>').length).toBe(4);
  expect(hashes('<p>two <b>three</b> fo<i>ur</i></p>')).toEqual(hashes('<div>two three four</div>'));
  expect(hashes('<td>one</td><td>two</td>')).toEqual([...hashes('one'), ...hashes('two')]);
  expect(hashes('<P>one<BR>two<SPAN> three</SPAN>')).toEqual([...hashes('one'), ...hashes('two three')]);
});

test('the title is a block; scripts, styles, comments and attributes are no text', () => {
  const html = (n: number) =>
    `<title>Name</title><script>var a = ${n}</script><style>a{}</style><!-- x${n} --><p class=c${n}>text</p>`;
  expect(hashes(html(1))).toEqual(hashes(html(2)));
  expect(hashes(html(1)).length).toBe(2);
});

test.each([
  ['a clock', 'It is 16:55:01 here', 'It is 9:05 here'],
  [
    'a date',
    'Printed Mon, 23 Nov 2026 16:55:01 GMT by us',
    'Printed Wednesday, 2 December 2026 9:01 UTC by us',
  ],
  ['a time ago', 'Posted 3 minutes ago by him', 'Posted 2 hours ago by him'],
  ['a counter', 'Seen 999 times', 'Seen 1,000 times'],
  ['a token', 'Request 7f3a-99bc-e01d failed', 'Request 00aa-11bb-22cc failed'],
  ['white space and case', 'Some   Text\n here', 'some text here'],
  ['punctuation', 'It is so.', 'It, is so?'],
  ['the path of an address', 'See /a/b?c=d for more', 'See /x/y for more'],
])('%s counts for nothing', (_, one, other) => {
  expect(hashes(`<p>${one}</p>`)).toEqual(hashes(`<p>${other}</p>`));
  expect(hashes(`<p>${one}</p>`).length).toBe(1);
});

test('where names are whole, a word that begins with a letter counts with its digits; numbers do not', () => {
  const named = (html: string) => {
    const parser = createHtmlLinks({
      url: 'https://a.test/',
      contentType: 'text/html',
      maxLinks: 0,
      wantsBlocks: 'named',
    });
    parser.write(Buffer.from(html));
    return [...parser.end().blocks!.words];
  };
  expect(named('<p>type u32')).not.toEqual(named('<p>type i16'));
  expect(named('<p>type u32')).not.toEqual(named('<p>type u64'));
  expect(named('<p>for 12.99 since 3 May')).toEqual(named('<p>for 7 since 11 June'));
  expect(blocksOf('<p>type u32').words).toEqual(blocksOf('<p>type i16').words);
});

test('a block of numbers and times alone is left out', () => {
  expect(blocksOf('<p>12:30</p><p>1 2 3 4</p><p>3 hours ago</p><p>...</p>')).toEqual({
    blocks: [],
    words: [],
    ends: [],
  });
});

test.each([
  ['a word', 'one two three', 'one two four'],
  ['the order', 'one two three', 'one three two'],
  ['a character of a script without spaces', '今日は晴れ', '今日は雨れ'],
  ['an accent', 'resume', 'résumé'],
])('%s counts', (_, one, other) => {
  expect(hashes(`<p>${one}</p>`)).not.toEqual(hashes(`<p>${other}</p>`));
});

test('words are listed with the end of each block', () => {
  const { words, ends } = blocksOf('<p>one two</p><p>12 3</p><p>three one 5 6</p>');
  expect(ends).toEqual([2, 5]);
  expect(words.length).toBe(5);
  expect(words[0]).toBe(words[3]);
});

test('how a document is cut into pieces makes no difference', () => {
  const parts = [
    '<p>',
    '</p>',
    'one',
    ' ',
    '12',
    '/a/b',
    '<b>',
    '</b>',
    '<span>',
    '</span>',
    '<code id="x">',
    '<section>',
    'é',
    '日本',
    '<br>',
    '<scr',
    '<td x=1>',
    '&amp;',
    '.',
  ];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...parts), { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      (html, size) => {
        const text = html.join('');
        expect(blocksOf(text, size)).toEqual(blocksOf(text));
      },
    ),
  );
});

test('a document of a million blocks or words has bounded lists, and its end counts nevertheless', () => {
  const many = '<p>some word'.repeat(20_000);
  const one = blocksOf(`${many}<p>end`);
  expect(one.blocks.length).toBe(MAX_BLOCKS + 1);
  expect(one.words.length).toBe(MAX_WORDS);
  expect(one.ends.at(-1)).toBe(MAX_WORDS);
  expect(blocksOf(`${many}<p>other`).blocks).not.toEqual(one.blocks);
});

test('only elements that begin a line are blocks, in any case', () => {
  const inline =
    'a b i q span code img picture source wbr area base meta link map param math mi mrow msup rb rtc rt rp output meter progress ' +
    'input select textarea svg path rect script style noscript object video audio embed iframe x-term my-very-own-element ' +
    'fed-blockquote liz pp';
  for (const name of inline.split(' ')) expect(isBlockName(name, 0, name.length), name).toBe(false);
  for (const name of BLOCKS) {
    expect(isBlockName(`<${name.toUpperCase()}>`, 1, name.length + 1), name).toBe(true);
    expect(isBlockName(`${name}-x`, 0, name.length + 2), name).toBe(false);
  }
});

test.each(['x-term', 'output', 'meta itemprop=a', 'link href=a', 'rb', 'math', 'unknown'])(
  'a sentence with the element <%s> is one block',
  (tag) => {
    const name = tag.split(' ')[0];
    expect(hashes(`<p>The planet <${tag}>Jupiter</${name}> is large.</p>`)).toEqual(
      hashes('<p>The planet Jupiter is large.</p>'),
    );
  },
);
