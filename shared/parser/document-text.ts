import { sniffCharset } from './charset.ts';
import { createCharsetDecoder } from './charset-decoder.ts';

export interface DocumentText {
  readonly text: string;
  /** Encoding standard's name, lower case. */
  readonly charset: string;
}

/** Decodes a whole document of HTML or plain text, as the parser does that reads it piece by piece. */
export function documentText(bytes: Uint8Array, contentType: string | undefined): DocumentText {
  const charset = sniffCharset(bytes, contentType);
  return { text: decodeAll(bytes, charset), charset };
}

export function decodeAll(bytes: Uint8Array, charset: string): string {
  const decoder = createCharsetDecoder(charset);
  return decoder.decode(bytes) + decoder.end();
}
