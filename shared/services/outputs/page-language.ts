/** The language of a page, by the n-grams of eld (https://github.com/nitotm/efficient-language-detector-js). */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { eld } from 'eld/extrasmall';
import { type LanguageDetector, languageOf } from '../../core/content/language.ts';
import { primaryLanguage } from '../../core/text/primary-language.ts';
import { eldFolder } from './eld-folder.ts';
import { type LanguageData, readLanguageData } from './eld-ngrams.ts';

let detector: LanguageDetector | undefined;

/** Returns the language of a page with this main content; see {@link languageOf}. Takes 0.2 ms, and 40 ms the first time. */
export function pageLanguage(text: string, declared: string | undefined): string | undefined {
  detector ??= createDetector();
  return languageOf(text, declared, detector);
}

function createDetector(): LanguageDetector {
  const eld = loadEld();
  const codes = Object.values(eld.info().Languages).map((code) => primaryLanguage(code) ?? code);
  return {
    languages: new Set(codes),
    detect(text) {
      const found = eld.detect(text);
      return found.isReliable() ? found.language : undefined;
    },
  };
}

/** Only in functions, which esbuild has bundled (`cdk/bundle-function.ts`). */
declare const IS_BUNDLED: true | undefined;

type Detector = Pick<typeof eld, 'detect' | 'info'>;

/** Loads eld. Synchronous, so that programs that detect no language never load it. */
function loadEld(): Detector {
  if (typeof IS_BUNDLED !== 'undefined') return require('eld/extrasmall').eld;
  const folder = eldFolder();
  const { createEld } = createRequire(import.meta.url)(join(folder, 'languageDetector.js')) as {
    createEld(): { readonly instance: Detector; readonly loadData: (data: LanguageData) => void };
  };
  const { instance, loadData } = createEld();
  loadData(readLanguageData(readFileSync(join(folder, 'ngrams/extrasmall.js'), 'utf8')));
  return instance;
}
