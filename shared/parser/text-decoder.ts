import { type CharsetDecoder, createCharsetDecoder } from './charset-decoder.ts';

export interface TextDecoderOptions {
  /** So many of the first bytes say what the charset is. */
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
  let start: Uint8Array[] = [];
  let startLength = 0;
  let charset = '';
  let decoder: CharsetDecoder | undefined;

  const decodeStart = (): CharsetDecoder => {
    const bytes = start.length === 1 ? start[0]! : Buffer.concat(start);
    start = [];
    charset = sniff(bytes);
    decoder = createCharsetDecoder(charset);
    onText(decoder.decode(bytes));
    return decoder;
  };

  return {
    write(bytes) {
      if (decoder !== undefined) return onText(decoder.decode(bytes));
      startLength += bytes.length;
      const isEnough = startLength >= sniffedBytes;
      start.push(isEnough ? bytes : new Uint8Array(bytes));
      if (isEnough) decodeStart();
    },
    end() {
      onText((decoder ?? decodeStart()).end());
      return charset;
    },
  };
}
