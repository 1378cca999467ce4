import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eldFolder } from '../../../shared/services/outputs/eld-folder.ts';
import { readLanguageData } from '../../../shared/services/outputs/eld-ngrams.ts';

const FILE = join(eldFolder(), 'ngrams/extrasmall.js');

test('what is read from the text of the module is what the module exports', () => {
  const { ngramsData } = createRequire(import.meta.url)(FILE);
  const { type, languages, ngrams } = readLanguageData(readFileSync(FILE, 'utf8'));
  expect({ type, languages }).toEqual({ type: ngramsData.type, languages: ngramsData.languages });
  const names = Object.keys(ngramsData.ngrams);
  expect(names.length).toBeGreaterThan(49_000);
  const different = names.filter(
    (name) => JSON.stringify(ngrams[name]) !== JSON.stringify(ngramsData.ngrams[name]),
  );
  expect(different).toEqual([]);
});

test('names that are no n-gram have nothing, though each object has them', () => {
  const { ngrams } = readLanguageData(readFileSync(FILE, 'utf8'));
  expect([ngrams.constructor, ngrams['']]).toEqual([undefined, undefined]);
});

test.each(['', "export const ngramsData = {type:'X',languages:{0:'am'},ngrams:{'abc", 'export default {}'])(
  'another module is refused: %j',
  (text) => {
    expect(() => readLanguageData(text)).toThrow(/Expected .*n-gram/);
  },
);
