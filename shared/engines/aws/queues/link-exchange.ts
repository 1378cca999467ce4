import { SIZES } from '../../../core/base/sizes.ts';
import type { LinkExchange, LinkParcel } from '../../../crawler/ports/link-exchange.ts';
import type { CorruptRecord, SqsRecord, UnreadHandlers } from './delivery.ts';
import { parcelTexts, parseParcelText } from './message-text.ts';
import { deleteAll, gatheredSends, type SqsQueue, settleCorrupt } from './sqs-queue.ts';
import { receiveRecords } from './sqs-receive.ts';

export interface LinkExchangeOptions extends SqsQueue, UnreadHandlers {
  /** How long a received parcel is hidden; SQS counts whole seconds. */
  readonly visibilityMs?: number;
  readonly maxMessageBytes?: number;
  /** How long a parcel that is sent waits for others to share a request with. Default 0. */
  readonly sendGatherMs?: number;
}

export interface SqsLinkExchange extends LinkExchange {
  /**
   * Sends texts that are not parcels, as they are: messages of other kinds for the router. Durable when it resolves.
   */
  sendTexts(texts: readonly string[]): Promise<void>;
}

const VISIBILITY_MS = 300_000;

/**
 * The link exchange on a standard SQS queue: a parcel is a message, or several where it does not fit into
 * one.
 */
export function createLinkExchange(options: LinkExchangeOptions): SqsLinkExchange {
  const { visibilityMs = VISIBILITY_MS, maxMessageBytes = SIZES.maxMessageBytes } = options;
  const { sendGatherMs = 0 } = options;
  const visibilityS = Math.ceil(visibilityMs / 1000);
  const sendAll = gatheredSends(options, { gatherMs: sendGatherMs, maxBytes: maxMessageBytes });
  /** Receipt handles of parcels received here and not acknowledged. */
  const handles = new WeakMap<LinkParcel, string>();

  return {
    async send(outLinks) {
      if (outLinks.links.length === 0) return;
      await sendAll(parcelTexts(outLinks, maxMessageBytes).map((MessageBody) => ({ MessageBody })));
    },

    async sendTexts(texts) {
      for (const text of texts) {
        const bytes = Buffer.byteLength(text);
        if (bytes > maxMessageBytes)
          throw new RangeError(`expected a message of at most ${maxMessageBytes} bytes, got ${bytes}`);
      }
      await sendAll(texts.map((MessageBody) => ({ MessageBody })));
    },

    async receive(max, waitMs, signal) {
      const all: LinkParcel[] = [];
      let unread = 0;
      await receiveRecords(
        { ...options, visibilityS, isFifo: false },
        { waitMs, signal },
        () => max - all.length - unread,
        async (records) => {
          const { parcels, corrupt } = parcelsOf(records);
          for (const { parcel, record } of parcels) {
            handles.set(parcel, record.receiptHandle);
            all.push(parcel);
          }
          unread += corrupt.length;
          await settleCorrupt(options, corrupt, options);
        },
      );
      return all;
    },

    /**
     * Parcels of a function's event are not known here: the poller deletes them when the function succeeds.
     */
    async acknowledge(parcels) {
      const known = parcels.filter((parcel) => handles.has(parcel));
      await deleteAll(
        options,
        known.map((parcel) => handles.get(parcel) as string),
      );
      for (const parcel of known) handles.delete(parcel);
    },
  };
}

/** The parcels in the records of a receive or of a function's event. Pure. */
export function parcelsOf(records: readonly SqsRecord[]): {
  readonly parcels: readonly { readonly parcel: LinkParcel; readonly record: SqsRecord }[];
  readonly corrupt: readonly CorruptRecord[];
} {
  const parcels: { parcel: LinkParcel; record: SqsRecord }[] = [];
  const corrupt: CorruptRecord[] = [];
  for (const record of records) {
    try {
      parcels.push({ parcel: { id: record.messageId, outLinks: parseParcelText(record.body) }, record });
    } catch (error) {
      corrupt.push({ record, error });
    }
  }
  return { parcels, corrupt };
}
