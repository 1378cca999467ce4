import { describe, expect, test } from 'vitest';
import { textBlocks } from '../../../shared/core/content/blocks.ts';
import { parseElements } from '../../../shared/core/content/element-tree.ts';
import { withoutHoles } from '../../../shared/core/content/whole-blocks.ts';

/** The texts that are kept if the blocks with these texts are chosen. */
function kept(html: string, ...chosen: string[]): string[] {
  const elements = parseElements(html);
  const blocks = textBlocks(elements[0]!);
  const places = new Set(blocks.flatMap(({ text }, i) => (chosen.includes(text) ? [i] : [])));
  const all = withoutHoles(places, blocks, elements, new Uint8Array(blocks.length));
  return blocks.filter((_, i) => all.has(i)).map(({ text }) => text);
}

describe('a heading of the first level', () => {
  const section = (title: string, text: string) => `<h1>${title}</h1><pre>${text}</pre>`;

  test('stays above its text behind other text', () => {
    const page = `<div>${section('One', 'first')}${section('Two', 'second')}</div>`;
    expect(kept(page, 'One', 'first', 'second')).toEqual(['One', 'first', 'Two', 'second']);
  });

  test('is not taken if all of it is a link, or if other text comes between', () => {
    const page = (heading: string) => `<div>${section('One', 'first')}${heading}<pre>second</pre></div>`;
    const chosen = ['One', 'first', 'second'];
    expect(kept(page('<h1><a href="/">The site</a></h1>'), ...chosen)).toEqual(chosen);
    expect(kept(page('<h1>Two</h1><p><a href="/b">more</a></p>'), ...chosen)).toEqual(chosen);
  });

  test.each([
    ['alone in an element', '<div class=page-header>\n<h1>Two</h1>\n</div>'],
    ['alone in two elements', '<header><div><!-- --><h1>Two</h1></div></header>'],
    ['which holds an element', '<h1><div>Two</div></h1>'],
  ])('stays above its text: %s', (_, heading) => {
    const page = `<div>${section('One', 'first')}${heading}<div><pre>second</pre></div></div>`;
    expect(kept(page, 'One', 'first', 'second')).toEqual(['One', 'first', 'Two', 'second']);
  });

  test('stays with what stands in it beside its name', () => {
    const page = `<div>${section('One', 'first')}<h2>Two<div>since 1.2</div></h2><pre>second</pre></div>`;
    expect(kept(page, 'One', 'first', 'second')).toEqual(['One', 'first', 'Two', 'since 1.2', 'second']);
  });

  test('is not taken if it stands in a link, or beside other text', () => {
    const page = (heading: string) =>
      `<div>${section('One', 'first')}${heading}<div><pre>second</pre></div></div>`;
    const chosen = ['One', 'first', 'second'];
    expect(kept(page('<a href="/"><h2>The site</h2></a>'), ...chosen)).toEqual(chosen);
    expect(kept(page('<div><h2>Two</h2>since 1.2</div>'), ...chosen)).toEqual(chosen);
  });

  test('stays at the start if a part of its word is a link', () => {
    const page = '<div><h1><a href="/gdk">Gdk</a>PadEvent</h1><pre>first</pre></div>';
    expect(kept(page, 'first')).toEqual(['GdkPadEvent', 'first']);
    expect(kept(page.replace('PadEvent', '.'), 'first')).toEqual(['first']);
  });
});

test.each([
  ['Goldmark', 'div', 'footnotes" role="doc-endnotes'],
  ['GitHub', 'section', 'footnotes'],
  ['pandoc', 'section', 'footnotes footnotes-end-of-document'],
])('the notes at the end of a text stay, as %s writes them', (_, name, classes) => {
  const notes = `<${name} class="${classes}"><hr><ol><li id=n1><p>A short note</p></li><li><p><a href="/x">Its source</a></p></li></ol></${name}>`;
  const page = (end: string) => `<div><article><p>One</p><p>Two</p>${end}</article></div>`;
  expect(kept(page(notes), 'One', 'Two')).toEqual(['One', 'Two', 'A short note', 'Its source']);
  expect(kept(page(notes.replace(' class', ' title')), 'One', 'Two')).toEqual(['One', 'Two']);
  expect(kept(`${page('')}<footer>${notes}</footer>`, 'One', 'Two')).toEqual(['One', 'Two']);
});

