import { expect, test } from 'vitest';
import { visibleText } from '../../shared/hooks/visible-text.ts';
import { withoutHang } from '../hang-guard.ts';

test.each(['<math>', '<div>', '<div></x>', '<b>'])('a page of a million open elements %s ends', (tag) => {
  expect(withoutHang(() => visibleText(`a${tag.repeat(1_000_000)}b`))).toMatch(/^a/);
});
