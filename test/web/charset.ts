/** Text to bytes in the encodings that `TextEncoder` lacks: the inverse of what `TextDecoder` reads. */

/** Throws for a character that the encoding does not have. */
export function encode(text: string, charset = 'utf-8'): Buffer {
  if (charset === 'utf-8') return Buffer.from(text, 'utf8');
  const table = tableOf(charset);
  const bytes: number[] = [];
  for (const character of text) {
    const code = table.get(character);
    if (code === undefined) throw new RangeError(`${charset} has no "${character}"`);
    if (code > 0xff) bytes.push(code >> 8);
    bytes.push(code & 0xff);
  }
  return Buffer.from(bytes);
}

const tables = new Map<string, Map<string, number>>();

/** Character to its one or two bytes. */
function tableOf(charset: string): Map<string, number> {
  let table = tables.get(charset);
  if (table !== undefined) return table;
  table = new Map();
  const decoder = new TextDecoder(charset);
  const isDoubleByte = charset === 'shift_jis';
  const add = (code: number, bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== '\ufffd' && !table!.has(text)) table!.set(text, code);
  };
  for (let byte = 0; byte < 256; byte++) add(byte, [byte]);
  if (isDoubleByte)
    for (let lead = 0x81; lead < 0xfd; lead++)
      for (let trail = 0x40; trail < 0xfd; trail++) add((lead << 8) | trail, [lead, trail]);
  tables.set(charset, table);
  return table;
}
