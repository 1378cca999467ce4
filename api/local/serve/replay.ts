/** A response of the archive as a browser gets it. */

import { sniffCssCharset } from '../../../shared/core/parser/charset.ts';
import { decodeAll } from '../../../shared/core/parser/charset-decoder.ts';
import { documentText } from '../../../shared/core/parser/document-text.ts';
import { encodeQuery } from '../../../shared/core/parser/query-charset.ts';
import { isXmlType, XHTML_TYPE } from '../../../shared/core/parser/type-of-xml.ts';
import { typeToRead } from '../../../shared/core/parser/whole-types.ts';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { redirectTarget } from '../../../shared/core/url/field-reference.ts';
import type { ArchivedPayload } from '../../../shared/services/exports/archived-payloads.ts';
import { cutOffAfter } from '../../../shared/services/hooks/cut-off.ts';
import { rewriteCss } from '../../../shared/services/outputs/rewrite-css.ts';
import { rewriteHtml } from '../../../shared/services/outputs/rewrite-html.ts';
import { containHtml } from './contain-html.ts';

export interface Replay {
  readonly status: number;
  readonly type: string;
  readonly body: Uint8Array;
  /** The absolute URL that a redirect leads to. */
  readonly location?: string;
}

export interface ReplayPlace {
  /** The archived URL. */
  readonly url: string;
  /** The URL at which it is shown. */
  readonly shownAt: string;
  /** Returns the replacement for an absolute URL. */
  readonly rewrite: (target: string) => string;
  /** Returns the archived route behind `#` that a reference at `base` leads to. */
  readonly routeOf?: (reference: string, base: string) => string | undefined;
  /** A browser shows it as a document of its own: not as an image, a style, ... */
  readonly isDocument: boolean;
  /** The page is as its scripts have left it. */
  readonly isRendered?: boolean;
}

/** A larger page would take seconds to be parsed: it is shown as text. */
export const MAX_HTML_BYTES = 8_000_000;
/** Parsing may take so long: it holds up all other requests. */
const PARSE_MS = 10_000;
/** Longer references are left out. */
const MAX_REFERENCE = 16_384;
const TEXT = 'text/plain; charset=utf-8';

export function replay({ status, headers, body }: ArchivedPayload, place: ReplayPlace): Replay {
  const given = headerOf(headers, 'content-type');
  const declared = /^\s*([\w.+-]+\/[\w.+-]+)\s*(?:;|$)/.exec(given ?? '')?.[1]?.toLowerCase();
  const type = isXmlType(declared) ? typeToRead(declared, body, place.url) : declared;
  const location = headerOf(headers, 'location');
  const target = location === undefined ? undefined : redirectTarget(location, place.url);
  if (status >= 300 && status <= 399 && target !== undefined)
    return { status: 302, type: TEXT, body: Buffer.from(target), location: target };
  const shown = { status: status >= 400 && status <= 599 ? status : 200 };
  // Without a type, browsers and crawlers take it for HTML if it looks so: text is the safe side of it.
  if (type === undefined) return { ...shown, type: TEXT, body };
  if (type === 'text/html' || type === XHTML_TYPE)
    return { ...shown, ...replayHtml(body, given, place, type === XHTML_TYPE) };
  if (type === 'text/css') {
    const charset = sniffCssCharset(body, given);
    const css = decodeAll(body, charset);
    return {
      ...shown,
      type: 'text/css; charset=utf-8',
      body: Buffer.from(rewriteCss(css, referenceOf({ ...place, charset }))),
    };
  }
  return { ...shown, type: shownType(type, place.isDocument), body };
}

/** Types that run nothing, refer to nothing, and have no parts of other types. */
const AS_THEY_ARE =
  /^(?:(?:image|audio|video|font)\/|text\/(?:plain|vtt)$|application\/(?:pdf$|(?:x-)?font-|vnd\.ms-fontobject$))/;
/** Texts that people may want to read. */
const READABLE =
  /^(?:text|multipart|message)\/|[/+](?:xml|json)$|\/(?:javascript|ecmascript|x-javascript|x-ndjson|rtf)$/;

/**
 * Links of SVG and other XML are not rewritten, so they are shown as text; SVG is also an image. A body that is neither
 * text nor of a known type is offered as a download.
 */
function shownType(type: string, isDocument: boolean): string {
  const isSvg = type.startsWith('image/svg');
  if (AS_THEY_ARE.test(type) && !(isSvg && isDocument)) return type;
  return isSvg || READABLE.test(type) ? TEXT : 'application/octet-stream';
}

function replayHtml(
  body: Uint8Array,
  contentType: string | undefined,
  place: ReplayPlace,
  isXhtml: boolean,
): Pick<Replay, 'type' | 'body'> {
  const asText = { type: TEXT, body };
  if (body.length > MAX_HTML_BYTES) return asText;
  const { text: html, charset } = documentText(body, contentType, isXhtml);
  let base = place.url;
  const rewriter = {
    withoutScripts: true,
    onBase(reference: string) {
      base = canonicalize(encodeQuery(reference, charset), place.url) ?? base;
    },
    rewrite: (reference: string) => referenceOf({ ...place, url: base, charset })(reference),
  };
  try {
    const contained = cutOffAfter(PARSE_MS, () =>
      containHtml(rewriteHtml(html, rewriter), place.shownAt, place.isRendered),
    );
    if (contained === undefined) return asText;
    return { type: 'text/html; charset=utf-8', body: Buffer.from(contained) };
  } catch {
    // It is nested too deep, has too many attributes, or takes too long.
    return asText;
  }
}

/** Rewrites a reference. A reference that cannot be fetched, such as `mailto:`, stays. */
function referenceOf({
  url,
  rewrite,
  routeOf,
  charset,
}: Pick<ReplayPlace, 'url' | 'rewrite' | 'routeOf'> & { readonly charset: string }) {
  return (reference: string): string | undefined => {
    const given = reference.trim();
    if (given.length > MAX_REFERENCE) return undefined;
    const route = given.includes('#') ? routeOf?.(given, url) : undefined;
    if (route !== undefined) return rewrite(route);
    if (given.startsWith('#')) return undefined;
    const target = canonicalize(encodeQuery(given, charset), url);
    if (target === undefined) return undefined;
    const hash = given.indexOf('#');
    return rewrite(target) + (hash < 0 ? '' : encodeURI(given.slice(hash).toWellFormed()));
  };
}

const headerOf = (headers: ArchivedPayload['headers'], name: string): string | undefined =>
  headers.find(([given]) => given.toLowerCase() === name)?.[1];
