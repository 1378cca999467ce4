import { expect, test } from 'vitest';
import { textContent } from '../../../shared/core/content/text-content.ts';

const URL = 'https://example.org/docs/a.md';
const AT = 'https://example.org/docs';
const markdown = (source: string, rewrite?: (url: string) => string) =>
  textContent(source, 'text/markdown', URL, rewrite).markdown;

test.each([
  ['[b](b.md)', `[b](${AT}/b.md)`],
  ['[b](b.md "Title") ![c](../c.png)', `[b](${AT}/b.md "Title") ![c](https://example.org/c.png)`],
  ['[b](<b c.md>) [d](d_(e).md)', `[b](<${AT}/b%20c.md>) [d](${AT}/d_(e).md)`],
  ['[b]: b.md "Title"\r\n\r\n[c]: <c.md>', `[b]: ${AT}/b.md "Title"\r\n\r\n[c]: <${AT}/c.md>`],
  ['<a href="b.md">b</a> <img src=\'c.png\'>', `<a href="${AT}/b.md">b</a> <img src='${AT}/c.png'>`],
  [
    '[b](/b) [c](//c.test/d) [e](https://e.test/f)',
    '[b](https://example.org/b) [c](https://c.test/d) [e](https://e.test/f)',
  ],
  ['[b](#c) [d](mailto:a@b.test) [e](javascript:f)', '[b](#c) [d](mailto:a@b.test) [e](javascript:f)'],
  [
    '`[b](b.md)` [c](c.md)\n\n```\n[d](d.md)\n```',
    `\`[b](b.md)\` [c](${AT}/c.md)\n\n\`\`\`\n[d](d.md)\n\`\`\``,
  ],
  ['[![b](b.png)](c.md)', `[![b](${AT}/b.png)](${AT}/c.md)`],
  ['---\ntitle: x\n---\n[b](b.md)', `[b](${AT}/b.md)`],
])('an export has the references of %j absolute', (source, expected) => {
  expect(markdown(source, (url) => url)).toBe(expected);
});

test.each(['# A\r\n\r\n[b](b.md)  \n\n* x\n\n<p align=center>ä 👩‍👩‍👧</p>\n\n\n', '\n[b]: <c d.md>\n'])(
  'without an export %j is as its author wrote it, byte by byte',
  (source) => {
    expect(markdown(source)).toBe(source);
    expect(markdown(`---\ntitle: x\n---\n${source}`)).toBe(source);
  },
);

test('an export may lead them to its own files', () => {
  expect(markdown('[b](b.md#c)', (url) => url.replace(`${AT}/`, './'))).toBe('[b](./b.md#c)');
});

test('Markdown is marked as what its author wrote, without what terminals obey', () => {
  const { format, text } = textContent('a\u001b[31m\u0000b\u009b <script>\tc\n', 'text/markdown', URL);
  expect([format, text]).toEqual(['source', 'a[31mb <script>\tc\n']);
});

test.each([
  [
    '# no heading\n<script>alert(1)</script>\n[x](javascript:y)',
    '```text\n# no heading\n<script>alert(1)</script>\n[x](javascript:y)\n```',
  ],
  ['a\r\n```\r\n\u001b]0;b\u0007', '````text\na\n```\n]0;b\n````'],
  ['---\na: b\n---\n', '```text\n---\na: b\n---\n```'],
  ['\n', ''],
])('plain text %j is between fences', (source, expected) => {
  const found = textContent(source, 'text/plain', URL);
  expect(found.markdown).toBe(expected);
  expect(found.format).toBeUndefined();
});
