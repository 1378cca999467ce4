import { beforeAll, describe, expect, test } from 'vitest';
import { createPageContent, loadCheerio } from '../../../shared/services/hooks/page-content.ts';
import { withoutHang } from '../../hang-guard.ts';

const content = (body: string, mimeType = 'text/html') =>
  createPageContent(
    Buffer.from(body),
    { headers: [] },
    { url: 'https://example.org/', mimeType },
    100_000_000,
  );

beforeAll(loadCheerio);

describe('the views of a page that is made to take long', () => {
  test.each([
    ['elements that are never closed', '<div>'.repeat(1_000_000)],
    ['end tags that close nothing', `${'<div>'.repeat(500_000)}${'</x>'.repeat(500_000)}`],
    ['paragraphs that end inside them', `${'<b>'.repeat(500_000)}${'</p>'.repeat(500_000)}`],
    ['SVG in SVG', '<svg>'.repeat(1_000_000)],
  ])('%s', (_, html) => {
    expect(withoutHang(() => content(`a ${html} b`).text)).toBe('a b');
  });

  test.each([1000, 100_000])('%i shadow roots', (count) => {
    const html = '<x-a><template shadowrootmode=open><a>1</a><!-- --></template>2</x-a>'.repeat(count);
    const { $ } = withoutHang(() => {
      const page = content(`<main>${html}</main>`);
      void page.$;
      return page;
    });
    expect([$('x-a > a').length, $('template').length, $('x-a').first().html()]).toEqual([
      count,
      0,
      '<a>1</a><!-- -->2',
    ]);
  });

  test('text is seen again after hidden elements, however deep', () => {
    const hidden = `<p hidden>x${'<i>'.repeat(600)}x${'</i>'.repeat(600)}</p>`;
    expect(content(`a<div hidden>x<b>x</b></div>b${hidden}c`).text).toBe('ab c');
  });

  test.each(['text/html', 'text/xml'])('elements in elements without end are refused: %s', (type) => {
    const { $ } = content(`<a>${'<i>'.repeat(1000)}x${'</i>'.repeat(1000)}</a>`, type);
    expect($('i').length).toBe(1000);
    const deep = content('<i>'.repeat(1_000_000), type);
    expect(() => withoutHang(() => deep.$)).toThrow('elements nested deeper than 1024');
  });
});
