/** The detector beside eld itself. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { primaryLanguage } from '../../../shared/core/text/primary-language.ts';
import { createEldDetector } from '../../../shared/services/outputs/eld-detector.ts';
import { eldFolder } from '../../../shared/services/outputs/eld-folder.ts';
import { languageDataOf } from '../../../shared/services/outputs/eld-ngrams.ts';

const load = createRequire(import.meta.url);
const part = (name: string) => load(join(eldFolder(), name));
const { ngramsData } = part('ngrams/extrasmall.js');
const { eld } = part('entries/static.extrasmall.js');
const { detect, languages } = createEldDetector(
  languageDataOf(ngramsData, part('dictionary.js').dictionary),
  part('regexPatterns.js').separators,
  part('avgScore.js').avgScore,
);

function expected(text: string): string | undefined {
  const found = eld.detect(text);
  return found.isReliable() ? (primaryLanguage(found.language) ?? found.language) : undefined;
}

/** Words as eld knows them: runs of n-grams of one language after the other. */
const NAMES = Object.keys(ngramsData.ngrams).filter((name) => /^[ a-z]+$/.test(name));

test('the 60 languages of eld are known', () => {
  expect(languages.size).toBe(60);
});

test('it finds what eld finds in words of any language', () => {
  const letters = fc.constantFrom(
    ...'abcdefghijklmnoprstuvz',
    ...'äéßñşžøåαβγδежзиклअआकखกขคำあいうア中文字한국어אבגابت',
  );
  const word = fc.array(letters, { minLength: 1, maxLength: 12 }).map((all) => all.join(''));
  const known = fc.array(fc.constantFrom(...NAMES), { maxLength: 60 }).map((all) => all.join(''));
  const marks = fc.constantFrom(
    "don't",
    "l’eau d'été",
    '1984',
    '...',
    "'a' `b`",
    '\u{1f600}',
    '𠮷',
    'İstanbul',
    '\ud800',
  );
  const text = fc.array(fc.oneof(word, known, marks), { maxLength: 120 }).map((all) => all.join(' '));
  let sure = 0;
  fc.assert(
    fc.property(text, (given) => {
      const found = detect(given);
      if (found !== undefined) sure++;
      expect(found).toBe(expected(given));
    }),
    { numRuns: 1000 },
  );
  // Some 70 of 1,000 such texts are known, by chance 50 or fewer of them.
  expect(sure).toBeGreaterThan(20);
});

test.each([
  [
    'words after enough of them',
    `${'the quick brown fox '.repeat(20)}${'größere Straßen überall '.repeat(40)}`,
  ],
  ['a word of hundreds of bytes', `the words of this page are ${'x'.repeat(500)} and more of these words`],
  ['a character that the end of what is read would cut', `${'a'.repeat(60)} ${'本'.repeat(200)}`],
  ['no word', '1 2 3 ... !'],
  ['two n-grams', 'of a'],
])('eld agrees about %s', (_, text) => {
  expect(detect(text)).toBe(expected(text));
});
