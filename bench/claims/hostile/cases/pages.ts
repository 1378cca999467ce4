/** HTML that makes slow parsers hang, careless ones crash, and greedy ones run out of memory. */
import { asked, kept, neverAsked } from '../checks.ts';
import type { HostileCase } from '../hostile-case.ts';
import { KB, listed, MB, pageCase, repeated } from '../replies.ts';

const BOTH = [kept(), asked('/first'), asked('/last')];
const QUICK = { isQuick: true };

/** Tags and attributes. */
const TAGS: readonly HostileCase[] = [
  pageCase('tag: 4 MB of = before />', () => `<svg ${repeated('=', 4 * MB)} "/></svg>`),
  pageCase('tag: 4 MB of spaces before />', () => `<svg ${repeated(' ', 4 * MB)} "/></svg>`),
  pageCase('tag: 4 MB of slashes', () => `<br ${repeated('/ ', 4 * MB)}>`, BOTH),
  pageCase('tag: 32 KB of = before />', () => `<svg ${repeated('=', 32 * KB)} "/></svg>`, undefined, QUICK),
  pageCase('tag: a million attributes', () => `<p ${listed(1_000_000, (i) => `a${i}=b `)}>`, BOTH),
  pageCase('tag: a million times the same attribute', () => `<a ${repeated('href=/x ', 8 * MB)}>a</a>`, BOTH),
  pageCase('tag: an attribute name of 8 MB', () => `<p ${repeated('n', 8 * MB)}=v>`, BOTH),
  pageCase('tag: an attribute value of 8 MB', () => `<a href="/${repeated('x', 8 * MB)}">a</a>`, BOTH),
  pageCase('tag: a quote that never ends', () => `<a href="/x${repeated('y ', 2 * MB)}`),
  pageCase('tag: an element name of 8 MB', () => `<${repeated('q', 8 * MB)}>`, BOTH),
  pageCase('tag: 8 MB without >', () => `<a href=/x ${repeated('y', 8 * MB)}`),
  pageCase('tag: 8 MB of <', () => repeated('<', 8 * MB)),
  pageCase('tag: 8 MB of </', () => repeated('</', 8 * MB)),
  pageCase('tag: 8 MB of <a', () => repeated('<a ', 8 * MB)),
  pageCase('tag: 200,000 <a href=" without an end', () => repeated('<a href="', 2 * MB)),
  pageCase('tag: 8 MB of <? and <!', () => repeated('<?<!', 8 * MB)),
];

const NESTING: readonly HostileCase[] = [
  pageCase('nesting: 500,000 divs', () => repeated('<div>', 500_000 * 5)),
  pageCase('nesting: 500,000 formatting elements', () => repeated('<b><i>', 3 * MB)),
  pageCase('nesting: 200,000 tables', () => repeated('<table><tr><td>', 3 * MB)),
  pageCase('nesting: 200,000 templates', () => repeated('<template>', 2 * MB)),
  pageCase('nesting: 200,000 svg and math', () => repeated('<svg><math>', 2 * MB)),
  pageCase(
    'nesting: end tags in 512 open foreign elements',
    () => repeated('<svg><g>', 4 * KB) + repeated('</x>', 12 * MB),
  ),
  pageCase(
    'nesting: end tags in 512 foreign elements, small',
    () => repeated('<g>', 512 * 3).replace('<g>', '<svg>') + repeated('</x>', 100 * KB),
    undefined,
    QUICK,
  ),
  pageCase('nesting: 200,000 selects and options', () => repeated('<select><option>', 3 * MB)),
  pageCase('nesting: 200,000 links in links', () => repeated('<a href=/x>', 2 * MB), [
    kept(),
    asked('/first'),
  ]),
  pageCase('nesting: noscript, noframes, noembed', () => repeated('<noscript><noframes><noembed>', 3 * MB)),
  pageCase('nesting: 1,000,000 end tags without a start', () => repeated('</p></br></a>', 8 * MB), BOTH),
];

