/** The links of an HTML page as absolute, canonical URLs. */
import { type DocumentText, documentText } from '../../core/parser/document-text.ts';
import { essenceOf } from '../../core/parser/media-type.ts';
import { encodeQuery } from '../../core/parser/query-charset.ts';
import { XHTML_TYPE } from '../../core/parser/type-of-xml.ts';
import { typeToRead } from '../../core/parser/whole-types.ts';
import { canonicalize, createResolver } from '../../core/url/canonical.ts';
import { canonicalRoute } from '../../core/url/hash-route.ts';
import { readPageLinks } from './page-links.ts';

export interface ResolvedLink {
  readonly target: string;
  /** The route behind `#` that it leads to; `target` is its shell. */
  readonly route?: string | undefined;
  /** The link's visible text; the `alt` of an image. */
  readonly text: string;
  /** The element: `a`, `img`, `link`, `script`. */
  readonly element: string;
}

/** Returns the links of a page, each pair of target and text once, in document order. */
export function resolvedLinks({ text: html, charset }: DocumentText, page: string): readonly ResolvedLink[] {
  const found: ResolvedLink[] = [];
  const seen = new Set<string>();
  let from = page;
  let resolve = createResolver(page);
  readPageLinks(
    html,
    ({ reference, text, element }) => {
      const encoded = encodeQuery(reference.trim(), charset);
      const target = resolve(encoded);
      const route = canonicalRoute(encoded, from);
      const key = `${route ?? target} ${text}`;
      if (target === undefined || seen.has(key)) return;
      seen.add(key);
      found.push({ target, ...(route && { route }), text, element });
    },
    (reference) => {
      const base = canonicalize(encodeQuery(reference, charset), page);
      if (base === undefined) return;
      from = base;
      resolve = createResolver(base);
    },
  );
  return found;
}

/** The text of an archived HTML page. */
export function htmlOf({ headers, body }: HtmlPayload): DocumentText {
  const contentType = headers.findLast(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return documentText(body, contentType, typeToRead(essenceOf(contentType), body, '') === XHTML_TYPE);
}

interface HtmlPayload {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}
