/**
 * Attributes of a tag by lower-case name; of a repeated one, the first. Character references are not yet
 * decoded.
 */
export interface RawAttributes {
  get(name: string): string | undefined;
  has(name: string): boolean;
  /** Names that begin so. */
  namesWith(start: string): readonly string[];
}

/**
 * Attributes of one tag after the other: cleared, the list makes no garbage, where a Map for each tag was a
 * tenth of a page's. Who wants to keep an attribute keeps its value.
 */
export class AttributeList implements RawAttributes {
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  #size = 0;
  /** The tag ends in `/>`. The slash of an unquoted value, as in `<a href=/x/>`, does not count. */
  isSelfClosing = false;

  get size(): number {
    return this.#size;
  }
  clear(): void {
    this.#size = 0;
    this.isSelfClosing = false;
  }
  get(name: string): string | undefined {
    const at = this.#indexOf(name);
    return at < 0 ? undefined : this.#values[at];
  }
  has(name: string): boolean {
    return this.#indexOf(name) >= 0;
  }
  namesWith(start: string): readonly string[] {
    return this.#names.slice(0, this.#size).filter((name) => name.startsWith(start));
  }
  set(name: string, value: string): void {
    this.#names[this.#size] = name;
    this.#values[this.#size++] = value;
  }
  each(use: (name: string, value: string) => void): void {
    for (let i = 0; i < this.#size; i++) use(this.#names[i] as string, this.#values[i] as string);
  }
  /** Tags have a few attributes, and at most {@link MAX_ATTRIBUTES}. */
  #indexOf(name: string): number {
    for (let i = 0; i < this.#size; i++) if (this.#names[i] === name) return i;
    return -1;
  }
}

/**
 * Further attributes are dropped. No real element has this many; a tag made of names only would take a
 * hundred times its size.
 */
const MAX_ATTRIBUTES = 256;

/**
 * Reads the attributes of a tag from just behind its name (HTML standard, sections 13.2.5.32 to 13.2.5.40).
 * Returns the index behind the tag's `>`, or -1 if the text ends before. Without `into` it only finds that
 * end: a `>` inside a quoted value is not one.
 */
export function readAttributes(text: string, from: number, into?: AttributeList): number {
  let at = from;
  for (;;) {
    const gap = at;
    let code = text.charCodeAt(at);
    while (isSpace(code) || code === SLASH) code = text.charCodeAt(++at);
    if (code === GREATER) {
      if (into !== undefined && at > gap) into.isSelfClosing = text.charCodeAt(at - 1) === SLASH;
      return at + 1;
    }
    if (at >= text.length) return -1;

    // A `=` in front is part of the name, so the name's first character is taken unseen.
    const nameStart = at;
    do code = text.charCodeAt(++at);
    while (!isSpace(code) && code !== SLASH && code !== GREATER && code !== EQUALS && at < text.length);
    const nameEnd = at;

    while (isSpace(code)) code = text.charCodeAt(++at);
    let valueStart = at;
    let valueEnd = at;
    if (code === EQUALS) {
      do code = text.charCodeAt(++at);
      while (isSpace(code));
      valueStart = at;
      if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
        valueStart++;
        valueEnd = text.indexOf(code === DOUBLE_QUOTE ? '"' : "'", valueStart);
        if (valueEnd === -1) return -1;
        at = valueEnd + 1;
      } else {
        while (!isSpace(code) && code !== GREATER && at < text.length) code = text.charCodeAt(++at);
        valueEnd = at;
      }
    }
    if (into === undefined) continue;
    const name = text.slice(nameStart, nameEnd).toLowerCase();
    if (into.size < MAX_ATTRIBUTES && !into.has(name)) into.set(name, text.slice(valueStart, valueEnd));
  }
}

/** As in `ascii-space.ts`, which costs a look-up at each call: about 3 % of the time of a page. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;
}

const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;
