import { type CharsetDecoder, createCharsetDecoder } from './charset-decoder.ts';
import { createFirstBytes } from './first-bytes.ts';

export interface TextDecoderOptions {
  /** How many of the first bytes decide the charset. */
  readonly sniffedBytes: number;
  /** The charset, by the first bytes: `sniffedBytes` of them at least, or all of a shorter document. */
  sniff(start: Uint8Array): string;
  onText(text: string): void;
}

export interface DocumentText {
  /** The bytes may change afterwards. */
  write(bytes: Uint8Array): void;
  /** Passes on what is left; gives the charset. */
  end(): string;
}

/** Turns a document's bytes to text as they arrive, once its charset is known. */
export function createTextDecoder({ sniffedBytes, sniff, onText }: TextDecoderOptions): DocumentText {
  const start = createFirstBytes(sniffedBytes);
  let charset = '';
  let decoder: CharsetDecoder | undefined;

  const decodeStart = (bytes: Uint8Array): CharsetDecoder => {
    charset = sniff(bytes);
    decoder = createCharsetDecoder(charset);
    onText(decoder.decode(bytes));
    return decoder;
  };

  return {
    write(bytes) {
      if (decoder !== undefined) return onText(decoder.decode(bytes));
      const first = start.add(bytes);
      if (first !== undefined) decodeStart(first);
    },
    end() {
      onText((decoder ?? decodeStart(start.all())).end());
      return charset;
    },
  };
}
