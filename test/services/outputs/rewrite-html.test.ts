import { describe, expect, test } from 'vitest';
import { decodeAttribute } from '../../../shared/core/parser/character-references.ts';
import { cssReferences } from '../../../shared/core/parser/css-references.ts';
import { srcsetReferences } from '../../../shared/core/parser/srcset.ts';
import { rewriteCss } from '../../../shared/services/outputs/rewrite-css.ts';
import { rewriteHtml } from '../../../shared/services/outputs/rewrite-html.ts';

/** Everything but data URLs becomes `[...]`. */
const rewrite = (reference: string) => (reference.startsWith('data:') ? undefined : `[${reference}]`);
const html = (text: string, withoutScripts = false) =>
  rewriteHtml(text, { onBase: () => {}, rewrite, withoutScripts });

test.each([
  ['<a href="a">x</a>', '<a href="[a]">x</a>'],
  ["<a href='a' class=b>x</a>", '<a href="[a]" class=b>x</a>'],
  ['<a class=b href=a>x</a>', '<a class=b href="[a]">x</a>'],
  ['<A HREF = "a?x=1&amp;y=2#f" >x', '<A HREF="[a?x=1&amp;y=2#f]" >x'],
  ['<a href="#top">x', '<a href="#top">x'],
  ['<a href="">x', '<a href="">x'],
  ['<img src=a.png/>', '<img src="[a.png/]">'],
  [
    '<img src="a" srcset="b 1x, c, data:image/png;base64,x 2x" alt="<a href=b>">',
    '<img src="[a]" srcset="[b] 1x, [c], data:image/png;base64,x 2x" alt="<a href=b>">',
  ],
  [
    '<div style="background:url(a) url(&quot;b&quot;)">',
    '<div style="background:url([a]) url(&quot;[b]&quot;)">',
  ],
  [
    '<img data-src=a data-srcset="b 1x"><p data-src=a>',
    '<img data-src="[a]" data-srcset="[b] 1x"><p data-src=a>',
  ],
  ['<style>a{b:url("c")}</style><p>', '<style>a{b:url("[c]")}</style><p>'],
  [
    '<script>"<a href=b>"</script><script src=a integrity="sha" crossorigin></script>',
    '<script>"<a href=b>"</script><script src="[a]"  ></script>',
  ],
  ['<meta http-equiv="refresh" content="3; url=a">', '<meta http-equiv="refresh" content="3;url=[a]">'],
  ['<meta content="0;a" http-equiv=Refresh>', '<meta content="0;url=[a]" http-equiv=Refresh>'],
  ['<meta http-equiv="Content-Security-Policy" content="x">', '<meta name="removed" content="x">'],
  ['<!-- <a href=b> --><a href=a>', '<!-- <a href=b> --><a href="[a]">'],
  [
    '<svg><use xlink:href="a#b"/></svg><video poster=p><source src=s>',
    '<svg><use xlink:href="[a#b]"/></svg><video poster="[p]"><source src="[s]">',
  ],
  ['<base href="/b/"><a href=a>', '<base href=""><a href="[a]">'],
  ['<input data="x"><object data="a">', '<input data="x"><object data="[a]">'],
  [
    '<iframe src=s srcdoc="<base href=/x/><a href=a>\u00e9 &eacute; \ud83d\ude00</a>"></iframe>',
    '<iframe src="[s]" srcdoc="&lt;base href=&quot;&quot;>&lt;a href=&quot;[a]&quot;>&#233; &#233; &#128512;&lt;/a>"></iframe>',
  ],
  [
    '<iframe srcdoc="<p>\u00e9"></iframe><p srcdoc="<a href=a>">',
    '<iframe srcdoc="<p>\u00e9"></iframe><p srcdoc="<a href=a>">',
  ],
  [
    '<iframe srcdoc="<iframe srcdoc=\'<img src=a>\'></iframe>"></iframe>',
    '<iframe srcdoc="&lt;iframe srcdoc=&quot;&amp;lt;img src=&amp;quot;[a]&amp;quot;>&quot;>&lt;/iframe>"></iframe>',
  ],
  [
    '<p style="content:\'&eacute;\u65e5\';background:url(a)">',
    '<p style="content:\'&#233;&#26085;\';background:url([a])">',
  ],
  ['<a href="a', '<a href="a'],
  ['caf\u00e9 <a href=a>\u65e5', 'caf\u00e9 <a href="[a]">\u65e5'],
])('%j', (text, expected) => {
  expect(html(text)).toBe(expected);
});

