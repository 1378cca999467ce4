import { PLACED_APART } from './html-tree.ts';
import { RAW_TEXT_END } from './raw-text.ts';
import { isNameAt } from './tag-names.ts';

/** An element whose tags matter to a scanner. */
interface KnownElement {
  /** In lower case. */
  readonly name: string;
  /** It is reported. */
  readonly isWanted: boolean;
  /** It is among {@link PLACED_APART}. */
  readonly isApart: boolean;
  readonly isRawText: boolean;
}

/**
 * The elements that a scanner reports. Made once for all documents: most tags are passed over by a look at its table, and no
 * text is made of any name.
 */
export class WantedElements {
  readonly #table: (readonly KnownElement[] | undefined)[] = new Array(26 * NAME_LENGTHS).fill(undefined);

  constructor(elements: Iterable<string>) {
    const wanted = new Set(elements);
    for (const name of new Set([...wanted, ...PLACED_APART, ...RAW_TEXT_END.keys()])) {
      const place = placeOf(name.charCodeAt(0), name.length);
      const isRawText = RAW_TEXT_END.has(name);
      const known = { name, isWanted: wanted.has(name), isApart: PLACED_APART.has(name), isRawText };
      this.#table[place] = [...(this.#table[place] ?? []), known];
    }
  }

  /** The element with the name `text[from..end)`, in any case. Undefined if its tags do not matter where nothing is tracked. */
  find(text: string, from: number, end: number): KnownElement | undefined {
    if (end - from >= NAME_LENGTHS) return undefined;
    const found = this.#table[placeOf(text.charCodeAt(from), end - from)];
    if (found === undefined) return undefined;
    for (const known of found) if (isNameAt(known.name, text, from)) return known;
    return undefined;
  }
}

/** No element that matters has a longer name. */
const NAME_LENGTHS = 32;

const placeOf = (letter: number, length: number): number => ((letter | 0x20) - 0x61) * NAME_LENGTHS + length;
