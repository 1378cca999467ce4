/** The type of an XML document by its root element, where its media type does not say it. */
import { AttributeList, readAttributes } from './tag-attributes.ts';

const XHTML = 'http://www.w3.org/1999/xhtml';
export const XHTML_TYPE = 'application/xhtml+xml';
/** RSS 1.0 (MIME Sniffing standard, section 8.3). */
const RDF_OF_RSS = ['http://purl.org/rss/1.0/', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'];

const LIST_ROOTS = ['<rss', '<feed', '<urlset', '<sitemapindex', '<rdf:RDF'].map((root) => Buffer.from(root));

/** Types of XML of which nothing else is known. */
export const isXmlType = (type: string | undefined): boolean =>
  type !== undefined && /^(?:application|text)\/xml$|\+xml$/.test(type);

/**
 * The type of a document that was declared as HTML, as a text or as an unknown file, and is a feed or a sitemap by its root
 * element ("sniffing a mislabeled feed", and the same for sitemaps). Undefined if it is none.
 */
export function listTypeOf(start: Uint8Array): string | undefined {
  // Nearly all are pages: to look for the names is a tenth of the work of reading the start as text.
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.length);
  if (!LIST_ROOTS.some((root) => bytes.includes(root))) return undefined;
  const { name, rest } = rootOf(start) ?? {};
  if (name === 'rss') return 'application/rss+xml';
  if (name === 'feed') return 'application/atom+xml';
  if (name === 'urlset' || name === 'sitemapindex') return 'application/xml';
  const isRss = name === 'rdf:RDF' && RDF_OF_RSS.every((namespace) => rest?.includes(namespace));
  return isRss ? 'application/rss+xml' : undefined;
}

/** Whether the root element of an XML document is `html` of XHTML, which browsers show as a page whatever its XML type is. */
export function isXhtml(start: Uint8Array): boolean {
  const { name, rest = '' } = rootOf(start) ?? {};
  const attributes = new AttributeList();
  return name === 'html' && readAttributes(rest, 0, attributes) > 0 && attributes.get('xmlns') === XHTML;
}

/** The first tag behind white space, comments, declarations and processing instructions. */
function rootOf(start: Uint8Array): { readonly name: string; readonly rest: string } | undefined {
  const text = Buffer.from(start.buffer, start.byteOffset, start.length).toString('latin1');
  let at = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  for (;;) {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
    const end = ENDS.find(([begin]) => text.startsWith(begin, at))?.[1];
    if (end === undefined) break;
    const behind = text.indexOf(end, at);
    if (behind < 0) return undefined;
    at = behind + end.length;
  }
  NAME.lastIndex = at;
  const name = NAME.exec(text)?.[1];
  return name === undefined ? undefined : { name, rest: text.slice(NAME.lastIndex) };
}

const SPACE = /[\t\n\f\r ]*/y;
const NAME = /<([A-Za-z_][\w:.-]{0,63})/y;
const ENDS = [
  ['<!--', '-->'],
  ['<!', '>'],
  ['<?', '?>'],
] as const;
