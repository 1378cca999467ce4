import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cssReferences } from '../../../shared/core/parser/css-references.ts';

function references(css: string): string[] {
  const found: string[] = [];
  cssReferences(css, (reference, kind) => found.push(kind === 'css' ? reference : `${kind}:${reference}`));
  return found;
}

describe('cssReferences', () => {
  test.each<[string, string, string[]]>([
    ['unquoted', 'a{background:url( a.png )}', ['a.png']],
    ['quoted', `a{b:url("a b.png") , URL('c)d.png')}`, ['a b.png', 'c)d.png']],
    [
      'imports',
      '@import "a.css" print;@IMPORT/**/\n\'b.css\';@import url(c.css);',
      ['a.css', 'b.css', 'c.css'],
    ],
    ['fonts', '@font-face{src:local("x"),url(f.woff2)}b{c:url(d)}', ['font:f.woff2', 'd']],
    ['a namespace is a name', '@namespace s url(http://www.w3.org/2000/svg);a{b:url(c)}', ['c']],
    ['comments hide', '/* url(a) @import "b"; */ url(c)', ['c']],
    ['a comment inside url() is part of it', 'url(/*a*/b)', ['/*a*/b']],
    ['strings hide', 'a:before{content:"url(a)"}b{c:url(d)}', ['d']],
    ['names that end in url are others', 'my-url(a) \u00e9url(b) -webkit-image-set(url(c) 1x)', ['c']],
    [
      'strings of image sets',
      'a{b:image-set("a" 1x, url(b) 2x, "c" type("image/avif"));c:-WebKit-Image-Set(\'d\' 1x)}e{content:"f"}',
      ['a', 'b', 'c', 'd'],
    ],
    ['strings behind an image set that never ends', 'a{b:image-set("a" 1x;content:"c"}d{content:"e"}', ['a']],
    ['strings of other functions', 'a{b:my-image-set("a") image-set(x("b") my-url("c") "d") "e"}', ['d']],
    ['fragments and nothing are none', 'url(#a) url("#b") url() url("")', []],
    [
      'escapes',
      'url(a\\)b) url("\\e9 x") url(\\26 B) url(a\\ b) url("\\0")',
      ['a)b', '\u00e9x', '&B', 'a b', '\ufffd'],
    ],
    ['an escaped end of line continues', '@import "a\\\nb\\\r\nc";', ['abc']],
    ['a string without an end ends at its line', '@import "a\nb;url(c)', ['c']],
    ['a bad URL is none, up to its bracket', 'url(a b) url(a"b) url(a(b) url(c)', ['c']],
    ['the end closes all', 'url(a', ['a']],
    ['the end closes strings', 'url("a', ['a']],
    ['an escaped quote opens no string', '.\\"a{b:url(c)}', ['c']],
    [
      'data URLs with brackets in quotes',
      'url("data:image/svg+xml,<a b=\'url(#c)\'/>") url(d)',
      ["data:image/svg+xml,<a b='url(#c)'/>", 'd'],
    ],
  ])('%s', (_, css, expected) => {
    expect(references(css)).toEqual(expected);
  });

  test('no text makes it throw', () => {
    const parts = [
      'url(',
      '"',
      "'",
      '\\',
      ')',
      '@import',
      '@font-face',
      '/*',
      '*/',
      '\n',
      ' ',
      'a',
      '{',
      '}',
      ';',
    ];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...parts), fc.string()), { maxLength: 30 }), (list) => {
        expect(() => references(list.join(''))).not.toThrow();
      }),
    );
  });

  test.each([
    'url(',
    '"',
    '\\',
    '/*',
    '@import ',
    '@font-face',
    '@namespace',
    'url("',
    "url( '\\",
    '@import/**/',
    '}',
  ])('two million times %j takes linear time', (part) => {
    expect(references(part.repeat(2_000_000)).length).toBeLessThanOrEqual(2_000_000);
  });
});
