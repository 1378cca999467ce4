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
  const lower = code?.toLowerCase();
  if (lower === undefined || NO_LANGUAGE.has(lower)) return undefined;
  // `Intl` takes 20 us.
  const language = SHORTEST.has(lower) ? lower : new Intl.Locale(lower).language;
  return SAME[language] ?? language;
}

/** Codes of ISO 639-1 that are the shortest ones of their languages, by the Unicode CLDR. */
export const SHORTEST: ReadonlySet<string> = new Set(
  (
    'aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu ' +
    'fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km ' +
    'kn kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nd ne ng no nr nv ny oc oj om or os pa pi ' +
    'pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tn to tr ts tt ty ug uk ' +
    'ur uz ve vi vo wa wo xh yi yo za zh zu'
  ).split(' '),
);
