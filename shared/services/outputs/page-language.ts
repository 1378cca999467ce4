/** The language of a page, by the n-grams of eld (https://github.com/nitotm/efficient-language-detector-js). */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type LanguageDetector, languageOf } from '../../core/content/language.ts';
import { createEldDetector } from './eld-detector.ts';
import { eldFolder } from './eld-folder.ts';
import { type EldData, languageDataOf, readLanguageData } from './eld-ngrams.ts';

let detector: LanguageDetector | undefined;

/** Returns the language of a page with this main content; see {@link languageOf}. Takes 0.03 ms, and 40 ms the first time. */
export function pageLanguage(text: string, declared: string | undefined): string | undefined {
  detector ??= createDetector();
  return languageOf(text, declared, detector);
}

/** Only in functions, which esbuild has bundled (`cdk/bundle-function.ts`). */
declare const IS_BUNDLED: true | undefined;

/** Loads eld. Synchronous, so that programs that detect no language never load it. */
function createDetector(): LanguageDetector {
  if (typeof IS_BUNDLED !== 'undefined') {
    const { dictionary }: Dictionary = require('eld/dictionary');
    const { ngramsData }: { ngramsData: EldData } = require('eld/ngrams');
    const data = languageDataOf(ngramsData, dictionary);
    return createEldDetector(data, require('eld/patterns').separators, require('eld/scores').avgScore);
  }
  const folder = eldFolder();
  const load = createRequire(import.meta.url);
  const { dictionary }: Dictionary = load(join(folder, 'dictionary.js'));
  const data = readLanguageData(readFileSync(join(folder, 'ngrams/extrasmall.js'), 'utf8'), dictionary);
  const { separators } = load(join(folder, 'regexPatterns.js'));
  return createEldDetector(data, separators, load(join(folder, 'avgScore.js')).avgScore);
}

interface Dictionary {
  readonly dictionary: readonly string[];
}
