import fc from 'fast-check';
import { expect, test } from 'vitest';
import { xhtmlAsHtml } from '../../../shared/core/parser/xhtml-as-html.ts';

test.each([
  ['<script src="a.js"/><p>x</p>', '<script src="a.js"></script><p>x</p>'],
  ['<br/><br /><br></br><img src="a/"/>', '<br><br ><br><img src="a/">'],
  ['<div/><a href="b" />', '<div></div><a href="b" ></a>'],
  ['<p title="<![CDATA[">a<![CDATA[<b>&amp;]]></p>', '<p title="<![CDATA[">a&lt;b>&amp;amp;</p>'],
  ['<script>a &lt; b &amp;&amp; c</script>', '<script>a < b && c</script>'],
  ['<script>//<![CDATA[\na < b\n//]]></script>', '<script>//\na < b\n//</script>'],
  ['<style>a&gt;b{}</style>', '<style>a>b{}</style>'],
  ['<script>"&lt;/script>"</script>', '<script>"&lt;/script>"</script>'],
  ['<?xml version="1.0"?><?x a>b?><!DOCTYPE html [<!ENTITY a "b>">]><p>', '<!DOCTYPE html><p>'],
  ['<!-- a <b/> --><p>&nbsp;&#65;</p>', '<!-- a <b/> --><p>&nbsp;&#65;</p>'],
  [
    '<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:mi>x</m:mi></m:math><y:z>q</y:z>',
    '<math xmlns:m="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math><y:z>q</y:z>',
  ],
  ['a < b <1 <', 'a &lt; b &lt;1 <'.replace(/<$/, '&lt;')],
  ['<p>x<b', '<p>x<b'],
  ['<p>x<![CDATA[y', '<p>x<![CDATA[y'],
])('%j is %j', (xml, html) => {
  expect(xhtmlAsHtml(xml)).toBe(html);
});

test('a document that is the same in both syntaxes stays as it is', () => {
  const parts = ['<p>', '</p>', '<b title="x">', '</b>', 'text', '&amp;', '<!-- c -->', ' '];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts)), (pieces) => {
      const html = pieces.join('');
      expect(xhtmlAsHtml(html)).toBe(html);
    }),
  );
});

test.each([
  '<',
  '<a',
  '<a b="',
  '<![CDATA[',
  '<!--',
  '<?',
  '<script>',
  '<!DOCTYPE [',
  ']  ',
  '<a:b xmlns:a="c"/>',
])('a megabyte of %j is done with before anybody waits for it', (piece) => {
  expect(xhtmlAsHtml(piece.repeat(Math.ceil(1_000_000 / piece.length))).length).toBeGreaterThan(0);
});
