/** A module by media type: it makes text, links and metadata of a document that is read as a whole. */
import type { PageMetadata } from '../content/metadata.ts';

/** A document to be read, its content coding undone. */
export interface MediaInput {
  /** Absolute URL of the document. */
  readonly url: string;
  readonly bytes: Uint8Array;
}

/** The content of a document. */
export interface MediaContent {
  /** Plain text, a blank line between paragraphs. */
  readonly text: string;
  /** The text as Markdown (CommonMark, tables as in GFM). */
  readonly markdown: string;
  readonly metadata: PageMetadata;
  /** References in the order of the document, absolute or relative to its URL. */
  readonly links: readonly string[];
  /** Why the end of the document is missing, for people: `500 of 10000 pages were read`. */
  readonly cut?: string;
}

export interface MediaModule {
  /** Media types in lower case, without parameters. */
  readonly mediaTypes: readonly string[];
  /** Throws {@link UnreadableDocument} for a document that is encrypted, broken or too large. */
  read(input: MediaInput): MediaContent | Promise<MediaContent>;
}

/** A document cannot be read, by its own fault. The message is for people: `it is encrypted`. */
export class UnreadableDocument extends Error {
  override name = 'UnreadableDocument';
}

/** Characters of text, and of Markdown, that are kept of a document. */
export const MAX_TEXT_CHARS = 8 * 1024 * 1024;

/** References that are kept of a document. A crawl may allow fewer links (`maxLinksPerPage`). */
export const MAX_REFERENCES = 100_000;
