import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eldFolder } from '../../../shared/services/outputs/eld-folder.ts';
import {
  BEGINS,
  ENDS,
  languageDataOf,
  NgramTable,
  readLanguageData,
} from '../../../shared/services/outputs/eld-ngrams.ts';

const FILE = join(eldFolder(), 'ngrams/extrasmall.js');
const load = createRequire(import.meta.url);
const { dictionary } = load(join(eldFolder(), 'dictionary.js'));
const { ngramsData } = load(FILE);

/** The bytes of the name of an n-gram, and the blanks around it. */
function keyOf(name: string): [number, number] {
  const blanks = (name.startsWith(' ') ? BEGINS : 0) | (name.endsWith(' ') ? ENDS : 0);
  const bytes = [...name.replaceAll(' ', '')].reduce(
    (all, one) => (all << 8) | dictionary.lastIndexOf(one),
    0,
  );
  return [bytes, blanks];
}

test.each([
  ['the text of the module', () => readLanguageData(readFileSync(FILE, 'utf8'), dictionary)],
  ['what the module exports', () => languageDataOf(ngramsData, dictionary)],
])('all n-grams and their scores are read from %s', (_, read) => {
  const { languages, ngrams } = read();
  expect(languages).toEqual(Object.values(ngramsData.languages));
  const all: [string, Record<string, number>][] = Object.entries(ngramsData.ngrams);
  expect(all.length).toBeGreaterThan(49_000);
  const different = all.filter(
    ([name, scores]) =>
      ngrams.scoresOf(...keyOf(name))?.join() !== Object.entries(scores).flat().map(Number).join(),
  );
  expect(different).toEqual([]);
});

test('an n-gram at the beginning, at the end and within a word are three', () => {
  const table = new NgramTable(dictionary, (key) => Uint16Array.of(key, 1));
  table.add(' ab', 1);
  table.add('ab ', 2);
  table.add('ab', 3);
  const bytes = 0x6162;
  expect([BEGINS, ENDS, 0, BEGINS | ENDS].map((blanks) => table.scoresOf(bytes, blanks)?.[0])).toEqual([
    1,
    2,
    3,
    undefined,
  ]);
});

test.each(['', "export const ngramsData = {type:'X',languages:{0:'am'},ngrams:{'abc", 'export default {}'])(
  'another module is refused: %j',
  (text) => {
    expect(() => readLanguageData(text, dictionary)).toThrow(/Expected .*n-gram/);
  },
);
