import { WORD } from '../url/search-words.ts';

/** Takes text in pieces. */
export interface TextSink {
  add(text: string, from: number, to: number): void;
  endRun(): void;
}

/** A longer word may be cut. */
const MAX_WORD = 256;

/**
 * Passes on a text without these words (in lower case). How the text is cut into pieces makes no difference.
 */
export function withoutWords(words: ReadonlySet<string>, sink: TextSink): TextSink {
  /** The beginning of a word, perhaps: its end is still to come. */
  let open = '';
  const pass = (text: string) => {
    const rest = text.replace(WORD, (word) => (words.has(word.toLowerCase()) ? '' : word));
    sink.add(rest, 0, rest.length);
  };
  return {
    add(text, from, to) {
      const piece = open + text.slice(from, to);
      let end = piece.length;
      while (end > 0 && piece.length - end < MAX_WORD && !isBreak(piece.charCodeAt(end - 1))) end--;
      open = piece.slice(end);
      if (end > 0) pass(piece.slice(0, end));
    },
    endRun() {
      if (open !== '') pass(open);
      open = '';
      sink.endRun();
    },
  };
}

/** White space and most ASCII punctuation: no part of a word. */
const isBreak = (code: number): boolean => code < 0x30;
