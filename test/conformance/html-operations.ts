/** The links of a document, what it says about itself, and which encoding it is in. */
import { extractContent } from '../../shared/core/content/extract.ts';
import { sniffCharset } from '../../shared/core/parser/charset.ts';
import { createCharsetDecoder } from '../../shared/core/parser/charset-decoder.ts';
import { createHtmlLinks } from '../../shared/core/parser/html-links.ts';
import type { LinkKind } from '../../shared/core/parser/link-set.ts';
import { bytesOf, type Operation, optionalTextOf, textOf } from './question.ts';

const MAX_LINKS = 10_000;
const LINKS: readonly LinkKind[] = ['a', 'area'];
const ALL: readonly LinkKind[] = [...LINKS, 'frame', 'media'];

export const HTML_OPERATIONS: Readonly<Record<string, Operation>> = {
  links(question) {
    const parser = createHtmlLinks({
      url: textOf(question, 'url'),
      contentType: optionalTextOf(question, 'content_type'),
      maxLinks: MAX_LINKS,
    });
    parser.write(bytesOf(question, 'html'));
    const { links, title, refresh, robots } = parser.end();
    const urlsOf = (kinds: readonly LinkKind[]) =>
      links.filter(({ kind }) => kinds.includes(kind)).map(({ url }) => url);
    return {
      links: urlsOf(LINKS),
      all: urlsOf(ALL),
      title: title ?? null,
      refresh: refresh ?? null,
      nofollow: links.filter(({ nofollow }) => nofollow).map(({ url }) => url),
      page_nofollow: robots.nofollow,
    };
  },

  content(question) {
    const body = bytesOf(question, 'html');
    const decoder = createCharsetDecoder(sniffCharset(body, optionalTextOf(question, 'content_type')));
    const { text, markdown, metadata } = extractContent(
      decoder.decode(body) + decoder.end(),
      textOf(question, 'url'),
    );
    return { text, markdown, title: metadata.title ?? null };
  },

  encoding: (question) => ({
    encoding: sniffCharset(bytesOf(question, 'html'), optionalTextOf(question, 'content_type')),
  }),
};
