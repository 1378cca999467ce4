import { describe, expect, test } from 'vitest';
import { type LanguageDetector, languageOf } from '../../../shared/core/content/language.ts';

/** Finds the language that the text names: `[de]`. */
const detector: LanguageDetector = {
  languages: new Set(['de', 'en', 'es', 'no', 'he']),
  detect: (text) => /\[(\w+)\]/.exec(text)?.[1],
};
const long = (mark: string) => `${mark} ${'word '.repeat(30)}`;

describe('the language of a text', () => {
  test('is the one that is detected, whatever the page declares', () => {
    expect(languageOf(long('[de]'), 'en', detector)).toBe('de');
    expect(languageOf(long('[de]'), undefined, detector)).toBe('de');
  });

  test('is the declared one if the text is too short, or in no certain language', () => {
    expect(languageOf('[de] Impressum', 'en-US', detector)).toBe('en');
    expect(languageOf(long(''), 'de-AT', detector)).toBe('de');
    expect(languageOf(long(''), undefined, detector)).toBeUndefined();
  });

  test('is found further down if the page begins with code', () => {
    const page = `${'{}; '.repeat(1000)}${'[de] ein '.repeat(1000)}`;
    expect(languageOf(page, 'en', detector)).toBe('de');
  });

  test('few characters are enough where each is a syllable', () => {
    const text = `${'日本語の文章です'.repeat(3)}[de]`;
    expect(text.length).toBeLessThan(30);
    expect(languageOf(text, undefined, detector)).toBe('de');
  });

  test('is the declared one if the detector does not know that language, unless the text is English', () => {
    expect(languageOf(long('[es]'), 'gl', detector)).toBe('gl');
    expect(languageOf(long('[en]'), 'gl', detector)).toBe('en');
    expect(languageOf(long('[es]'), 'de', detector)).toBe('es');
  });

  test('looks at a few samples of a long text', () => {
    const samples: string[] = [];
    const detect = (text: string): undefined => void samples.push(text);
    languageOf('word '.repeat(1_000_000), 'en', { ...detector, detect });
    expect(samples.map(({ length }) => length)).toEqual([600, 600, 600]);
  });
});
