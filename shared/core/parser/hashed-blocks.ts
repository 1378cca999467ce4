/**
 * A document's text as hashes of its words, in blocks: paragraphs, headings, list items, cells. For comparisons that
 * need not keep the texts: whether a page has changed, which blocks repeat on other pages, which pages are alike.
 */
import { mixHash } from '../base/mix-hash.ts';

export interface HashedBlocks {
  /** 32 bits of each block's text, in document order. */
  readonly blocks: Int32Array;
  /** 32 bits of each word that counts. */
  readonly words: Int32Array;
  /** The index in `words` after each block's last word. */
  readonly ends: Uint32Array;
}

/** Further words count for their blocks, and are not listed. */
export const MAX_WORDS = 20_000;
/** The rest of a document with more blocks is one block. */
export const MAX_BLOCKS = 8_000;

/**
 * Words that show a time count as numbers do: a clock, a date and "3 minutes ago" change while the page stays the
 * same. English, as most machines write it.
 */
const TIME_WORDS =
  'am pm utc gmt ago jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august ' +
  'september october november december mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday ' +
  'saturday sunday today yesterday second seconds sec secs minute minutes min mins hour hours hr hrs day days week weeks ' +
  'month months year years st nd rd th';

/**
 * Upper and lower case are one, and punctuation does not count. A word with a digit, and a word of time, are masked,
 * and several of them are one. So numbers, dates, times, versions and tokens do not count. An address counts for
 * nothing: a `/` and all ASCII up to white space. A block without a word that counts is left out. Characters of
 * scripts without spaces are a word each.
 */
export class BlockHasher {
  #words = new Int32Array(512);
  #count = 0;
  readonly #blocks: number[] = [];
  readonly #ends: number[] = [];
  #block = FNV_OFFSET;
  #hasWord = false;
  #last = 0;
  /** The open word; {@link FNV_OFFSET}: none. */
  #word = FNV_OFFSET;
  #hasDigit = false;
  #isAddress = false;
  readonly #areNamesWhole: boolean;

  /** `areNamesWhole`: a word that begins with a letter counts with its digits (`u32`), instead of as a number. */
  constructor(areNamesWhole = false) {
    this.#areNamesWhole = areNamesWhole;
  }

  /** Adds `text.slice(from, to)`. The result does not depend on how a text is cut into pieces. */
  add(text: string, from: number, to: number): void {
    this.#read(text, from, to, NO_MARK);
  }

  /**
   * Adds the text from `from` up to the next `<`, which ends the run of text, or to the end of `text`. Returns that
   * index: one look at each character finds the tag and makes the hashes.
   */
  addUpToTag(text: string, from: number): number {
    const end = this.#read(text, from, text.length, LESS);
    if (end < text.length) this.endRun();
    return end;
  }

  /** Returns the index of the first `mark`, or `to`. */
  #read(text: string, from: number, to: number, mark: number): number {
    // In locals, which stay in registers.
    let word = this.#word;
    let hasDigit = this.#hasDigit;
    let at = this.#isAddress ? this.#endOfAddress(text, from, to, mark) : from;
    while (at < to) {
      let code = text.charCodeAt(at++);
      let letter = (code | 0x20) - A;
      // Most characters: a letter of ASCII.
      while (letter >>> 0 < 26) {
        word = Math.imul(word ^ letter, FNV_PRIME);
        if (at === to) {
          code = -1;
          break;
        }
        code = text.charCodeAt(at++);
        letter = (code | 0x20) - A;
      }
      if (code === -1) break;
      if (code === mark) {
        at--;
        break;
      }
      const kind = code < 128 ? (KINDS[code] as number) : kindBeyond(code);
      if (kind === LETTER) {
        word = Math.imul(word ^ code, FNV_PRIME);
        continue;
      }
      if (kind === DIGIT) {
        if (this.#areNamesWhole && word !== FNV_OFFSET) word = Math.imul(word ^ code, FNV_PRIME);
        else hasDigit = true;
        continue;
      }
      if (hasDigit || word !== FNV_OFFSET) {
        this.#push(hasDigit || isTimeWord(word) ? MASK : word);
        word = FNV_OFFSET;
        hasDigit = false;
      }
      if (kind === SINGLE) this.#push(Math.imul(FNV_OFFSET ^ code, FNV_PRIME));
      else if (code === SLASH) at = this.#endOfAddress(text, at, to, mark);
    }
    this.#word = word;
    this.#hasDigit = hasDigit;
    return at;
  }

  /** A tag ends the run of text, and an address in it. */
  endRun(): void {
    this.#isAddress = false;
  }

