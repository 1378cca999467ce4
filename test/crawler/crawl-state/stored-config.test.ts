/** The settings in a crawl's record: those of a later version make the crawl wait, wrong ones are an error. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { NewerFormat } from '../../../shared/core/frontier/bytes.ts';
import { parseStoredConfig } from '../../../shared/crawler/crawl-state/stored-config.ts';

test('settings of this version are read as they are', () => {
  const stored = { maxPages: 7, scope: 'any' };
  expect(parseStoredConfig(stored)).toEqual(parseConfig(stored));
  expect(parseStoredConfig(stored)).toMatchObject(stored);
});

test.each([
  ['a setting', { addedLater: 1 }],
  ['a value', { scope: 'addedLater' }],
  ['a setting, beside one that is wrong', { maxPages: 'many', addedLater: 1 }],
  ['a value, beside one that is wrong', { maxPages: 'many', scope: 'addedLater' }],
])('%s that this version does not know is a newer one', (_, stored) => {
  const read = () => parseStoredConfig(stored);
  expect(read).toThrow(NewerFormat);
  expect(read).toThrow(/a crawl's settings that this program does not know: .*(?:addedLater|scope)/s);
  try {
    read();
  } catch (error) {
    expect((error as Error).cause).toBeInstanceOf(Error);
  }
});

test('a wrong value of a known setting is no newer version, and other errors stay what they are', () => {
  for (const stored of [{ maxPages: 'many' }, { maxPages: -1 }]) {
    expect(() => parseStoredConfig(stored)).toThrow(/maxPages/);
    expect(() => parseStoredConfig(stored)).not.toThrow(NewerFormat);
  }
});
