/**
 * Finds the language of a text as eld does, by the same n-grams and scores, in a tenth of the time: eld looks n-grams and
 * languages up by their names, as properties of objects.
 */
import type { LanguageDetector } from '../../core/content/language.ts';
import { primaryLanguage } from '../../core/text/primary-language.ts';
import { BEGINS, ENDS, hashOfNgram, type LanguageData } from './eld-ngrams.ts';

/** Characters of a text, bytes of its words and of one word that eld looks at. */
const MAX_CHARS = 1000;
const ENOUGH_BYTES = 350;
const MAX_BYTES = 380;
const MAX_WORD_BYTES = 70;
const NGRAM_BYTES = 4;
/** Bytes from one n-gram of a word to the next one. */
const STRIDE = 3;
/** Scores are stored without it. */
const LEAST_SCORE = 53;
/** A mean score becomes a share of 1 by it. */
const SCALE = 25;
const MIN_NGRAMS = 3;
/** The share of a language's usual score that a text in that language has at least. */
const MIN_SCORE = 0.75;

/** `separators`: matches what stands between words. `usual`: the score of a text in each language, by its code. */
export function createEldDetector(
  { languages, ngrams }: LanguageData,
  separators: RegExp,
  usual: Readonly<Record<string, number>>,
): LanguageDetector {
  const codes = languages.map((code) => primaryLanguage(code) ?? code);
  const totals = new Float64Array(languages.length);
  const seen = new SeenNgrams();
  return { languages: new Set(codes), detect };

  function detect(text: string): string | undefined {
    const words = text.slice(0, MAX_CHARS).replace(separators, ' ').trim().toLowerCase();
    totals.fill(0);
    seen.clear();
    addWords(Buffer.from(words));
    if (seen.count < MIN_NGRAMS) return undefined;
    let best = 0;
    for (let language = 1; language < totals.length; language++)
      if (totals[language]! > totals[best]!) best = language;
    const mean = totals[best]! / seen.count;
    const isReliable = mean > 0 && mean / (mean + SCALE) >= MIN_SCORE * usual[languages[best]!]!;
    return isReliable ? codes[best] : undefined;
  }

  /** Words up to the one with which they are enough; the last one may be cut behind a character. */
  function addWords(bytes: Buffer): void {
    let from = 0;
    let at = 0;
    for (; at < bytes.length && (at <= MAX_BYTES || isWithinCharacter(bytes[at]!)); at++) {
      if (bytes[at] !== BLANK) continue;
      addWord(bytes, from, at);
      from = at + 1;
      if (at > ENOUGH_BYTES) return;
    }
    addWord(bytes, from, at);
  }

  function addWord(bytes: Buffer, from: number, to: number): void {
    if (from === to) return;
    const end = Math.min(to, from + MAX_WORD_BYTES);
    let at = from;
    for (; at + NGRAM_BYTES < end; at += STRIDE)
      add(bytesIn(bytes, at, at + NGRAM_BYTES), at === from ? BEGINS : 0);
    // eld takes all the rest of a longer word for the last one, and knows none of that length.
    if (end < to) seen.count++;
    // The last four bytes; all that a shorter word has.
    else add(bytesIn(bytes, Math.max(from, end - NGRAM_BYTES), end), ENDS | (at === from ? BEGINS : 0));
  }

  function add(bytes: number, blanks: number): void {
    if (!seen.add(bytes, blanks)) return;
    const scores = ngrams.scoresOf(bytes, blanks);
    if (scores === undefined) return;
    for (let i = 0; i < scores.length; i += 2) totals[scores[i]!]! += scores[i + 1]! + LEAST_SCORE;
  }
}

const BLANK = 0x20;

const isWithinCharacter = (byte: number): boolean => (byte & 0xc0) === 0x80;

function bytesIn(bytes: Buffer, from: number, to: number): number {
  let all = 0;
  for (let at = from; at < to; at++) all = (all << 8) | bytes[at]!;
  return all;
}

/** The n-grams of a text: at most one for two bytes. */
class SeenNgrams {
  count = 0;
  readonly #bytes = new Int32Array(PLACES);
  /** 1 more than the blanks; 0: the place is free. */
  readonly #kinds = new Uint8Array(PLACES);

  clear(): void {
    this.#kinds.fill(0);
    this.count = 0;
  }

  /** Returns whether it is new. */
  add(bytes: number, blanks: number): boolean {
    const kind = blanks + 1;
    let place = hashOfNgram(bytes, blanks) & (PLACES - 1);
    for (; this.#kinds[place] !== 0; place = (place + 1) & (PLACES - 1))
      if (this.#bytes[place] === bytes && this.#kinds[place] === kind) return false;
    this.#bytes[place] = bytes;
    this.#kinds[place] = kind;
    this.count++;
    return true;
  }
}

const PLACES = 1024;
