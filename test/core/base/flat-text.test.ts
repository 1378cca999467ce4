import { expect, test } from 'vitest';
import { flatCopy, flatJoined } from '../../../shared/core/base/flat-text.ts';

const page = `<a href="http://example.org/a/long/path/${'x'.repeat(100)}">ü€</a>`;

test.each(['', 'a', '12345678', '123456789', page, page.slice(9, 60)])('a copy of %j is equal', (text) => {
  expect(flatCopy(text)).toBe(text);
});

test('joined texts are the text of both', () => {
  for (const first of ['', 'a', page])
    for (const rest of ['', 'b', page]) expect(flatJoined(first, rest)).toBe(first + rest);
});
