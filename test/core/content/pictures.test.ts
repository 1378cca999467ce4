import { describe, expect, test } from 'vitest';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { markdown } from './to-markdown.ts';

const AT = 'https://example.org/a/';

test.each([
  ['in a paragraph', '<p><img alt="A cat" src=cat.jpg></p>', `![A cat](${AT}cat.jpg)`],
  ['in a link', '<p><a href=b><img alt="A cat" src=cat.jpg></a></p>', `[![A cat](${AT}cat.jpg)](${AT}b)`],
  [
    'in a figure',
    '<figure><img alt="A cat" src=cat.jpg><figcaption>Felix</figcaption></figure>',
    `![A cat](${AT}cat.jpg)\n\nFelix`,
  ],
  [
    'described by its caption',
    '<figure><a href=cat.jpg><img src=cat.jpg></a><figcaption>Felix</figcaption></figure>',
    `[![](${AT}cat.jpg)](${AT}cat.jpg)\n\nFelix`,
  ],
  ['with srcset only', '<p><img alt=A srcset="a.jpg 1x, b(1).jpg 2x"></p>', `![A](<${AT}b(1).jpg>)`],
  ['in a picture', '<picture><source srcset="a.webp"><img alt=A src=a.jpg></picture>', `![A](${AT}a.jpg)`],
  [
    'with sources only',
    '<picture><source srcset="a.webp 1x, b.webp 2x"><img alt=A></picture>',
    `![A](${AT}b.webp)`,
  ],
  ['lazy', '<p><img alt=A data-src=a.jpg src="data:image/gif;base64,R0"></p>', `![A](${AT}a.jpg)`],
  ['lazy, with a picture to wait', '<p><img alt=A data-src=a.jpg src=blank.gif></p>', `![A](${AT}a.jpg)`],
  ['lazy sets', '<p><img alt=A data-srcset="a.jpg 1x, b.jpg 2x" src=""></p>', `![A](${AT}b.jpg)`],
  [
    'with its twin in noscript',
    '<p><img alt=A data-src=a.jpg><noscript><img alt=A src=a.jpg></noscript></p>',
    `![A](${AT}a.jpg)`,
  ],
  [
    'in noscript alone',
    '<p><img alt=A class=lazy><noscript><img alt=A src=a.jpg></noscript></p>',
    `![A](${AT}a.jpg)`,
  ],
  [
    'on what one presses',
    '<div><label for=m><img alt=Menu src=m.svg></label><button><b><img alt=Copy src=c.svg></b></button></div><p>a</p>',
    'a',
  ],
  ['without words', '<p>a</p><p><img src=a.jpg></p>', 'a'],
  ['with an address that a script makes', '<p>a</p><p><img alt=A src="{{url}}"></p>', 'a'],
])('a picture %s', (_, html, expected) => {
  expect(markdown(html)).toBe(expected);
});

describe('on a page', () => {
  const sentence = 'The cat sat on the mat and looked at the dog, which slept in the sun all day.';
  const page = (inner: string) =>
    extractContent(
      `<nav><img alt=Logo src=logo.png><a href=x>One</a></nav><main><h1>Cats</h1><p>${sentence}</p>${inner}<p>${sentence} ${sentence}</p></main><footer><p><img alt=Seal src=seal.png></p><p>Imprint</p></footer>`,
      'https://example.org/a/',
    );
  test('those between paragraphs are kept, those of navigation and footer are not', () => {
    const { markdown: written } = page('<div class=wrap><p><img alt="A cat" src=cat.jpg></p></div>');
    expect(written).toContain(`day.\n\n![A cat](${AT}cat.jpg)\n\nThe cat`);
    expect(written).not.toMatch(/Logo|Seal/);
  });
  test('the caption and the small table of a figure are kept', () => {
    const { markdown: written, text } = page(
      '<figure><img src=cat.jpg><figcaption>Felix</figcaption></figure><figure><table><tr><th>Age<th>kg<tr><td>1<td>3</table><figcaption>Weight</figcaption></figure>',
    );
    expect(written).toContain(
      `![](${AT}cat.jpg)\n\nFelix\n\n| Age | kg |\n| --- | --- |\n| 1 | 3 |\n\nWeight`,
    );
    expect(text).toContain('Felix');
  });
});
