/**
 * Links that were left out, in S3: gzipped lines of JSON under `skips/CRAWL/`, an object for all that a worker
 * has noted in a second. A link may be there several times: once for each worker that met it, and again if it
 * comes back after many others. The reader leaves out what it has had.
 */
import { gzipSync } from 'node:zlib';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { Skip, SkipLine, SkipLog } from '../../../crawler/ports/skip-log.ts';
import { coalesced } from '../../coalesced.ts';
import { RecentSkips, shortSkip } from '../../recent-skips.ts';
import { withRetry } from '../retry.ts';
import type { ObjectContext } from './archive-object.ts';
import { skipsPrefix } from './item-folders.ts';

export interface SkipObjectsOptions extends ObjectContext {
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'random' | 'uuid'>;
  /** Links of other turns are waited for so long before an object is stored: fewer PUTs. */
  readonly gatherMs: number;
  /** Characters that the links of all crawls may take before they are stored. Further ones are counted. */
  readonly maxChars?: number;
}

/** The {@link SkipLog} port on S3. `makeDurable` throws what S3 throws. */
export const createSkipObjects = (options: SkipObjectsOptions): Required<SkipLog> =>
  boundMethods<Required<SkipLog>>(new SkipObjects(options));

/** The links of a crawl that are not stored yet. */
interface Gathered {
  lines: string[];
  chars: number;
  beyond: number;
  readonly store: () => Promise<void>;
}

const MAX_CHARS = 8_000_000;
/** Each crawl may have this many, independent of others. */
const MIN_CHARS = 16_000;

class SkipObjects implements Required<SkipLog> {
  readonly #options: SkipObjectsOptions;
  readonly #recent = new RecentSkips();
  readonly #crawls = new Map<CrawlId, Gathered>();
  #allChars = 0;

  constructor(options: SkipObjectsOptions) {
    this.#options = options;
  }

  note(crawl: CrawlId, skip: Skip): void {
    const shortened = shortSkip(skip);
    if (this.#recent.enter(shortened, crawl) === undefined) return;
    const gathered = this.#gatheredOf(crawl);
    const line = JSON.stringify(shortened);
    const { maxChars = MAX_CHARS } = this.#options;
    const isFull = this.#allChars + line.length > maxChars;
    if (isFull && gathered.chars + line.length > Math.min(MIN_CHARS, maxChars)) gathered.beyond++;
    else {
      gathered.lines.push(line);
      gathered.chars += line.length;
      this.#allChars += line.length;
    }
  }

  async makeDurable(crawl: CrawlId): Promise<void> {
    await this.#crawls.get(crawl)?.store();
  }

  #gatheredOf(crawl: CrawlId): Gathered {
    const known = this.#crawls.get(crawl);
    if (known) return known;
    const gathered: Gathered = {
      lines: [],
      chars: 0,
      beyond: 0,
      store: coalesced(() => this.#store(crawl, gathered)),
    };
    this.#crawls.set(crawl, gathered);
    return gathered;
  }

  async #store(crawl: CrawlId, gathered: Gathered): Promise<void> {
    if (gathered.lines.length === 0 && gathered.beyond === 0) return;
    const { s3, bucket, clock, gatherMs } = this.#options;
    if (gatherMs > 0) await clock.sleep(gatherMs);
    const { lines, chars, beyond } = gathered;
    const all = beyond > 0 ? [...lines, JSON.stringify({ beyond } satisfies SkipLine)] : lines;
    const key = `${skipsPrefix(crawl)}${stampOf(clock.now())}-${clock.uuid()}.jsonl.gz`;
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: gzipSync(`${all.join('\n')}\n`),
      ContentType: 'application/gzip',
    });
    gathered.lines = [];
    gathered.beyond = 0;
    try {
      await withRetry(`storing ${key}`, () => s3.send(command), { clock });
      gathered.chars -= chars;
      this.#allChars -= chars;
    } catch (error) {
      // The next turn's commit stores them.
      gathered.lines = [...lines, ...gathered.lines];
      gathered.beyond += beyond;
      throw error;
    }
  }
}

/** `YYYYMMDDhhmmss` */
const stampOf = (time: number): string => new Date(time).toISOString().replace(/\D/g, '').slice(0, 14);
