import { mapInOrder } from '../base/map-in-order.ts';
import type { UsageStatement } from '../usage/usage-statement.ts';
import { renderedHeaders } from './read-rendered.ts';
import type { ArchivedResponse } from './read-response.ts';
import { NotWarc } from './read-warc.ts';
import type { RecordLocation } from './record-location.ts';

/** A record as the archive's index lists it. */
export interface ListedCapture extends RecordLocation {
  /** `warc/revisit` for a record that refers to the body of another one. */
  readonly mime?: string;
  /** Payload digest: `sha1:` and Base32. */
  readonly digest?: string;
}

export interface PayloadSource {
  /**
   * Reads a response with at most `maxBytes` of its body. Throws if it is damaged or not there. `isBesideRead`: the records
   * beside it are read next, which may be read with it.
   */
  readResponse(location: RecordLocation, maxBytes: number, isBesideRead?: boolean): Promise<ArchivedResponse>;
  /** Reads what a site has stated about the use of the page whose response is there. Default: nothing is known. */
  readUsage?(url: string, location: RecordLocation): Promise<UsageStatement[]>;
  /**
   * Reads the rendered form of the page whose response is there, if the archive has one of at most `maxBytes`. Default: no page
   * was rendered.
   */
  readRendered?(url: string, location: RecordLocation, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Whether the crawl may have rendered pages, so that their forms are looked for. Default: it may. */
  hasRendered?(): Promise<boolean>;
  /** The archive's index, as it is when it is called. */
  captures(): AsyncIterable<ListedCapture>;
  /** How many reads are best made at the same time. Default: one. */
  readonly readsAtOnce?: number;
}

export interface ReadPayload {
  /** A 304 has the head of the response that it says is unchanged. */
  readonly response: ArchivedResponse;
  /** The response that has the body: of a revisit, the one that it refers to; of a rendered page, the rendered form. */
  readonly payload: ArchivedResponse;
  /** The statements of the site about the use of the page, if they were requested. */
  readonly usage?: readonly UsageStatement[];
}

/** The payload that was read for a value, or the reason why it could not be read. */
export type TriedPayload<Value> =
  | { readonly value: Value; readonly read: ReadPayload }
  | { readonly value: Value; readonly error: unknown };

/** Throws the reason if it could not be read. */
export function readOf(tried: TriedPayload<unknown>): ReadPayload {
  if ('read' in tried) return tried.read;
  throw tried.error;
}

/** A page as its site has sent it; or as a browser has shown it, if the archive has that, and otherwise as it was sent. */
export type PageForm = 'sent' | 'shown';

/** Bytes in the archive that are read at the same time, unless a single response has more. */
const MAX_BYTES_AT_ONCE = 32 * 1024 * 1024;

/**
 * Reads responses of an archive with their bodies. The body of a revisit is found by its digest. The index is
 * read when the first revisit is met, and again for a revisit that was added since; it keeps the digests of
 * revisits in memory, and no others. A damaged file has revisits that the index lacks: it is read again for the first
 * of them alone.
 */
export class PayloadReader {
  readonly #source: PayloadSource;
  readonly #form: PageForm;
  #hasRendered: Promise<boolean> | undefined;
  /** Digests of the revisits in the index, as it was read last. */
  #wanted: ReadonlySet<string> = new Set();
  readonly #bodies = new Map<string, RecordLocation>();
  /** Files with a revisit that the index lacks: they are damaged, and it lacks more of them. */
  readonly #damaged = new Set<string>();
  /** While the index is being read. */
  #reading: Promise<void> | undefined;

  constructor(source: PayloadSource, form: PageForm = 'sent') {
    this.#source = source;
    this.#form = form;
  }