describe('what stands below a heading', () => {
  const value = '<h4>Return value</h4><div><p>Type: <a href=s>Stream</a></p><p>A new stream.</p></div>';

  test('the heading of a chosen text stays with the line between them', () => {
    const page = `<pre>f()</pre><div>${value}</div>`;
    expect(kept(page, 'f()', 'A new stream.')).toEqual([
      'f()',
      'Return value',
      'Type: Stream',
      'A new stream.',
    ]);
    expect(kept(page, 'f()', 'Return value', 'A new stream.')).toContain('Type: Stream');
  });

  test('a card has a link as its heading, and its date does not stay', () => {
    const page = `<p>text</p><div><h3><a href=a>Other story</a></h3><div>March 27</div><p>It begins so.</p></div>`;
    expect(kept(page, 'text', 'Other story', 'It begins so.')).not.toContain('March 27');
  });

  test('a small table stays if it is all between two chosen headings', () => {
    const table = '<table><tr><td><a href=l>FDList</a> *<td><a href=d>list</a><td>Read and write</table>';
    const page = `<h2>Properties</h2>${table}<h2>Types</h2><p>One.</p>`;
    expect(kept(page, 'Properties', 'Types', 'One.')).toContain('FDList *');
    const cards = `<h2>Properties</h2><div>Read and write</div><h2>Types</h2><p>One.</p>`;
    expect(kept(cards, 'Properties', 'Types', 'One.')).not.toContain('Read and write');
  });
});

test('a line between chosen ones stays if most lines of its kind are chosen', () => {
  const item = (name: string) =>
    `<a id=${name}></a><div class=head>${name} = <a href=s>(source)</a></div><div><p>Of ${name}.</p></div>`;
  const chosen = ['A', 'B', 'C', 'D', 'E', 'F'];
  const texts = chosen.flatMap((name) => [`${name} = (source)`, `Of ${name}.`]);
  const page = chosen.map(item).join('');
  expect(kept(page, ...texts.filter((text) => text !== 'E = (source)'))).toEqual(texts);
  expect(kept(page, ...texts.filter((text) => !/^[BDE] =/.test(text)))).not.toContain('E = (source)');
});

test.each([
  [
    'Docusaurus',
    '<div class="theme-admonition theme-admonition-tip"><div>My tip</div><div><p>Use it</p></div></div>',
  ],
  ['Asciidoctor', '<div class="admonitionblock note"><table><tr><td>My tip<td>Use it</table></div>'],
  ['VitePress', '<div class="tip custom-block"><div><p>My tip</p></div><p>Use it</p></div>'],
  ['Quarto', '<div class="callout callout-tip"><div>My tip</div><div>Use it</div></div>'],
  ['GitHub', '<div class=markdown-alert><div>My tip</div><div>Use it</div></div>'],
])('a note between chosen blocks stays: %s', (_, note) => {
  const page = (html: string) => `<section><p>First</p></section>${html}<section><p>Last</p></section>`;
  expect(kept(page(note), 'First', 'Last')).toEqual(['First', 'My tip', 'Use it', 'Last']);
  const plain = note.replace(/class=("[^"]*"|[\w-]+)/, '');
  expect(kept(page(plain), 'First', 'Last')).not.toContain('Use it');
  // Neither one of links alone nor one behind the text.
  expect(kept(page(note.replace('Use it', '<a href=u>Use it</a>')), 'First', 'Last')).not.toContain('Use it');
  expect(kept(page(note), 'First')).not.toContain('Use it');
});
