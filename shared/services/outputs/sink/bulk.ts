/** The bulk API that OpenSearch and Elasticsearch have in common (https://docs.opensearch.org/latest/api-reference/document-apis/bulk/). */
import { createHash } from 'node:crypto';
import { type SinkChange, urlOf } from './sink.ts';

/** The documents' id: SHA-256 of the URL, since an id has at most 512 bytes. */
export const idOf = (url: string): string => createHash('sha256').update(url).digest('hex');

/**
 * A change as one or two lines, each with its line feed. Because of the external version, a change that comes late or
 * again does not replace a newer one.
 */
export function bulkLines(change: SinkChange): string {
  const action = { _id: idOf(urlOf(change)), version: change.version, version_type: 'external_gte' };
  return change.kind === 'delete'
    ? `${JSON.stringify({ delete: action })}\n`
    : `${JSON.stringify({ index: action })}\n${JSON.stringify(change.document)}\n`;
}

/** The state of a change after the answer: stored, not stored yet, or not to be stored ever. */
export type BulkOutcome = 'done' | 'again' | { readonly refused: string };

/** The outcomes of `count` changes in their order. Undefined if the answer is not one of a bulk request. */
export function bulkOutcomes(answer: string, count: number): readonly BulkOutcome[] | undefined {
  let items: unknown;
  try {
    items = (JSON.parse(answer) as { items?: unknown } | null)?.items;
  } catch {
    return undefined;
  }
  if (!Array.isArray(items) || items.length !== count) return undefined;
  return items.map(outcomeOf);
}

function outcomeOf(item: unknown): BulkOutcome {
  const [[action, result] = ['', undefined]] = Object.entries((item ?? {}) as Record<string, unknown>);
  const { status, error } = (result ?? {}) as {
    status?: unknown;
    error?: { type?: unknown; reason?: unknown };
  };
  if (typeof status !== 'number') return 'again';
  if (status >= 200 && status < 300) return 'done';
  // A newer version is there; or the document that is to be deleted is not.
  if (status === 409 || (status === 404 && action === 'delete' && error === undefined)) return 'done';
  if (status === 408 || status === 429 || status >= 500) return 'again';
  return {
    refused: `HTTP ${status}: ${String(error?.type ?? 'no type')}: ${String(error?.reason ?? 'no reason').slice(0, 500)}`,
  };
}

/**
 * The fields of an index that is made. Times of pages are kept as they were written: as dates, those of other forms would
 * be refused.
 */
export const INDEX_BODY = JSON.stringify({
  mappings: {
    dynamic: false,
    properties: {
      url: { type: 'keyword', ignore_above: 8000 },
      canonical: { type: 'keyword', ignore_above: 8000 },
      title: { type: 'text' },
      description: { type: 'text' },
      author: { type: 'text' },
      text: { type: 'text' },
      language: { type: 'keyword' },
      siteName: { type: 'keyword', ignore_above: 1000 },
      types: { type: 'keyword', ignore_above: 1000 },
      published: { type: 'keyword', ignore_above: 1000 },
      modified: { type: 'keyword', ignore_above: 1000 },
      fetchedAt: { type: 'date' },
      depth: { type: 'integer' },
      via: { type: 'keyword', ignore_above: 8000 },
      kind: { type: 'keyword' },
      payloadDigest: { type: 'keyword' },
      textDigest: { type: 'keyword' },
    },
  },
});