  /**
   * Throws if a record is damaged or not there, the rendered form too; if a body has more than `maxBytes`, and if the body of a
   * revisit is not in this archive.
   */
  async read(location: RecordLocation, maxBytes: number): Promise<ReadPayload> {
    const { readRendered, hasRendered } = this.#source;
    if (this.#form === 'sent' || readRendered === undefined) return this.#readSent(location, maxBytes);
    this.#hasRendered ??= hasRendered?.() ?? Promise.resolve(true);
    if (!(await this.#hasRendered)) return this.#readSent(location, maxBytes);
    const sent = await this.#readSent(location, maxBytes, true);
    const body = await readRendered(sent.response.url, location, maxBytes).catch((cause) => {
      if (!(cause instanceof NotWarc)) throw cause;
      throw new Error(`its rendered form is damaged: ${cause.message}`, { cause });
    });
    if (body === undefined) return sent;
    const response = { ...sent.response, headers: renderedHeaders(sent.response.headers) };
    return { response, payload: { ...response, body } };
  }

  async #readSent(location: RecordLocation, maxBytes: number, isBesideRead = false): Promise<ReadPayload> {
    const response = await this.#readWhole(location, maxBytes, isBesideRead);
    if (response.revisit === undefined) return { response, payload: response };
    const { digest, url, hasHead } = response.revisit;
    const place = digest === undefined ? undefined : await this.#placeOf(digest, location.file);
    const payload = place && (await this.#readWhole(place, maxBytes));
    if (payload === undefined)
      throw new Error(
        `its content is archived with ${url ?? 'another page'}, which this crawl does not have`,
      );
    if (hasHead) return { response, payload };
    const { httpStatus, statusText, headers } = payload;
    return { response: { ...response, httpStatus, statusText, headers }, payload };
  }

  /** As {@link read} for each value, in their order. Reads ahead, where the archive is best read so. */
  readAll<Value>(
    values: AsyncIterable<Value>,
    placeOf: (value: Value) => RecordLocation,
    maxBytes: number,
    withUsage = false,
  ): AsyncIterable<TriedPayload<Value>> {
    const width = { count: this.#source.readsAtOnce ?? 1, size: MAX_BYTES_AT_ONCE };
    const tried = (value: Value): Promise<TriedPayload<Value>> =>
      this.#readOne(placeOf(value), maxBytes, withUsage).then(
        (read) => ({ value, read }),
        (error: unknown) => ({ value, error }),
      );
    return mapInOrder(values, width, tried, (value) => placeOf(value).length);
  }

  async #readOne(location: RecordLocation, maxBytes: number, withUsage: boolean): Promise<ReadPayload> {
    const read = await this.read(location, maxBytes);
    const usage = withUsage ? await this.#source.readUsage?.(read.response.url, location) : undefined;
    return { ...read, ...(usage && { usage }) };
  }

  async #readWhole(
    location: RecordLocation,
    maxBytes: number,
    isBesideRead = false,
  ): Promise<ArchivedResponse> {
    const response = await this.#source.readResponse(location, maxBytes, isBesideRead);
    if (response.isCut) throw new Error(`it has more than ${maxBytes} bytes`);
    return response;
  }

  /** Returns the place of the body. `file`: that of the revisit. */
  async #placeOf(digest: string, file: string): Promise<RecordLocation | undefined> {
    // The index that others have begun to read may be older than this revisit.
    if (!this.#wanted.has(digest)) await this.#reading;
    if (!this.#wanted.has(digest) && !this.#damaged.has(file)) await this.#readIndex();
    if (!this.#wanted.has(digest)) this.#damaged.add(file);
    return this.#bodies.get(digest);
  }

  #readIndex(): Promise<void> {
    this.#reading ??= this.#readWholeIndex().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readWholeIndex(): Promise<void> {
    const wanted = new Set<string>();
    for await (const { mime, digest } of this.#source.captures())
      if (mime === REVISIT && digest !== undefined) wanted.add(digest);
    for await (const { mime, digest, file, offset, length } of this.#source.captures())
      if (mime !== REVISIT && digest !== undefined && wanted.has(digest))
        this.#bodies.set(digest, { file, offset, length });
    this.#wanted = wanted;
  }
}

/** The media type of a revisit record in the index. */
export const REVISIT = 'warc/revisit';
