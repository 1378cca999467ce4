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
});
