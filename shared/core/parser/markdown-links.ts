/** The links and the title of a Markdown document (RFC 7763). */
import { charsetSniffing } from './charset.ts';
import { createLinkSet, type DroppedLinks, type HtmlLink, type ResolveReference } from './link-set.ts';
import { readMarkdown } from './markdown-source.ts';
import { createTextDecoder } from './text-decoder.ts';

export interface MarkdownLinksOptions {
  /** Absolute URL of the document. */
  readonly url: string;
  readonly contentType: string | undefined;
  readonly maxLinks: number;
  readonly resolve?: ResolveReference | undefined;
}

export interface MarkdownLinks extends DroppedLinks {
  readonly links: HtmlLink[];
  readonly title?: string;
  readonly charset: string;
}

/** Keeps the text until its end: as much as the caller lets through. */
export function createMarkdownLinks({ url, contentType, maxLinks, resolve }: MarkdownLinksOptions) {
  const pieces: string[] = [];
  const decoder = createTextDecoder({
    ...charsetSniffing(contentType),
    onText: (text) => {
      pieces.push(text);
    },
  });
  return {
    write: decoder.write,
    end(): MarkdownLinks {
      const charset = decoder.end();
      const set = createLinkSet(maxLinks);
      const { title, references } = readMarkdown(pieces.join(''));
      for (const { target } of references) set.add(target, 'a', false);
      const { urlOf: _, ...found } = set.resolved(url, resolve);
      return { ...found, ...(title !== undefined && { title }), charset };
    },
  };
}
