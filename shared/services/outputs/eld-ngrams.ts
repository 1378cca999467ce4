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

/** Linear probing; a third of the places are in use. */
export class NgramTable {
  readonly #bytes = new Int32Array(PLACES);
  /** 1 more than the blanks; 0: the place is free. */
  readonly #kinds = new Uint8Array(PLACES);
  readonly #keys = new Int32Array(PLACES);
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
    this.#bytes[place] = bytes;
    this.#kinds[place] = blanks + 1;
    this.#keys[place] = key;
  }

  /** `bytes`: the last one in the lowest bits. `blanks`: bits of {@link BEGINS} and {@link ENDS}. */
  scoresOf(bytes: number, blanks: number): Scores | undefined {
    const place = this.#placeOf(bytes, blanks);
    if (this.#kinds[place] === 0) return undefined;
    this.#scores[place] ??= this.#read(this.#keys[place]!);
    return this.#scores[place];
  }

  #placeOf(bytes: number, blanks: number): number {
    const kind = blanks + 1;
    let place = hashOfNgram(bytes, blanks) & (PLACES - 1);
    while (this.#kinds[place] !== 0 && (this.#bytes[place] !== bytes || this.#kinds[place] !== kind))
      place = (place + 1) & (PLACES - 1);
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
