/**
 * Removes characters that nobody sees and that part a word for those who search it, or that terminals obey: U+0000, which the HTML
 * standard drops in `body` (section 13.2.6.4.7), and other controls; soft hyphens, word joiners, byte order marks. A zero width
 * space stays in scripts that write words without spaces: it parts them there.
 */
export const withoutUnseen = (text: string): string =>
  (text.length > SHORT && isPlain(text)) || !UNSEEN.test(text) ? text : text.replace(UNSEEN_ALL, '');

/** Whether a longer text is ASCII without controls, as most are, is found in a third of the time. */
const SHORT = 200;
const isPlain = (text: string): boolean =>
  !CONTROLS.test(text) && !MORE_CONTROLS.test(text) && Buffer.byteLength(text) === text.length;

// V8 looks at many characters at once for a set of at most sixteen of ASCII.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\0-\x08\x0e\x0f\x7f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const MORE_CONTROLS = /[\x10-\x1f]/;

// White space does not count as a control here.
const UNSEEN = /[\p{Cc}\u00ad\u200b\u2060\ufeff](?<![\t\n\v\f\r])/u;
// Behind Thai, Lao, Tibetan, Myanmar, Khmer and Tai scripts, the zero width space stays.
const UNSEEN_ALL =
  /[\p{Cc}\u00ad\u2060\ufeff](?<![\t\n\v\f\r])|(?<![\u0e00-\u109f\u1780-\u17ff\u1950-\u1aaf])\u200b/gu;
