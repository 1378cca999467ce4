/**
 * Modules of a project: code for documents of some media types, tried before the included modules
 * (`shared/core/media/`).
 */
import type { PageMetadata } from '../../core/content/metadata.ts';

/** A document that a module is to read. */
export interface MediaDocument {
  /** Absolute URL of the document. */
  readonly url: string;
  /** In lower case, without parameters. */
  readonly mediaType: string;
  /** The body, its content coding undone. Each use gives the same bytes, which are the module's own. */
  readonly bytes: Uint8Array;
  /** The body as text, by its charset. Made when it is first used. */
  readonly text: string;
}

/** The content of a document, as a module returns it. */
export interface MediaReading {
  /** Plain text, a blank line between paragraphs. */
  readonly text: string;
  /**
   * The text as Markdown (CommonMark, tables as in GFM).
   * @default text
   */
  readonly markdown?: string;
  /** References in the order of the document, absolute or relative to its URL. The crawl follows those in its scope. */
  readonly links?: readonly string[];
  readonly metadata?: Partial<PageMetadata>;
}

export interface MediaModule {
  /** Media types in lower case, without parameters: `application/epub+zip`. */
  readonly mediaTypes: readonly string[];
  /** If it throws, or takes longer than a hook may (`hookTimeoutMs`), the document counts as not read, with the error as its cause. */
  readonly read: (document: MediaDocument) => MediaReading | Promise<MediaReading>;
}
