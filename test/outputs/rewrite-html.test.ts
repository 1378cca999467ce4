import { expect, test } from 'vitest';
import { rewriteCss } from '../../shared/outputs/rewrite-css.ts';
import { rewriteHtml } from '../../shared/outputs/rewrite-html.ts';

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
  expect(rewriteCss('a{b:url(c)}', () => 'x) "} body{}')).toBe('a{b:url(x%29%20%22}%20body{})}');
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
