import { sniffCharset, sniffXmlCharset } from './charset.ts';
import { decodeAll } from './charset-decoder.ts';
import { xhtmlAsHtml } from './xhtml-as-html.ts';

export interface DocumentText {
  readonly text: string;
  /** Encoding standard's name, lower case. */
  readonly charset: string;
}

/**
 * Decodes a whole document of HTML or plain text, as the parser does that reads it piece by piece. XHTML comes in the syntax
 * of HTML.
 */
export function documentText(
  bytes: Uint8Array,
  contentType: string | undefined,
  isXhtml: boolean,
): DocumentText {
  const charset = isXhtml ? sniffXmlCharset(bytes, contentType) : sniffCharset(bytes, contentType);
  const text = decodeAll(bytes, charset);
  return { text: isXhtml ? xhtmlAsHtml(text) : text, charset };
}
