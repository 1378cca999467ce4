/** A response's body with references that lead elsewhere. */
import { sniffCharset, sniffCssCharset, sniffXmlCharset } from '../../core/parser/charset.ts';
import { decodeAll } from '../../core/parser/charset-decoder.ts';
import { prescanForCharset, xmlDeclarationCharset } from '../../core/parser/meta-prescan.ts';
import { encodeQuery } from '../../core/parser/query-charset.ts';
import { XHTML_TYPE } from '../../core/parser/type-of-xml.ts';
import { canonicalize } from '../../core/url/canonical.ts';
import { rewriteCss } from './rewrite-css.ts';
import { rewriteHtml } from './rewrite-html.ts';

export const isHtmlType = (type = ''): boolean => type === 'text/html' || type === 'application/xhtml+xml';

/** A crawl does not follow longer references. */
const MAX_REFERENCE = 16_384;

/**
 * The body as bytes. `rewrite` gets each reference of HTML and CSS as an absolute canonical URL, with its fragment, and
 * returns the replacement; other bodies stay as they are. All bytes of HTML but the references stay, so that its
 * charset does; if only the response's head said the charset, the page says it from now on.
 */
export function rewritePayload(
  { body, headers }: { readonly body: Uint8Array; readonly headers: readonly (readonly [string, string])[] },
  type: string | undefined,
  url: string,
  rewrite: (target: string) => string,
): Uint8Array {
  const isCss = type === 'text/css';
  const isXml = type === XHTML_TYPE;
  if (!isHtmlType(type) && !isCss) return body;
  const contentType = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const charset = (isCss ? sniffCssCharset : isXml ? sniffXmlCharset : sniffCharset)(body, contentType);
  const isWide = charset.startsWith('utf-16');
  // Bytes as Latin-1 are enough where ASCII is ASCII.
  const text = isWide
    ? decodeAll(body, charset)
    : Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const decode = (bytes: string): string =>
    isWide || !/[\x80-\xff]/.test(bytes) ? bytes : decodeAll(Buffer.from(bytes, 'latin1'), charset);
  let base = url;
  const one = (reference: string): string | undefined => {
    const given = reference.trim();
    if (given.length > MAX_REFERENCE || given.startsWith('#')) return undefined;
    const target = canonicalize(encodeQuery(given, charset), base);
    if (target === undefined) return undefined;
    const hash = given.indexOf('#');
    return rewrite(hash < 0 ? target : target + encodeFragment(given.slice(hash)));
  };
  if (isCss)
    return encoded(
      rewriteCss(text, (bytes) => one(decode(bytes))),
      isWide,
    );
  const onBase = (reference: string) => {
    base = canonicalize(encodeQuery(reference, charset), url) ?? base;
  };
  const html = rewriteHtml(text, { onBase, rewrite: one, decode, isXml });
  if (isXml) return encoded(withXmlDeclaration(html, isWide ? 'utf-8' : charset), isWide);
  const isSaid =
    isWide || charset === 'windows-1252' || prescanForCharset(body.subarray(0, 1024)) !== undefined;
  return encoded(isSaid ? html : withCharset(html, charset), isWide);
}

const encodeFragment = (fragment: string): string =>
  encodeURI(fragment.toWellFormed()).replace(/%25([\da-f]{2})/gi, '%$1');

const encoded = (text: string, isWide: boolean): Uint8Array =>
  isWide ? Buffer.from(`\ufeff${text}`, 'utf8') : Buffer.from(text, 'latin1');

/** The XML declaration says the charset of the file, which is UTF-8 without one. */
function withXmlDeclaration(xml: string, charset: string): string {
  if (xmlDeclarationCharset(xml) === charset) return xml;
  const rest = xml.replace(/^<\?xml[^>]*>/, '');
  return charset === 'utf-8' ? rest : `<?xml version="1.0" encoding="${charset}"?>${rest}`;
}

/** After the start tag of `head`, otherwise after that of `html`, otherwise after the document type. */
function withCharset(html: string, charset: string): string {
  const start = html.slice(0, 4096).toLowerCase();
  const tag = ['<head', '<html', '<!doctype'].map((name) => start.indexOf(name)).find((found) => found >= 0);
  const at = tag === undefined ? 0 : start.indexOf('>', tag) + 1;
  return `${html.slice(0, at)}<meta charset="${charset}">${html.slice(at)}`;
}
