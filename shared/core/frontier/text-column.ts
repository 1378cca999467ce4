import { flatJoined } from '../base/flat-text.ts';
import { type ByteReader, type ByteWriter, CorruptBytes } from './bytes.ts';

/**
 * A column of texts, front-coded: each text is stored without the prefix that it shares with the text before. Sorted
 * URLs of one host shrink to about 10 bytes each, once compressed. Lengths stand apart from the characters, since each
 * column then compresses by its own statistics.
 */
export function writeTexts(out: ByteWriter, texts: readonly string[]): void {
  let previous = '';
  const shared: number[] = [];
  for (const text of texts) {
    const most = Math.min(previous.length, text.length);
    let n = 0;
    while (n < most && previous.charCodeAt(n) === text.charCodeAt(n)) n++;
    shared.push(n);
    previous = text;
  }
  for (const n of shared) out.varint(n);
  for (let i = 0; i < texts.length; i++) out.varint((texts[i] as string).length - (shared[i] as number));
  for (let i = 0; i < texts.length; i++) out.latin1(texts[i] as string, shared[i] as number);
}

/** Throws {@link CorruptBytes} where the texts, all together, are longer than `maxLength` characters. */
export function readTexts(input: ByteReader, count: number, maxLength = Number.POSITIVE_INFINITY): string[] {
  const shared: number[] = [];
  const rest: number[] = [];
  for (let i = 0; i < count; i++) shared.push(input.varint());
  for (let i = 0; i < count; i++) rest.push(input.varint());
  const texts: string[] = [];
  let previous = '';
  let length = 0;
  for (let i = 0; i < count; i++) {
    previous = flatJoined(previous.slice(0, shared[i]), input.latin1(rest[i] as number));
    length += previous.length;
    if (length > maxLength) throw new CorruptBytes(`texts of at most ${maxLength} characters expected`);
    texts.push(previous);
  }
  return texts;
}

/**
 * A text of a table that others refer to by its number; -1 refers to none. Throws {@link CorruptBytes} beyond
 * its end.
 */
export function textAt(table: readonly string[], i: number): string | undefined {
  if (i === -1) return undefined;
  const text = table[i];
  if (text === undefined) throw new CorruptBytes(`a text at ${i} expected, the table has ${table.length}`);
  return text;
}
