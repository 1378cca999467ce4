import type { DocumentRow } from '../document-row.ts';

/** A change of a destination's documents. `version`: ms since the epoch; of two changes of a URL the one with the higher version counts. */
export type SinkChange =
  | { readonly kind: 'put'; readonly version: number; readonly document: DocumentRow }
  | { readonly kind: 'delete'; readonly version: number; readonly url: string };

/** A change that the destination will never take, such as a document that does not fit its fields. */
export interface RefusedChange {
  readonly url: string;
  /** For people. */
  readonly reason: string;
}

/**
 * A destination of documents outside of Strand, such as a search engine. Changes may come again, and an older one after a
 * newer one: neither may do harm.
 */
export interface DocumentSink {
  /** Whether the destination was empty when it was opened: documents sent before are lost there. Default: unknown. */
  readonly isEmpty?: boolean;
  /**
   * Resolves when the destination has stored all changes but those that are returned. Throws {@link SinkFailed} if it
   * cannot be known of some of them.
   */
  write(changes: readonly SinkChange[]): Promise<readonly RefusedChange[]>;
  close(): Promise<void>;
}

/** The destination does not answer, or refuses what it should take. What was not stored is sent again in the next run. */
export class SinkFailed extends Error {
  override readonly name = 'SinkFailed';
}

export const urlOf = (change: SinkChange): string =>
  change.kind === 'put' ? change.document.url : change.url;
