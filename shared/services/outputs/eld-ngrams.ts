/**
 * The n-grams of eld in a table by the bytes that they are made of. As 50,000 objects they take 0.1 s of CPU and 40 MB of
 * memory, and a page has a hundred: their scores are read when they are asked for.
 */

/** The number of a language and its score, of one language after the other. */
export type Scores = Uint16Array;

/** The data as the module of eld exports them. */
export interface EldData {
  /** Codes of languages by their numbers. */
  readonly languages: Readonly<Record<string, string>>;
  /** By n-gram, then by the number of a language: its score. */
  readonly ngrams: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface LanguageData {
  /** Codes of languages by their numbers. */
  readonly languages: readonly string[];
  readonly ngrams: NgramTable;
}

/** A blank stands before the bytes of an n-gram, or behind them: its word begins or ends there. */
export const BEGINS = 1;
export const ENDS = 2;

const PLACES = 1 << 17;
/** More than the kinds of blanks. */
const KINDS = 8;

/** Linear probing; a third of the places are in use. */
export class NgramTable {
  /**
   * Two numbers for each place, beside each other, as each look is one into memory: the bytes, and eight times the key with 1
   * more than the blanks. 0: the place is free.
   */
  readonly #places = new Int32Array(2 * PLACES);
  readonly #scores = new Array<Scores | undefined>(PLACES);
  readonly #byteOf: ReadonlyMap<string, number>;
  readonly #read: (key: number) => Scores;

  /** `dictionary`: the character that stands for each byte of UTF-8 in the names. `read`: returns the scores of a key. */
  constructor(dictionary: readonly string[], read: (key: number) => Scores) {
    this.#byteOf = new Map(dictionary.map((name, byte) => [name, byte]));
    this.#read = read;
  }

  /** `name`: at most four bytes, and blanks around them. */
  add(name: string, key: number): void {
    const blanks = (name.startsWith(' ') ? BEGINS : 0) | (name.endsWith(' ') ? ENDS : 0);
    let bytes = 0;
    for (let i = 0; i < name.length; i++)
      if (name[i] !== ' ') bytes = (bytes << 8) | this.#byteOf.get(name[i]!)!;
    const place = this.#placeOf(bytes, blanks);
    this.#places[place] = bytes;
    this.#places[place + 1] = KINDS * key + blanks + 1;
  }

  /** `bytes`: the last one in the lowest bits. `blanks`: bits of {@link BEGINS} and {@link ENDS}. */
  scoresOf(bytes: number, blanks: number): Scores | undefined {
    const place = this.#placeOf(bytes, blanks);
    const entry = this.#places[place + 1]!;
    if (entry === 0) return undefined;
    this.#scores[place >> 1] ??= this.#read(Math.floor(entry / KINDS));
    return this.#scores[place >> 1];
  }

  #placeOf(bytes: number, blanks: number): number {
    const places = this.#places;
    const kind = blanks + 1;
    let place = 2 * (hashOfNgram(bytes, blanks) & (PLACES - 1));
    for (let entry = places[place + 1]!; entry !== 0; entry = places[place + 1]!) {
      if (places[place] === bytes && entry % KINDS === kind) break;
      place = (place + 2) & (2 * PLACES - 1);
    }
    return place;
  }
}

export function hashOfNgram(bytes: number, blanks: number): number {
  const mixed = Math.imul(bytes ^ (blanks << 29), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** `data`: what functions are bundled with. */
export function languageDataOf(data: EldData, dictionary: readonly string[]): LanguageData {
  const names = Object.keys(data.ngrams);
  const table = new NgramTable(dictionary, (key) =>
    Uint16Array.from(Object.entries(data.ngrams[names[key]!]!).flat(), Number),
  );
  for (const [key, name] of names.entries()) table.add(name, key);
  return { languages: Object.values(data.languages), ngrams: table };
}

/** `text`: a module whose last value is `{type:'...',languages:{0:'am',...},...,ngrams:{'abc':{0:176,...},...}}`. */
export function readLanguageData(text: string, dictionary: readonly string[]): LanguageData {
  // linear: the text is a file of a package
  const [, languages = ''] = /\{type:'\w+',languages:\{([^}]*)\}/.exec(text) ?? [];
  const start = text.indexOf('ngrams:{');
  if (languages === '' || start === -1) throw new Error('Expected the n-grams of eld');
  const table = new NgramTable(dictionary, (key) => scoresAt(text, key));
  addNgrams(table, text, start + 'ngrams:{'.length);
  // linear: the text is a file of a package
  return { languages: Array.from(languages.matchAll(/'([\w-]+)'/g), ([, code]) => code!), ngrams: table };
}

/** Adds each n-gram with the place where its scores begin. */
function addNgrams(table: NgramTable, text: string, start: number): void {
  for (let at = start, close = 0; ; at = close + 2) {
    const quote = text[at];
    const isQuoted = quote === "'" || quote === '"';
    const from = isQuoted ? at + 1 : at;
    const end = text.indexOf(isQuoted ? `${quote}:{` : ':{', from);
    const open = end + (isQuoted ? 3 : 2);
    close = end === -1 ? -1 : text.indexOf('}', open);
    if (close === -1) throw new Error(`Expected an n-gram of eld at ${at}`);
    const name = text.slice(from, end);
    table.add(name.includes('\\') ? name.replaceAll(/\\(.)/g, '$1') : name, open);
    if (text[close + 1] !== ',') return;
  }
}

const scoresAt = (text: string, place: number): Scores =>
  Uint16Array.from(text.slice(place, text.indexOf('}', place)).split(/[,:]/), Number);
