import { describe, expect, test } from 'vitest';
import { InvalidConfig } from '../../../shared/core/crawl/config.ts';
import { createHostPins } from '../../../shared/crawler/fetcher/host-pins.ts';

describe('a pin', () => {
  test.each([
    ['*.test', 'a.test', true],
    ['*.test', 'a.b.test', true],
    ['*.test', 'A.Test.', true],
    ['*.test', 'test', false],
    ['*.test', 'a.test.example', false],
    ['*.test', 'atest', false],
    ['a.test', 'a.test', true],
    ['a.test', 'b.a.test', false],
    ['a.test', 'axtest', false],
    ['www*.a.test', 'www12.a.test', true],
    ['*', 'anything.example', true],
    ['**.test', 'a.test', true],
  ])('of %s for %s: %s', (pattern, hostname, isPinned) => {
    expect(createHostPins([[pattern, '127.0.0.1']])(hostname)).toBe(isPinned ? '127.0.0.1' : undefined);
  });

  test('that matches first decides', () => {
    const pin = createHostPins([
      ['b.test', '127.0.0.2'],
      ['*.test', '[::1]'],
    ]);
    expect([pin('b.test'), pin('c.test'), pin('b.example')]).toEqual(['127.0.0.2', '::1', undefined]);
  });

  test('to what is no address is refused, by name', () => {
    expect(() => createHostPins([['*.test', 'localhost']])).toThrow(InvalidConfig);
    expect(() => createHostPins([['*.test', 'localhost']])).toThrow('"localhost"');
  });
});
