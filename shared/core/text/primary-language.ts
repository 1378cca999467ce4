/** A tag as in `lang` attributes: a language of two or three letters, and subtags. */
const TAG = /^\s*([a-z]{2,3})(?:[-_]|\s*$)/i;
/** Tags that name no language (ISO 639-2): undetermined, several, no linguistic content, not coded. */
const NO_LANGUAGE = new Set(['und', 'mul', 'zxx', 'mis']);
/** Written standards of Norwegian, which detectors take for one language. */
const SAME: Readonly<Record<string, string>> = { nb: 'no', nn: 'no' };

/**
 * The language of a tag by BCP 47, as its shortest code: `en` of `en-US` and `eng`, `he` of `iw`. Undefined for a tag that
 * names no language.
 */
export function primaryLanguage(tag: string): string | undefined {
  const [, code] = TAG.exec(tag.slice(0, 100)) ?? [];
  if (code === undefined || NO_LANGUAGE.has(code.toLowerCase())) return undefined;
  const { language } = new Intl.Locale(code);
  return SAME[language] ?? language;
}
