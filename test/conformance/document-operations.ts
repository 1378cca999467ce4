/** The links of any document by its type: HTML, CSS, XML, feeds, sitemaps. */
import { createDocumentParser } from '../../shared/core/parser/document.ts';
import { bytesOf, type Operation, optionalTextOf, textOf } from './question.ts';

const MAX_LINKS = 10_000;
const MAX_DECODED_BYTES = 10_000_000;

export const DOCUMENT_OPERATIONS: Readonly<Record<string, Operation>> = {
  /** `links`: each as its kind and its URL, `img http://a.test/x`, in the order of the document. */
  async document(question) {
    const type = optionalTextOf(question, 'content_type');
    const parser = createDocumentParser({
      url: textOf(question, 'url'),
      headers: type === undefined ? [] : [['Content-Type', type]],
      maxDecodedBytes: MAX_DECODED_BYTES,
      maxLinks: MAX_LINKS,
      wantsRequisites: question.requisites === true,
      wantsFeeds: question.feeds === true,
      ...(question.kind === 'sitemap' && { kind: 'sitemap' }),
    });
    parser.write(bytesOf(question, 'body'));
    const { links } = await parser.end();
    return { links: links.map(({ kind, url }) => `${kind} ${url}`) };
  },
};