  /** The next text is in another block. */
  endBlock(): void {
    // Half of all tags follow another one.
    if (this.#last === 0 && this.#block === FNV_OFFSET && this.#word === FNV_OFFSET && !this.#hasDigit) {
      this.#isAddress = false;
      return;
    }
    this.#endWord();
    this.#isAddress = false;
    this.#last = 0;
    if (this.#hasWord) {
      if (this.#blocks.length < MAX_BLOCKS) this.#closeBlock();
    } else if (this.#block !== FNV_OFFSET) {
      // Masked words alone: left out.
      this.#count = this.#ends.at(-1) ?? 0;
      this.#block = FNV_OFFSET;
    }
  }

  /** Call it once, at the end. */
  blocks(): HashedBlocks {
    this.endBlock();
    if (this.#hasWord) this.#closeBlock();
    return {
      blocks: new Int32Array(this.#blocks),
      words: this.#words.subarray(0, this.#count),
      ends: new Uint32Array(this.#ends),
    };
  }

  #closeBlock(): void {
    this.#blocks.push(mixHash(this.#block) | 0);
    this.#ends.push(this.#count);
    this.#hasWord = false;
    this.#block = FNV_OFFSET;
  }

  #endWord(): void {
    if (this.#hasDigit || this.#word !== FNV_OFFSET)
      this.#push(this.#hasDigit || isTimeWord(this.#word) ? MASK : this.#word);
    this.#word = FNV_OFFSET;
    this.#hasDigit = false;
  }

  #push(hash: number): void {
    if (hash !== MASK) this.#hasWord = true;
    else if (this.#last === MASK) return;
    this.#last = hash;
    const block = Math.imul(this.#block ^ hash, FNV_PRIME);
    this.#block = block ^ (block >>> 15);
    if (this.#count === MAX_WORDS) return;
    if (this.#count === this.#words.length) this.#words = grown(this.#words);
    this.#words[this.#count++] = hash;
  }

  /** Returns the index after the address that goes on at `at`. */
  #endOfAddress(text: string, at: number, to: number, mark: number): number {
    let end = at;
    for (; end < to; end++) {
      const code = text.charCodeAt(end);
      if (!isOfAddress(code) || code === mark) break;
    }
    this.#isAddress = end === to;
    return end;
  }
}

function grown(words: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(words.length * 2);
  larger.set(words);
  return larger;
}

const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
/** The hash of a word that is masked. */
export const MASK = 1;

const SPACE = 0;
const LETTER = 1;
const DIGIT = 2;
const MARK = 3;
const SINGLE = 4;
const SLASH = 0x2f;
const LESS = 0x3c;
const NO_MARK = -2;
const A = 0x61;

/** By character of ASCII. Hyphens join words, as in tokens and dates. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code <= 0x20 || code === 0x7f) return SPACE;
  const character = String.fromCharCode(code);
  if (/[0-9]/.test(character)) return DIGIT;
  return /[a-z_-]/i.test(character) ? LETTER : MARK;
});

const NO_BREAK_SPACE = 0xa0;
/** General punctuation: its first characters are spaces. */
const PUNCTUATION = 0x2000;
const PUNCTUATION_END = 0x2070;
/** Scripts that write without spaces, and characters of two code units. */
const CJK = 0x2e80;

/** ASCII other than white space. */
const isOfAddress = (code: number): boolean => code > 0x20 && code < 128;

function kindBeyond(code: number): number {
  if (code >= CJK) return SINGLE;
  if (code === NO_BREAK_SPACE || (code >= PUNCTUATION && code < 0x2010)) return SPACE;
  return code >= PUNCTUATION && code < PUNCTUATION_END ? MARK : LETTER;
}

/** A tenth is in use, so that most words are known not to be among them by one look. */
const TIME_PLACES = 1024;
/** By low bits of their hashes, in the next free slot. */
const TIME_HASHES = new Int32Array(TIME_PLACES);
for (const name of TIME_WORDS.split(' ')) {
  let hash = FNV_OFFSET;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ (name.charCodeAt(at) - A), FNV_PRIME);
  let place = hash & (TIME_PLACES - 1);
  while (TIME_HASHES[place] !== 0) place = (place + 1) & (TIME_PLACES - 1);
  TIME_HASHES[place] = hash;
}

function isTimeWord(hash: number): boolean {
  for (let place = hash & (TIME_PLACES - 1); ; place = (place + 1) & (TIME_PLACES - 1)) {
    const found = TIME_HASHES[place];
    if (found === hash) return true;
    if (found === 0) return false;
  }
}
