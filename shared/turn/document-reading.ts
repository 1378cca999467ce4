/** The reading of documents that are read as a whole, by modules for their media types. */
import type { CrawlConfig } from '../crawl/config.ts';
import type { FetchedResponse } from '../fetcher/outcome/fetch-outcome.ts';
import type { MediaContent } from '../media/media-module.ts';
import type { DocumentFacts } from '../parser/document.ts';
import type { HookedCrawl } from './page-hooks.ts';

/** The longest that the reading of a document takes: a PDF takes 10 ms for a page, and a thread starts in a second. */
export const DOCUMENT_MS = 20_000;

/** A page whose body is to be read. The response's body is there until the call resolves. */
export interface UnreadDocument {
  readonly crawl: HookedCrawl;
  readonly url: string;
  readonly mediaType: string;
  readonly response: FetchedResponse;
  readonly facts: DocumentFacts;
  /** Runs each synchronous part of a project's module: for a watchdog. */
  readonly around?: <T>(part: () => T) => T;
}

/** `fault`: why the document was not read, for people. `isLimit`: with more time or memory it might be. */
export type DocumentAnswer =
  | { readonly content: MediaContent }
  | { readonly fault: string; readonly isLimit?: true };

/** Reads documents, outside of the thread that crawls where that takes long. */
export interface DocumentReading {
  /** Whether there is a module for documents of this media type. */
  reads(mediaType: string): boolean;
  /** Never rejects. */
  read(document: UnreadDocument): Promise<DocumentAnswer>;
  /** How long the reading of a document may take. */
  limitMs(config: CrawlConfig): number;
}
