/** The language that a text is written in. */
import { primaryLanguage } from '../text/primary-language.ts';

export interface LanguageDetector {
  /** The languages that it can find, as by {@link primaryLanguage}. */
  readonly languages: ReadonlySet<string>;
  /** Returns the language of a text as such a code; undefined if it is not sure. */
  detect(text: string): string | undefined;
}

/** Bytes of UTF-8. A shorter text may be a name or a formula, and is in no language. */
const MIN_BYTES = 60;
/** Characters that are looked at, and the most places to look: the beginning of a page may be code or a table. */
const SAMPLE_CHARS = 600;
const PLACES = [0, 0.5, 0.8];

/**
 * Returns the language of a page's main `text` as the detector finds it. If the text is too short or too mixed: the one that
 * the page declares (`lang`), undefined if it declares none. So it is for a declared language that the detector does not
 * know, since it would take it for a related one (Galician for Spanish), unless the text is English. A code of ISO 639-1
 * or 639-3, without region or script.
 */
export function languageOf(
  text: string,
  declared: string | undefined,
  detector: LanguageDetector,
): string | undefined {
  const stated = declared === undefined ? undefined : primaryLanguage(declared);
  for (const sample of samplesOf(text)) {
    const found = detector.detect(sample);
    if (found === undefined) continue;
    return found === 'en' || stated === undefined || detector.languages.has(stated) ? found : stated;
  }
  return stated;
}

function* samplesOf(text: string): Generator<string> {
  let end = 0;
  for (const place of PLACES) {
    const from = Math.floor(text.length * place);
    if (from < end) continue;
    end = from + SAMPLE_CHARS;
    const sample = text.slice(from, end);
    if (Buffer.byteLength(sample) >= MIN_BYTES) yield sample;
  }
}
