/**
 * Removes characters that nobody sees and programs do: zero width characters, embeddings and isolates of direction, tags,
 * variation selectors, fillers, controls. For readers that are programs, since whole sentences can be written in them. Stays:
 * a joiner between letters of scripts that need one, and what emoji are made of. Line and paragraph separators become line feeds.
 */
export function withoutInvisible(text: string): string {
  const lines = text.replace(SEPARATORS, '\n');
  return lines.replace(RUNS, (run: string, at: number) =>
    isNeeded(run, lines.charCodeAt(at - 1), lines.charCodeAt(at + run.length))
      ? run
      : run.replace(NO_SPACE, ''),
  );
}

const SEPARATORS = /\r\n?|[\u2028\u2029\v\f\u0085]/g;
const RUNS = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]+/gu;
const NO_SPACE = /[^\t\n]+/g;

const JOINER = /^[\u200c\u200d]$/;
const SELECTOR = /^[\ufe0e\ufe0f]$/;
const SELECTED_AND_JOINED = '\ufe0f\u200d';
/** Letters below this one are Latin, and need no joiner. */
const LATIN_END = 0x2ff;
const KEYCAP = 0x20e3;

/** `before` and `after`: the units beside the run; NaN at an end of the text. */
function isNeeded(run: string, before: number, after: number): boolean {
  if (JOINER.test(run) || run === SELECTED_AND_JOINED) return before > LATIN_END && after > LATIN_END;
  return SELECTOR.test(run) && (before > LATIN_END || after === KEYCAP);
}
