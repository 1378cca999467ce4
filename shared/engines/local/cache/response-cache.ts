/** Responses of an earlier crawl, for a crawl that is to ask no site for what that one has fetched. */
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { sha1Label } from '../../../core/archive/digest.ts';
import { receivedHeaders } from '../../../core/archive/http-head.ts';
import { PayloadReader } from '../../../core/archive/payload-reader.ts';
import { fieldOf } from '../../../core/archive/read-warc.ts';
import type { RecordLocation } from '../../../core/archive/record-location.ts';
import { scanMembers } from '../../../core/archive/scan-members.ts';
import { messageOf } from '../../../core/base/error-message.ts';
import { Semaphore } from '../../../core/base/semaphore.ts';
import { orStorageFailed } from '../../../core/base/storage-failed.ts';
import type { CrawlConfig } from '../../../core/crawl/config.ts';
import { isPassing } from '../../../core/frontier/verdict.ts';
import type { Body } from '../../../core/outcome/body.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';
import type { ResponseHead } from '../../../core/outcome/response-head.ts';
import { createSameRequest, isRepeatable } from '../../../crawler/fetcher/same-request.ts';
import { type BodySpace, createBodySpool } from '../../../crawler/fetcher/spooled-body.ts';
import { openArchiveReader } from '../archive/archive-reader.ts';
import { type ListedCapture, openCaptureIndex } from '../archive/capture-index.ts';

export interface ResponseCache {
  /**
   * Returns the response that the earlier crawl has for the request; `damaged` if it has one that cannot be read.
   * Rejects only with `StorageFailed`, where the crawl's own disk fails.
   */
  find(request: FetchRequest): Promise<FetchedResponse | 'none' | Damaged>;
  close(): Promise<void>;
}

interface Damaged {
  /** The damage, in a sentence for people. */
  readonly damage: string;
}

/** Where the responses are, in words that can be cloned. */
export interface CacheFolder {
  /** The earlier crawl's folder. It is only read. */
  readonly folder: string;
  /** The index of its captures (`capture-index.ts`). */
  readonly index: string;
}

export interface ResponseCacheOptions extends CacheFolder {
  readonly config: Pick<
    CrawlConfig,
    'userAgent' | 'contact' | 'headers' | 'cookies' | 'auth' | 'maxBodyBytes'
  >;
  readonly bodies: BodySpace;
  /** Where the bodies' file is, for messages. */
  readonly tempFolder: string;
  readonly now: () => number;
}

/** Captures of a URL that are looked at: those of other requests for it come among them. */
const MAX_CAPTURES = 8;
/** Larger bodies are fetched again: one is held in memory. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Bodies read at once. */
const MAX_READS = 4;
/** A request's record is short. */
const REQUEST_BYTES = 8192;
const PIECE_BYTES = 64 * 1024;
/** Parsed in one go; then other work has its turn. */
const TURN_BYTES = 1024 * 1024;

export const openResponseCache = (options: ResponseCacheOptions): ResponseCache => {
  const cache = new ArchiveCache(options);
  return { find: (request) => cache.find(request), close: () => cache.close() };
};

class ArchiveCache implements ResponseCache {
  readonly #options: ResponseCacheOptions;
  readonly #index: ReturnType<typeof openCaptureIndex>;
  readonly #archive: ReturnType<typeof openArchiveReader>;
  readonly #payloads: PayloadReader;
  readonly #isSame: ReturnType<typeof createSameRequest>;
  readonly #reads = new Semaphore(MAX_READS);