/** Parts that other rules read: comments, scripts, text elements. */
const SECTIONS: readonly HostileCase[] = [
  pageCase('comment: without an end, 8 MB', () => `<!--${repeated('- ', 8 * MB)}`),
  pageCase('comment: 1,000,000 beginnings', () => repeated('<!--', 4 * MB)),
  pageCase('comment: 1,000,000 short ones', () => repeated('<!--><!--->', 8 * MB), BOTH),
  pageCase('comment: a million wrong ends', () => `<!--${repeated('--!', 4 * MB)}>`, BOTH),
  pageCase('CDATA: in HTML, without an end', () => `<![CDATA[${repeated(']]', 4 * MB)}`),
  pageCase('CDATA: in svg, without an end', () => `<svg><![CDATA[${repeated(']]&', 4 * MB)}`),
  pageCase('script: 300,000 escapes', () => `<script>${repeated('<!--<script>', 4 * MB)}`),
  pageCase('script: a million false ends', () => `<script>${repeated('</script', 8 * MB)}`),
  pageCase(
    'script: without an end, 8 MB',
    () => `<script>${repeated('document.write("<a href=/x>");', 8 * MB)}`,
  ),
  pageCase('style: without an end, 8 MB', () => `<style>${repeated('a{b:url(/x', 8 * MB)}`),
  pageCase('title: 12 MB', () => `<title>${repeated('t ', 12 * MB)}</title>`, BOTH),
  pageCase('title: 1,000,000 titles', () => repeated('<title>t</title>', 8 * MB), BOTH),
  pageCase(
    'textarea and title: false ends',
    () => `<textarea>${repeated('</textare', 4 * MB)}</textarea>`,
    BOTH,
  ),
  pageCase('plaintext: the rest is text', () => `<plaintext>${repeated('<a href=/x>', 2 * MB)}`, [
    kept(),
    asked('/first'),
    neverAsked('/last'),
  ]),
  pageCase(
    'text elements: links in them are text',
    () =>
      `<script>'<a href=/s1>'</script><style><a href=/s2></style><!-- <a href=/s3> --><textarea><a href=/s4></textarea><template><a href=/s5></template>`,
    [...BOTH, neverAsked(/^\/s\d/)],
    QUICK,
  ),
];

/** References to characters, and bytes that are none. */
const CHARACTERS: readonly HostileCase[] = [
  pageCase('entities: 2,000,000 in a text', () => repeated('&lt;', 8 * MB), BOTH),
  pageCase('entities: 2,000,000 in a link', () => `<a href="/x${repeated('&amp;', 8 * MB)}">a</a>`, BOTH),
  pageCase('entities: 8 MB of & without a name', () => repeated('&', 8 * MB), BOTH),
  pageCase(
    'entities: a number of 4 MB of digits',
    () => `<a href="/x&#${repeated('9', 4 * MB)};">a</a>`,
    BOTH,
  ),
  pageCase(
    'entities: the longest names, cut',
    () => `<a href="/x${repeated('&CounterClockwiseContourIntegra', 4 * MB)}">a</a>`,
    BOTH,
  ),
  pageCase('null bytes: 8 MB', () => Buffer.alloc(8 * MB), BOTH),
  pageCase('null bytes: in a tag', () => '<a\0 hr\0ef=/x\0>a</a><a href="/n\0ull">b</a>', BOTH, QUICK),
  pageCase(
    'control characters and noncharacters',
    () => listed(0x20, (i) => `<a href="/x${String.fromCharCode(i)}">${String.fromCharCode(0xfdd0 + i)}</a>`),
    BOTH,
    QUICK,
  ),
  pageCase('a line of 12 MB', () => repeated('word ', 12 * MB), BOTH),
  pageCase('16 MB and more: cut, and kept', () => repeated('<p>', 17 * MB), [kept(), asked('/first')]),
];

export const PAGE_CASES: readonly HostileCase[] = [...TAGS, ...NESTING, ...SECTIONS, ...CHARACTERS];
