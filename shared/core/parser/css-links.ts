/** The requisites of a style sheet. */
import { CSS_SNIFFED_BYTES, sniffCssCharset } from './charset.ts';
import { cssReferences } from './css-references.ts';
import { createLinkSet, type DroppedLinks, type HtmlLink, type ResolveReference } from './link-set.ts';
import { resolverIn } from './query-charset.ts';
import { createTextDecoder } from './text-decoder.ts';

export interface CssLinksOptions {
  /** Absolute URL of the style sheet. */
  readonly url: string;
  readonly contentType: string | undefined;
  readonly maxLinks: number;
  readonly resolve?: ResolveReference | undefined;
}

export interface CssLinks extends DroppedLinks {
  readonly links: HtmlLink[];
  readonly charset: string;
}

/** Keeps the text until its end: as much as the caller lets through. */
export function createCssLinks({ url, contentType, maxLinks, resolve }: CssLinksOptions) {
  const pieces: string[] = [];
  const decoder = createTextDecoder({
    sniffedBytes: CSS_SNIFFED_BYTES,
    sniff: (start) => sniffCssCharset(start, contentType),
    onText: (text) => {
      pieces.push(text);
    },
  });
  return {
    write: decoder.write,
    end(): CssLinks {
      const charset = decoder.end();
      const set = createLinkSet(maxLinks);
      cssReferences(pieces.join(''), (reference, kind) => set.add(reference, kind, false), true);
      const { urlOf: _, ...found } = set.resolved(url, resolverIn(charset, resolve));
      return { ...found, charset };
    },
  };
}
