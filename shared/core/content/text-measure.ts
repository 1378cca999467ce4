import { lazy } from '../base/lazy.ts';
import { withoutUnseen } from '../text/unseen-characters.ts';

/** Counts in a text, in one pass. */
export interface TextCounts {
  /** Runs of letters and digits. */
  readonly words: number;
  /** Marks that end a sentence, before white space or the end. */
  readonly sentences: number;
  readonly commas: number;
  readonly digits: number;
  readonly capitals: number;
}

const WORD = 1;
const DIGIT = 2;
const CAPITAL = 4;
const COMMA = 8;
const STOP = 16;
const LETTER = 32;
/** Small letters. */
const SMALL = WORD | LETTER;
const WHITE = 64;
const UNSEEN = 128;
/** With {@link LETTER}: its lower case is another one than that of Latin-1 (`| 0x20`). */
const UNLIKE = 64;

const UNITS = 0x10000;

/** The kind of each UTF-16 code unit; halves of pairs are words. Made when first needed. */
const kindsOfUnits = lazy((): Uint8Array => {
  const made = new Uint8Array(UNITS);
  // All units but halves of pairs, each at its own index.
  const units = new Uint16Array(UNITS);
  for (let unit = 0; unit < UNITS; unit++) units[unit] = unit;
  units.fill(BLANK, 0xd800, 0xe000);
  const all = Buffer.from(units.buffer).toString('utf16le');
  const mark = (runs: RegExp, kind: number): void => {
    for (const { index, 0: run } of all.matchAll(runs))
      for (let unit = index; unit < index + run.length; unit++) made[unit]! |= kind;
  };
  mark(/[\p{L}\p{N}]+/gu, LETTER | WORD);
  mark(/_/g, WORD);
  mark(/\p{N}+/gu, DIGIT);
  mark(/\p{Lu}+/gu, CAPITAL);
  mark(/[\p{Lu}\p{Lt}\p{Nl}]/gu, UNLIKE);
  for (let unit = 0; unit <= 0xff; unit++) made[unit]! &= ~UNLIKE;
  mark(/[,;،、]/g, COMMA);
  mark(/[.!?。！？؟]/g, STOP);
  for (const { index } of all.matchAll(/\s/g)) made[index] = WHITE;
  for (const { index, 0: text } of all.matchAll(/[\p{Cc}\p{Cf}]/gu)) if (isUnseen(text)) made[index] = UNSEEN;
  return made.fill(WORD, 0xd800, 0xe000);
});

const isUnseen = (text: string): boolean => withoutUnseen(text) === '';

/** Longer texts have room of their own, which is not kept. */
const MAX_ROOM = 1 << 18;
const room = new Uint16Array(MAX_ROOM + 1);
const roomBytes = Buffer.from(room.buffer);

/**
 * The UTF-16 code units of a text, and zero, valid until the next call: a text that was cut out of a page is read from there in half the
 * time.
 */
function unitsOf(text: string): Uint16Array {
  if (text.length <= MAX_ROOM) {
    roomBytes.write(text, 'utf16le');
    room[text.length] = 0;
    return room;
  }
  const own = new Uint16Array(text.length + 1);
  Buffer.from(own.buffer).write(text, 'utf16le');
  return own;
}

/** The hashes (FNV-1a over UTF-16 code units, in lower case) of runs of letters and digits. */
export class WordHashes {
  hashes = new Int32Array(INITIAL_WORDS);
  count = 0;

  /** Adds those of a text. */
  read(text: string): void {
    const kinds = kindsOfUnits();
    const lower = text.toLowerCase();
    const { length } = lower;
    const units = unitsOf(lower);
    let hash = NO_WORD;
    for (let i = 0; i < length; i++) {
      const unit = units[i]!;
      if (kinds[unit]! & LETTER) {
        hash = Math.imul(hash ^ unit, FNV);
        continue;
      }
      if (unit >= 0xd800 && unit < 0xe000) {
        const point = lower.codePointAt(i)!;
        if (point > 0xffff && /[\p{L}\p{N}]/u.test(String.fromCodePoint(point))) {
          hash = Math.imul(hash ^ unit, FNV);
          hash = Math.imul(hash ^ units[++i]!, FNV);
          continue;
        }
        if (point > 0xffff) i++;
      }
      if (hash !== NO_WORD) this.add(hash);
      hash = NO_WORD;
    }
    if (hash !== NO_WORD) this.add(hash);
  }

  add(hash: number): void {
    if (this.count === this.hashes.length) {
      const more = new Int32Array(2 * this.count);
      more.set(this.hashes);
      this.hashes = more;
    }
    this.hashes[this.count++] = hash;
  }
}

