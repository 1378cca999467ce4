import { expect, test } from 'vitest';
import { seenText } from '../../../shared/core/content/seen-text.ts';
import { placeStreamedParts } from '../../../shared/core/content/streamed-parts.ts';

/** As react-dom 19.2 writes it: three parts, one of them with a piece that came later still, and one within a part. */
const STREAMED =
  '<body><main><h1>T</h1><!--$?--><template id="B:0"></template><p>Loading<!--$-->x<!--/$--></p><!--/$-->' +
  '<table><tbody><!--$?--><template id="B:1"></template><tr><td>Load</td></tr><!--/$--></tbody></table></main>' +
  '<footer>Foot</footer><script id="_R_">requestAnimationFrame(function(){$RT=performance.now()});</script>' +
  '<div hidden id="S:0"><div><p>First.</p></div><template id="P:2"></template><p>Fourth.</p></div>' +
  '<table hidden><tbody id="S:1"><tr><td>Cell.</td></tr></tbody></table>' +
  '<script>$RB=[];$RC=function(a,b){};$RC("B:1","S:1")</script><script>self.__next_f.push([1,"</div>"])</script>' +
  '<div hidden id="S:2"><p>Second.</p><!--$?--><template id="B:3"></template>wait<!--/$--></div>' +
  '<script nonce="a">$RS("S:2","P:2")</script><script>$RC("B:0","S:0")</script>' +
  '<div hidden id="S:3"><p>Third.</p></div><script>$RC("B:3","S:3")</script></body>';

test('parts of a page that came late are in their places, over what said that they are loading', () => {
  const placed = placeStreamedParts(STREAMED);
  expect(placed).toContain(
    '<h1>T</h1><!--$?--><div><p>First.</p></div><p>Second.</p><!--$?--><p>Third.</p><!--/$--><p>Fourth.</p><!--/$-->' +
      '<table><tbody><!--$?--><tr><td>Cell.</td></tr><!--/$--></tbody></table></main><footer>Foot</footer><script',
  );
  expect(placed).not.toMatch(/hidden|Load|wait/);
});

test('a part whose script did not come, or whose end is missing, stays where it is', () => {
  const cut = STREAMED.slice(0, STREAMED.indexOf('<script>$RB'));
  expect(placeStreamedParts(cut)).toBe(cut);
  const open = '<template id="B:0"></template>a<div hidden id="S:0"><p>b<script>$RC("B:0","S:0")</script>';
  expect(placeStreamedParts(open)).toBe(open);
});

test('a part without a place stays where it is, and one that is asked for twice is there once', () => {
  const page = (places: string) =>
    `<body>${places}<div hidden id="S:0"><p>b</p></div><script>$RC("B:0","S:0")</script></body>`;
  expect(placeStreamedParts(page('a'))).toBe(page('a'));
  const twice = placeStreamedParts(page('<template id="B:0"></template>a<!--/$-->'.repeat(2)));
  expect(twice.match(/<p>b<\/p>/g)).toHaveLength(1);
});

test('parts within themselves, and many places without an end, take linear time', () => {
  const own = '<div hidden id="S:0"><template id="B:0"></template></div><script>$RC("B:0","S:0")</script>';
  expect(placeStreamedParts(own)).toContain('S:0');
  const many = Array.from({ length: 40_000 }, (_, i) => {
    const id = i.toString(16);
    return `<template id="B:${id}"></template><!--$--><div hidden id="S:${id}">Z</div><script>$RC("B:${id}","S:${id}")</script>`;
  }).join('');
  expect(placeStreamedParts(many).match(/Z/g)).toHaveLength(40_000);
  const unclosed = '<table hidden id="S:1"><div hidden id="S:2"></div>'.repeat(40_000);
  expect(placeStreamedParts(unclosed)).toBe(unclosed);
});

test('documents have such a page as its readers see it', () => {
  expect(seenText(STREAMED).text.replace(/\s+/g, ' ')).toMatch(/T First\. Second\. Third\. Fourth\. Cell\./);
});