test('event handlers can be taken out', () => {
  expect(html('<a onclick="x()" href=a onload=y>', true)).toBe('<a  href="[a]" >');
});

test('a reference cannot end its attribute, its style or its element', () => {
  const evil = () => 'x"></a></style><script>alert(1)</script>';
  const text = rewriteHtml('<a href=a><style>b{c:url(d)}</style>', { onBase: () => {}, rewrite: evil });
  expect(text).not.toMatch(/"><\/a>|<\/style><script/);
  expect(text.match(/<\/style>/g)).toHaveLength(1);
  expect(rewriteCss('a{b:url(c)}', () => 'x) "} body{}')).toBe('a{b:url(x\\)\\20 \\"}\\20 body{})}');
});

/** As in a server that shows archived pages. */
const below = (reference: string) => `/2026/${new URL(reference, 'http://a.test/').href}`;

describe.each([
  'a(1).png',
  "it's.png",
  'a,b.png',
  'w_200,h_100/a.png?x=(1),2&y=[3]',
  'a%28b%29%2C.png',
  'a%20b.png',
  'über(é).png',
  'a;b=c,d(e)f.png?q=%22',
])('%s is the same URL where it is written', (reference) => {
  const expected = below(reference);

  test('in style sheets', () => {
    const escapedOnce = reference.replace(/["'()]/g, '\\$&');
    const css = `a{b:url(${escapedOnce})} c{d:url("${reference}")} @import '${escapedOnce}'; e{f:url( "${escapedOnce}" )}`;
    const found: string[] = [];
    const rewritten = rewriteCss(css, below);
    cssReferences(rewritten, (one) => found.push(one));
    expect(found).toEqual([expected, expected, expected, expected]);
    // A second reader of CSS, which knows strings and escapes.
    expect(rewritten.match(/url\((?:[^()\\"']|\\.)*\)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g)).toHaveLength(4);
  });

  test('in srcset', () => {
    const found: string[] = [];
    const attribute = /srcset="([^"]*)"/.exec(
      rewriteHtml(`<img srcset="${reference} 1x, ${reference} 200w,${reference}">`, {
        onBase: () => {},
        rewrite: below,
      }),
    );
    srcsetReferences(decodeAttribute(attribute![1]!), (one) => found.push(one));
    expect(found).toEqual([expected, expected, expected]);
  });

  test('in a style attribute and a style element', () => {
    const found: string[] = [];
    const quoted = reference.replace(/["'()]/g, '\\$&');
    const page = rewriteHtml(
      `<p style="b:url(${quoted.replaceAll('"', '&quot;')})"><style>c{d:url('${quoted}')}</style>`,
      {
        onBase: () => {},
        rewrite: below,
      },
    );
    const style = decodeAttribute(/style="([^"]*)"/.exec(page)![1]!);
    for (const css of [style, /<style>(.*)<\/style>/s.exec(page)![1]!])
      cssReferences(css, (one) => found.push(one));
    expect(found).toEqual([expected, expected]);
  });
});

test('a comma at the end of a reference stands encoded in srcset, which would take it away', () => {
  const rewriter = { onBase: () => {}, rewrite: () => ',a b,' };
  expect(rewriteHtml('<img srcset="x 1x, y">', rewriter)).toBe('<img srcset="%2Ca%20b%2C 1x, %2Ca%20b%2C">');
});

test('the base is reported before the references after it', () => {
  const calls: string[] = [];
  const onBase = (reference: string) => calls.push(`base ${reference}`);
  rewriteHtml('<base href="/b/"><a href=a><base href="/c/">', {
    onBase,
    rewrite: (one) => void calls.push(one),
  });
  expect(calls).toEqual(['base /b/', 'a']);
});

test.each([
  '<a href=a ',
  '<a href="',
  '<',
  "<a b='",
  '<style>url(',
  '<!--',
  '<a href=a>',
  '<meta http-equiv=refresh content="0;',
])('a megabyte of %j is done with before anybody waits for it', (piece) => {
  expect(html(piece.repeat(Math.ceil(1_000_000 / piece.length))).length).toBeGreaterThan(0);
});
