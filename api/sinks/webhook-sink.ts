/** A URL of the operator as a destination of documents, by signed POST requests. */
import { createHash } from 'node:crypto';
import { type DocumentSink, type SinkChange, SinkFailed } from '../../shared/services/outputs/sink/sink.ts';
import { signatureOf } from '../../shared/services/webhook/signature.ts';
import { type Sleep, sendUntilTaken } from './http-post.ts';

const MAX_BODY_CHARS = 1_000_000;

export interface WebhookSinkOptions {
  readonly url: string;
  /** The key of the signature, as for events. */
  readonly secret: string;
  readonly crawl: string;
  readonly sleep: Sleep;
  /** Ms since the epoch. */
  readonly now: () => number;
}

/**
 * Sends events `documents`, each with `data.documents` and `data.deleted` (URLs), signed as the events of a crawl. The `id`
 * is the same whenever the same changes are sent. The receiver must answer 2xx.
 */
export function webhookSink({ url, secret, crawl, sleep, now }: WebhookSinkOptions): DocumentSink {
  async function post(changes: readonly SinkChange[]): Promise<void> {
    const documents = changes.flatMap((change) => (change.kind === 'put' ? [change.document] : []));
    const deleted = changes.flatMap((change) => (change.kind === 'delete' ? [change.url] : []));
    const data = JSON.stringify({ documents, deleted });
    const id = createHash('sha256').update(data).digest('hex').slice(0, 32);
    const head = JSON.stringify({ id, type: 'documents', time: new Date(now()).toISOString(), crawl });
    const body = `${head.slice(0, -1)},"data":${data}}`;
    const { status } = await sendUntilTaken(
      () => ({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          'x-strand-event': 'documents',
          // The signature has the time of the try.
          'x-strand-signature': signatureOf(secret, Math.floor(now() / 1000), body),
        },
        body,
      }),
      sleep,
    );
    if (status < 200 || status >= 300) throw new SinkFailed(`The webhook refused documents: HTTP ${status}`);
  }

  return {
    async write(changes) {
      let batch: SinkChange[] = [];
      let chars = 0;
      for (const change of changes) {
        const size = JSON.stringify(change).length;
        if (chars + size > MAX_BODY_CHARS && batch.length > 0) {
          await post(batch);
          batch = [];
          chars = 0;
        }
        batch.push(change);
        chars += size;
      }
      if (batch.length > 0) await post(batch);
      return [];
    },
    close: async () => {},
  };
}
