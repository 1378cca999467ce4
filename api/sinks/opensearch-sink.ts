/** OpenSearch and Elasticsearch as a destination of documents. */
import { bulkLines, bulkOutcomes, INDEX_BODY } from '../../shared/services/outputs/sink/bulk.ts';
import {
  type DocumentSink,
  type RefusedChange,
  type SinkChange,
  SinkFailed,
  urlOf,
} from '../../shared/services/outputs/sink/sink.ts';
import { type Sleep, sendUntilTaken, TRIES, waitBefore } from './http-post.ts';

/** The body of a request, unless one document alone is larger. Servers refuse bodies of more than 100 MB by default. */
const MAX_BULK_CHARS = 5_000_000;

export interface OpenSearchOptions {
  /** The URL of the index: `https://search.example.org:9200/pages`. */
  readonly url: string;
  /** The header Authorization. */
  readonly authorization?: string | undefined;
  readonly sleep: Sleep;
}

/**
 * Makes the index before the first change if it is not there. Each change has an external version, so that it may come
 * late or twice. Changes that the server cannot take now are sent again, without the others.
 */
export async function openSearchSink({
  url,
  authorization,
  sleep,
}: OpenSearchOptions): Promise<DocumentSink> {
  const auth: Record<string, string> = authorization === undefined ? {} : { authorization };
  let isMissing = await findsNone();

  async function findsNone(): Promise<boolean> {
    const { status, body } = await sendUntilTaken(() => ({ method: 'HEAD', url, headers: auth }), sleep);
    if (status >= 300 && status !== 404) throw refusal('to say whether the index is there', status, body);
    return status === 404;
  }

  async function makeIndex(): Promise<void> {
    const headers = { 'content-type': 'application/json', ...auth };
    const { status, body } = await sendUntilTaken(
      () => ({ method: 'PUT', url, headers, body: INDEX_BODY }),
      sleep,
    );
    const isThere = status === 400 && body.includes('resource_already_exists_exception');
    if (status >= 300 && !isThere) throw refusal('the index', status, body);
    isMissing = false;
  }

  async function send(changes: readonly SinkChange[], lines: readonly string[]) {
    const headers = { 'content-type': 'application/x-ndjson', ...auth };
    const request = { method: 'POST', url: `${url}/_bulk`, headers, body: lines.join('') } as const;
    const { status, body } = await sendUntilTaken(() => request, sleep);
    if (status >= 300) throw refusal('documents', status, body);
    const outcomes = bulkOutcomes(body, changes.length);
    if (!outcomes) throw new SinkFailed(`Expected an answer of a bulk request, got ${body.slice(0, 200)}`);
    return outcomes;
  }

  async function writeBatch(batch: readonly SinkChange[], refused: RefusedChange[]): Promise<void> {
    let left = batch;
    for (let tries = 1; ; tries++) {
      const outcomes = await send(left, left.map(bulkLines));
      for (const [i, outcome] of outcomes.entries())
        if (typeof outcome === 'object') refused.push({ url: urlOf(left[i]!), reason: outcome.refused });
      left = left.filter((_, i) => outcomes[i] === 'again');
      if (left.length === 0) return;
      if (tries >= TRIES) throw new SinkFailed(`${left.length} documents were not taken, ${TRIES} times`);
      await sleep(waitBefore(tries, Math.random()));
    }
  }

  return {
    isEmpty: isMissing,
    async write(changes) {
      if (isMissing) await makeIndex();
      const refused: RefusedChange[] = [];
      let batch: SinkChange[] = [];
      let chars = 0;
      for (const change of changes) {
        const size = bulkLines(change).length;
        if (chars + size > MAX_BULK_CHARS && batch.length > 0) {
          await writeBatch(batch, refused);
          batch = [];
          chars = 0;
        }
        batch.push(change);
        chars += size;
      }
      if (batch.length > 0) await writeBatch(batch, refused);
      return refused;
    },
    close: async () => {},
  };
}

const refusal = (what: string, status: number, body: string): SinkFailed =>
  new SinkFailed(`The search engine refused ${what}: HTTP ${status} ${body.slice(0, 300)}`);