  constructor(options: ResponseCacheOptions) {
    const { folder, index, config, now } = options;
    this.#options = options;
    this.#archive = openArchiveReader(folder);
    this.#index = openCaptureIndex(index);
    const captures = this.#index.revisitsAndBodies;
    this.#payloads = new PayloadReader({
      readResponse: this.#archive.readResponse,
      async *captures() {
        yield* captures();
      },
    });
    this.#isSame = createSameRequest(config, now);
  }

  async find(request: FetchRequest): Promise<FetchedResponse | 'none' | Damaged> {
    if (!isRepeatable(request)) return 'none';
    let damage: string | undefined;
    for (const capture of this.#index.newest(request.url, MAX_CAPTURES)) {
      if (capture.status === undefined || isPassing(capture.status)) continue;
      const stored = await this.#read(request, capture).catch((error: unknown) => {
        damage ??= `${capture.file} at ${capture.offset}: ${messageOf(error)}`;
        return undefined;
      });
      if (stored) return this.#responseOf(request, stored);
    }
    return damage === undefined ? 'none' : { damage };
  }

  async close(): Promise<void> {
    this.#index.close();
    await this.#archive.close();
  }

  /** Undefined if it answers another request, or is not whole. Throws if it cannot be read. */
  async #read(request: FetchRequest, capture: ListedCapture): Promise<StoredCapture | undefined> {
    const release = await this.#reads.acquire();
    try {
      const requestHead = await this.#readRequest(capture);
      if (!this.#isSame(request, requestHead)) return undefined;
      const { response, payload } = await this.#payloads.read(capture, MAX_BYTES);
      if (response.url !== request.url)
        throw new Error(`expected a record of ${request.url}, got one of ${response.url}`);
      const startedAt = Date.parse(response.date);
      if (Number.isNaN(startedAt)) throw new Error(`expected a date, got ${response.date}`);
      const limit = request.maxBodyBytes ?? this.#options.config.maxBodyBytes;
      const { body, truncated } = payload;
      // The earlier crawl may have cut it where this one would.
      if (truncated !== undefined && (truncated !== 'length' || body.length < limit)) return undefined;
      checkDigest(capture, body);
      const { recordId, httpStatus, statusText, ipAddress = '', protocols, cipherSuite } = response;
      return {
        head: { httpStatus, statusText, headers: receivedHeaders(response.headers) },
        body: body.subarray(0, limit),
        isCut: truncated !== undefined || body.length > limit,
        facts: {
          startedAt,
          endedAt: startedAt,
          requestHead,
          ipAddress,
          protocols,
          ...(cipherSuite !== undefined && { cipherSuite }),
          cache: { kind: 'hit', recordId },
        },
      };
    } finally {
      release?.();
    }
  }

  /** The request's record follows that of its response. */
  async #readRequest({ file, offset, length }: RecordLocation): Promise<Uint8Array> {
    const start = offset + length;
    const read = await this.#archive.readerAt({ file, offset: start });
    const members = scanMembers((at, bytes) => read(at, Math.min(bytes, REQUEST_BYTES)), start);
    try {
      const { value } = await members.next();
      if (!value || fieldOf(value.record, 'WARC-Type') !== 'request')
        throw new Error('expected a request record after the response');
      return Buffer.from(value.blockStart);
    } finally {
      await members.return(undefined);
    }
  }

  /** Gives the response to those who read it while it arrives, as the network would. */
  async #responseOf({ url, onHead }: FetchRequest, stored: StoredCapture): Promise<FetchedResponse> {
    const { head, isCut, facts } = stored;
    const body = await this.#bodyOf(
      stored,
      quietly(() => onHead?.(head)),
    );
    return { status: 'response', url, ...head, ...facts, body, ...(isCut && { truncated: 'length' }) };
  }

  async #bodyOf({ body }: StoredCapture, sink: ((piece: Uint8Array) => void) | undefined): Promise<Body> {
    const { tempFolder, bodies } = this.#options;
    const spool = createBodySpool(bodies);
    let feed = sink;
    for (let at = 0; at < body.length; at += PIECE_BYTES) {
      // A copy: the spool frees the memory of what it has written to a file.
      const piece = Uint8Array.from(body.subarray(at, at + PIECE_BYTES));
      try {
        feed?.(piece);
      } catch {
        feed = undefined;
      }
      try {
        orStorageFailed(tempFolder, () => spool.append(piece));
      } catch (error) {
        spool.discard();
        throw error;
      }
      if (at % TURN_BYTES === 0 && at > 0) await setImmediate();
    }
    return orStorageFailed(tempFolder, () => spool.finish());
  }
}

interface StoredCapture {
  readonly head: ResponseHead;
  readonly body: Uint8Array;
  readonly isCut: boolean;
  readonly facts: Omit<FetchedResponse, keyof ResponseHead | 'status' | 'url' | 'body'>;
}

function checkDigest({ digest }: ListedCapture, body: Uint8Array): void {
  if (!digest?.startsWith('sha1:')) return;
  const found = sha1Label(hash('sha1', body, 'buffer'));
  if (found !== digest) throw new Error(`expected a body of digest ${digest}, got ${found}`);
}

function quietly<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
