/** The language of a page, by the n-grams of eld (https://github.com/nitotm/efficient-language-detector-js). */
import { createRequire } from 'node:module';
import type { eld } from 'eld/extrasmall';
import { type LanguageDetector, languageOf } from '../../core/content/language.ts';
import { primaryLanguage } from '../../core/text/primary-language.ts';
import { eldFile } from './eld-file.ts';

let detector: LanguageDetector | undefined;

/** Returns the language of a page with this main content; see {@link languageOf}. Takes 0.2 ms, and 0.1 s the first time. */
export function pageLanguage(text: string, declared: string | undefined): string | undefined {
  detector ??= createDetector();
  return languageOf(text, declared, detector);
}

function createDetector(): LanguageDetector {
  const { eld } = loadEld();
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

/** Loads eld, whose data take 40 MB of memory. Synchronous, so that programs that detect no language never load it. */
function loadEld(): { readonly eld: typeof eld } {
  if (typeof IS_BUNDLED !== 'undefined') return require('eld/extrasmall');
  return createRequire(import.meta.url)(eldFile());
}