const INITIAL_WORDS = 512;
const FNV = 0x01000193;
const NO_WORD = 0x811c9dc5 | 0;

/** A text as readers see it, and its counts. */
export interface SeenText {
  /** White space folded, without what nobody sees (`withoutUnseen`). */
  readonly text: string;
  readonly counts: TextCounts;
}

/** Adds the hashes of the text's words to `words`, if they are given: in the same pass they cost hardly anything. */
export function readText(given: string, hashed?: WordHashes): SeenText {
  const written = given.trim();
  const kinds = kindsOfUnits();
  const units = unitsOf(written);
  let words = 0;
  let sentences = 0;
  let commas = 0;
  let digits = 0;
  let capitals = 0;
  let before = WHITE;
  let isOther = false;
  const firstHash = hashed?.count ?? 0;
  let hash = NO_WORD;
  /** Whether a character's lower case is not known here. */
  let isForeign = false;
  for (let i = 0; i < written.length; i++) {
    const unit = units[i]!;
    let kind = kinds[unit]!;
    if (kind & LETTER) {
      if (!(before & WORD)) words++;
      if (kind & DIGIT) digits++;
      if (kind & CAPITAL) {
        capitals++;
        hash = Math.imul(hash ^ (unit | 0x20), FNV);
      } else hash = Math.imul(hash ^ unit, FNV);
      if (kind & UNLIKE) isForeign = true;
      // The rest of most words. Zero ends the text.
      for (let next = units[i + 1]!; kinds[next] === SMALL; next = units[i + 1]!) {
        hash = Math.imul(hash ^ next, FNV);
        kind = SMALL;
        i++;
      }
      before = kind;
      continue;
    }
    if (kind === UNSEEN) {
      isOther = true;
      if (!isKept(written, i)) continue;
      kind = 0;
    }
    if (hash !== NO_WORD) {
      hashed?.add(hash);
      hash = NO_WORD;
    }
    if (kind & WORD) {
      if (!(before & WORD)) words++;
      isForeign ||= unit !== UNDERSCORE;
    } else if (kind === WHITE) {
      isOther ||= unit !== BLANK || before === WHITE;
      if (before & STOP) sentences++;
    } else if (kind & COMMA) commas++;
    before = kind;
  }
  if (before & STOP) sentences++;
  const text = isOther ? seenText(written, units) : written;
  if (hashed !== undefined) {
    if (isForeign) {
      hashed.count = firstHash;
      hashed.read(text);
    } else if (hash !== NO_WORD) hashed.add(hash);
  }
  return { text, counts: { words, sentences, commas, digits, capitals } };
}

const BLANK = 0x20;
const UNDERSCORE = 0x5f;
const ZERO_WIDTH_SPACE = 0x200b;

const narrowRoom = Buffer.alloc(1024);

/** Folds white space and drops what nobody sees. `units`: of the text; they are changed. */
function seenText(written: string, units: Uint16Array): string {
  const kinds = kindsOfUnits();
  let length = 0;
  let all = 0;
  let isBehindBlank = true;
  for (let i = 0; i < written.length; i++) {
    const unit = units[i]!;
    const kind = kinds[unit]!;
    if (kind === UNSEEN && !isKept(written, i)) continue;
    const isBlank = kind === WHITE;
    if (!isBlank) {
      all |= unit;
      units[length++] = unit;
    } else if (!isBehindBlank) units[length++] = BLANK;
    isBehindBlank = isBlank;
  }
  if (isBehindBlank && length > 0) length--;
  if (length === 0) return '';
  if (all > 0xff) return Buffer.from(units.buffer, units.byteOffset, 2 * length).toString('utf16le');
  const narrow = length <= narrowRoom.length ? narrowRoom : Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i++) narrow[i] = units[i]!;
  return narrow.toString('latin1', 0, length);
}

/** Some scripts need zero width spaces. */
const isKept = (text: string, at: number): boolean =>
  text.charCodeAt(at) === ZERO_WIDTH_SPACE &&
  at > 0 &&
  withoutUnseen(text.slice(at - 1, at + 1)).length === 2;

/** Counts the words of a text: {@link TextCounts}. */
export function wordsIn(text: string): number {
  const kinds = kindsOfUnits();
  const units = unitsOf(text);
  let words = 0;
  let before = 0;
  for (let i = 0; i < text.length; i++) {
    const isWord = kinds[units[i]!]! & WORD;
    if (isWord > before) words++;
    before = isWord;
  }
  return words;
}
