import { extractContent } from '../../../shared/core/content/extract.ts';
import { sniffCharset } from '../../../shared/core/parser/charset.ts';
import { createCharsetDecoder } from '../../../shared/core/parser/charset-decoder.ts';
import { answerLines } from './answer-lines.mjs';

await answerLines((bytes, url) => {
  const decoder = createCharsetDecoder(sniffCharset(bytes, undefined));
  const found = extractContent(decoder.decode(bytes) + decoder.end(), url);
  // Made too, as others make a document of the page.
  return found.markdown === undefined ? '' : found.text;
});
