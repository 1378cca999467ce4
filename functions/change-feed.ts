/** Sends the changes of pages that workers have published to the operator's programs. The waker does it. */
import { gunzipSync } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import { deleteObjects } from '../shared/engines/aws/archive/delete-objects.ts';
import { changesPrefix } from '../shared/engines/aws/archive/item-folders.ts';
import { withRetry } from '../shared/engines/aws/retry.ts';
import { changeGroups, changesEvents } from '../shared/services/webhook/change-events.ts';
import { type EventSink, TimeIsUp } from './announcer.ts';
import type { Log } from './log.ts';

export interface ChangeFeedDeps {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly sink: EventSink;
  readonly clock: Clock;
  readonly log: Log;
}

/** Waits after a try that failed: 1, 2, 4 ... minutes, and an hour at most. */
const FIRST_WAIT_MS = 60_000;
const MAX_WAIT_MS = 3_600_000;
/** The period of the waker is not exact. */
const EARLY_MS = 20_000;

/**
 * At least once: an object is deleted when all its events were received. Objects are sent in order, the oldest first,
 * so a receiver that is down loses nothing.
 */
export class ChangeFeed {
  readonly #deps: ChangeFeedDeps;
  /** Failures in a row, by crawl. */
  readonly #failed = new Map<CrawlId, { readonly tries: number; readonly retryAt: number }>();

  constructor(deps: ChangeFeedDeps) {
    this.#deps = deps;
  }

  /** Sends the crawl's changes, and begins nothing after `until`. Returns whether none is left. */
  async look(crawl: CrawlId, until: number): Promise<boolean> {
    const { clock } = this.#deps;
    const failed = this.#failed.get(crawl);
    if (failed && failed.retryAt > clock.now() + EARLY_MS) return false;
    while (clock.now() < until) {
      const keys = await this.#list(crawl);
      if (keys.length === 0) return true;
      for (const key of keys) {
        if (clock.now() >= until) return false;
        const fault = await this.#send(crawl, key, until);
        if (fault instanceof TimeIsUp) return false;
        if (fault !== undefined) {
          this.#delay(crawl, fault);
          return false;
        }
        this.#failed.delete(crawl);
      }
    }
    return false;
  }

  /** The first thousand. Names begin with the time. */
  async #list(crawl: CrawlId): Promise<string[]> {
    const { s3, bucket, clock } = this.#deps;
    const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: changesPrefix(crawl) });
    const { Contents = [] } = await withRetry('listing changes', () => s3.send(command), { clock });
    return Contents.flatMap(({ Key }) => Key ?? []);
  }

  async #send(crawl: CrawlId, key: string, until: number): Promise<string | TimeIsUp | undefined> {
    const { s3, bucket, clock, sink } = this.#deps;
    const get = async () => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      return Body?.transformToByteArray();
    };
    const bytes = (await withRetry(`reading ${key}`, get, { clock })) ?? new Uint8Array();
    const lines = gunzipSync(bytes)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    const events = changeGroups(lines).flatMap((group) => changesEvents(crawl, group, clock.now()));
    const fault = await sink.send(events, until).catch((error) => {
      if (error instanceof TimeIsUp) return error;
      throw error;
    });
    if (fault === undefined) await deleteObjects({ s3, bucket, clock }, `deleting ${key}`, [key]);
    return fault;
  }

  #delay(crawl: CrawlId, cause: string): void {
    const { clock, log } = this.#deps;
    const before = this.#failed.get(crawl)?.tries ?? 0;
    const tries = before + 1;
    const retryAt = clock.now() + Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** before);
    this.#failed.set(crawl, { tries, retryAt });
    log('warn', { message: 'Changes of pages were not received, and are sent again', crawl, tries, cause });
  }
}
