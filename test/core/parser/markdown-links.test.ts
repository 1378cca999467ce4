import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMarkdownLinks } from '../../../shared/core/parser/markdown-links.ts';
import { readMarkdown } from '../../../shared/core/parser/markdown-source.ts';

const linksIn = (text: string, maxLinks = 100) => {
  const parser = createMarkdownLinks({
    url: 'https://a.test/docs/page.md',
    contentType: 'text/markdown',
    maxLinks,
  });
  parser.write(Buffer.from(text));
  return parser.end();
};

describe('links', () => {
  test.each([
    ['[text](next.md)', ['https://a.test/docs/next.md']],
    [
      '![image](/i.png "title") and [b]( <a b.md> )',
      ['https://a.test/i.png', 'https://a.test/docs/a%20b.md'],
    ],
    ['[wiki](/A_(b)) [open](/x(y', ['https://a.test/A_(b)', 'https://a.test/x(y']],
    ['[ref]: /r.md "title"\n[^1]: /note', ['https://a.test/r.md']],
    ['<https://b.test/auto> <mailto:a@b.c>', ['https://b.test/auto']],
    ['<a href="/html">x</a> <img src=\'/s.png\'>', ['https://a.test/html', 'https://a.test/s.png']],
    ['`[code](/no)` [yes](/yes) ` [odd](/odd)', ['https://a.test/yes', 'https://a.test/odd']],
    ['```\n[code](/no)\n```\n[yes](/yes)', ['https://a.test/yes']],
    ['~~~~\n~~~\n[no](/no)\n~~~~\n[yes](/yes)', ['https://a.test/yes']],
    ['[mail](mailto:a@b.c) [here](#part)', ['https://a.test/docs/page.md']],
    ['[](', []],
  ])('%j', (text, urls) => {
    expect(linksIn(text).links.map(({ url }) => url)).toEqual(urls);
  });

  test('further ones are counted', () => {
    expect(linksIn('[a](/a) [b](/b) [c](/c)', 2)).toMatchObject({ droppedLinks: 1, links: [{}, {}] });
  });
});

describe('the title', () => {
  test.each([
    ['# The *title* of [it](/x) #', 'The title of it'],
    ['text\n\n## Second', 'Second'],
    ['Under\n=====\n\n# Later', 'Under'],
    ['---\ntitle: "A \\"quoted\\" one"\n---\n# Heading', 'A "quoted" one'],
    ["\ufeff---\r\nTitle: 'It''s'\r\n---\r\n", "It's"],
    ['```\n# comment\n```\n# Real', 'Real'],
    ['---\n', undefined],
    ['text alone', undefined],
  ])('of %j is %j', (text, title) => {
    expect(linksIn(text).title).toBe(title);
  });
});

test('the front matter is no part of the body, unless it does not end', () => {
  expect(readMarkdown('---\ntitle: x\nauthor: y\nlist:\n  - z\n---\nbody')).toMatchObject({
    body: 'body',
    facts: new Map([
      ['title', 'x'],
      ['author', 'y'],
    ]),
  });
  expect(readMarkdown('---\ntitle: x\nbody').body).toBe('---\ntitle: x\nbody');
});

test('every text is read, and the body is a part of it', () => {
  const text = fc
    .array(fc.constantFrom('---\n', '# ', '[a](', '/b)', '`', '```\n', '\n', '<', '>', '=', ' ', 'x', '('))
    .map((all) => all.join(''));
  fc.assert(fc.property(text, (source) => source.endsWith(readMarkdown(source).body)));
});
