/**
 * Removes characters that nobody sees and that part a word for those who search it, or that terminals obey: U+0000, which the HTML
 * standard drops in `body` (section 13.2.6.4.7), and other controls; soft hyphens, word joiners, byte order marks. A zero width
 * space stays in scripts that write words without spaces: it parts them there.
 */
export const withoutUnseen = (text: string): string =>
  UNSEEN.test(text) ? text.replace(UNSEEN_ALL, '') : text;

// White space does not count as a control here.
const UNSEEN = /[\p{Cc}\u00ad\u200b\u2060\ufeff](?<![\t\n\v\f\r])/u;
// Behind Thai, Lao, Tibetan, Myanmar, Khmer and Tai scripts, the zero width space stays.
const UNSEEN_ALL =
  /[\p{Cc}\u00ad\u2060\ufeff](?<![\t\n\v\f\r])|(?<![\u0e00-\u109f\u1780-\u17ff\u1950-\u1aaf])\u200b/gu;
