import { type CharsetDecoder, createCharsetDecoder } from './charset-decoder.ts';
import { createFirstBytes } from './first-bytes.ts';

/** How the charset of a document is found while it arrives. */
export interface CharsetSniffing {
  /** How many of the first bytes decide the charset. */
  readonly sniffedBytes: number;
  /** How many do, if those have not. */
  readonly moreBytes?: number;
  /**
   * Returns the charset by the first bytes: as many of them at least, or all of a shorter document. Undefined only if more bytes
   * would decide, and the document may have more.
   */
  sniff(start: Uint8Array, isWhole: boolean): string | undefined;
}

export interface TextDecoderOptions extends CharsetSniffing {
  onText(text: string): void;
}

export interface DocumentText {
  /** The bytes may change afterwards. */
  write(bytes: Uint8Array): void;
  /** Passes on the remaining text; returns the charset. */
  end(): string;
}

/** Turns a document's bytes to text as they arrive, once its charset is known. */
export function createTextDecoder({
  sniffedBytes,
  moreBytes,
  sniff,
  onText,
}: TextDecoderOptions): DocumentText {
  let start = createFirstBytes(sniffedBytes);
  let charset = '';
  let decoder: CharsetDecoder | undefined;

  const decodeStart = (bytes: Uint8Array, found: string): CharsetDecoder => {
    charset = found;
    decoder = createCharsetDecoder(charset);
    onText(decoder.decode(bytes));
    return decoder;
  };

  return {
    write(bytes) {
      if (decoder !== undefined) return onText(decoder.decode(bytes));
      const first = start.add(bytes);
      if (first === undefined) return;
      const found = sniff(first, false);
      if (found !== undefined) return void decodeStart(first, found);
      start = createFirstBytes(moreBytes ?? first.length);
      start.add(first);
    },
    end() {
      const all = start.all();
      onText((decoder ?? decodeStart(all, sniff(all, true) as string)).end());
      return charset;
    },
  };
}
