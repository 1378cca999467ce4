import { isNameAt } from './tag-names.ts';

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
 * Attributes of one tag after the other, as places in the text: a text is made only of a value that is asked for. Who
 * wants to keep an attribute keeps its value.
 */
export class AttributeList implements RawAttributes {
  #text = '';
  /** For each attribute where its name begins and ends, then its value. */
  readonly #places: number[] = [];
  /** Places that are in use. */
  #end = 0;
  /** The tag ends in `/>`. The slash of an unquoted value, as in `<a href=/x/>`, does not count. */
  isSelfClosing = false;

  clear(): void {
    this.#end = 0;
    this.isSelfClosing = false;
  }
  get(name: string): string | undefined {
    const at = this.#placeOf(name);
    return at < 0 ? undefined : this.#valueAt(at);
  }
  has(name: string): boolean {
    return this.#placeOf(name) >= 0;
  }
  namesWith(start: string): readonly string[] {
    const names: string[] = [];
    this.each((name) => {
      if (name.startsWith(start)) names.push(name);
    });
    return names;
  }
  /** The text that places are of. */
  setText(text: string): void {
    this.#text = text;
  }
  /** Further attributes of a tag that has {@link MAX_ATTRIBUTES} are dropped. */
  add(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    if (this.#end >= MAX_ATTRIBUTES * PLACES) return;
    this.#places[this.#end] = nameStart;
    this.#places[this.#end + 1] = nameEnd;
    this.#places[this.#end + 2] = valueStart;
    this.#places[this.#end + 3] = valueEnd;
    this.#end += PLACES;
  }
  each(use: (name: string, value: string) => void): void {
    for (let at = 0; at < this.#end; at += PLACES) {
      const name = this.#text.slice(this.#places[at], this.#places[at + 1]).toLowerCase();
      const first = this.#placeOf(name);
      // A letter may become two in lower case: such a name is not found.
      if (first === at || first < 0) use(name, this.#valueAt(at));
    }
  }
  #valueAt(at: number): string {
    return this.#text.slice(this.#places[at + 2], this.#places[at + 3]);
  }
  /** Returns the place of the first attribute of that name, or -1. */
  #placeOf(name: string): number {
    for (let at = 0; at < this.#end; at += PLACES) {
      const from = this.#places[at] as number;
      if ((this.#places[at + 1] as number) - from === name.length && isNameAt(name, this.#text, from))
        return at;
    }
    return -1;
  }
}

/** Numbers of an attribute in its list. */
const PLACES = 4;

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
  into?.setText(text);
  let at = from;
  for (;;) {
    const gap = at;
    let code = codeAt(text, at);
    while (isSpace(code) || code === SLASH) code = codeAt(text, ++at);
    if (code === GREATER) {
      if (into !== undefined && at > gap) into.isSelfClosing = text.charCodeAt(at - 1) === SLASH;
      return at + 1;
    }
    if (at >= text.length) return -1;

    // A `=` in front is part of the name, so the name's first character is taken unseen.
    const nameStart = at;
    do code = codeAt(text, ++at);
    while (!isSpace(code) && code !== SLASH && code !== GREATER && code !== EQUALS && at < text.length);
    const nameEnd = at;

    while (isSpace(code)) code = codeAt(text, ++at);
    let valueStart = at;
    let valueEnd = at;
    if (code === EQUALS) {
      do code = codeAt(text, ++at);
      while (isSpace(code));
      valueStart = at;
      if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
        valueStart++;
        valueEnd = text.indexOf(code === DOUBLE_QUOTE ? '"' : "'", valueStart);
        if (valueEnd === -1) return -1;
        at = valueEnd + 1;
      } else {
        while (!isSpace(code) && code !== GREATER && at < text.length) code = codeAt(text, ++at);
        valueEnd = at;
      }
    }
    into?.add(nameStart, nameEnd, valueStart, valueEnd);
  }
}

/** -1 behind the text's end: V8 gives up the optimized code of a `charCodeAt` that was once asked for that. */
function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : -1;
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
