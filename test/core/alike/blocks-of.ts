import type { HashedBlocks } from '../../../shared/core/parser/hashed-blocks.ts';
import { createHtmlLinks } from '../../../shared/core/parser/html-links.ts';

/** The hashed blocks of an HTML page. */
export function blocksOf(html: string | Uint8Array): HashedBlocks {
  const parser = createHtmlLinks({
    url: 'http://a.test/',
    contentType: 'text/html; charset=utf-8',
    maxLinks: 0,
    wantsBlocks: true,
  });
  parser.write(typeof html === 'string' ? Buffer.from(html) : html);
  return parser.end().blocks!;
}
