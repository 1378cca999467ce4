/** The encodings by name, and text from bytes. Node's TextDecoder knows all of the Encoding standard but one. */

/** The Encoding standard's name for a label ("latin1" -> "windows-1252"), or undefined for a label it does not know. */
export function charsetOf(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  const name = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').toLowerCase();
  if (REPLACED.has(name)) return 'replacement';
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

/** Encodings that were used to attack, and decode to one U+FFFD (Encoding standard, section 4.3); Node knows none. */
const REPLACED = new Set([
  'replacement',
  'csiso2022kr',
  'hz-gb-2312',
  'iso-2022-cn',
  'iso-2022-cn-ext',
  'iso-2022-kr',
]);

/** Turns a document's bytes to text as they arrive. Malformed bytes become U+FFFD; a byte order mark is left out. */
export interface CharsetDecoder {
  decode(bytes: Uint8Array): string;
  /** The text of what was held back: a character that never became whole. */
  end(): string;
}

/** Decodes `charset`, a name that {@link charsetOf} gave. */
export function createCharsetDecoder(charset: string): CharsetDecoder {
  if (charset === 'replacement') return createReplacementDecoder();
  const decoder = new TextDecoder(charset);
  return {
    decode: (bytes) => decoder.decode(bytes, { stream: true }),
    end: () => decoder.decode(),
  };
}

function createReplacementDecoder(): CharsetDecoder {
  let isEmpty = true;
  return {
    decode(bytes) {
      if (!isEmpty || bytes.length === 0) return '';
      isEmpty = false;
      return '\ufffd';
    },
    end: () => '',
  };
}
