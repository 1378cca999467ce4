/** The {@link Archive} port on S3: one object of several MB for each flush. */

import type { S3Client } from '@aws-sdk/client-s3';
import { type CaptureFilter, createCaptureFilter } from '../../../core/archive/capture-filter.ts';
import type { RecordLocation } from '../../../core/archive/record-location.ts';
import type { WarcMember } from '../../../core/archive/warc-member.ts';
import { checkWarcPrefix } from '../../../core/archive/warc-prefix.ts';
import { SIZES, type Sizes } from '../../../core/base/sizes.ts';
import type { Archive } from '../../../crawler/ports/archive.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { coalesced } from '../../coalesced.ts';
import { beginWarcUpload, type ObjectContext, putWarcObject, type WarcUpload } from './archive-object.ts';
import { type ArchiveRoom, ArchiveShare, roomFor } from './archive-room.ts';

export interface S3ArchiveOptions {
  readonly client: S3Client;
  readonly bucket: string;
  /** The objects' keys begin with it and a slash. */
  readonly folder: string;
  /** Objects are called `PREFIX-YYYYMMDDhhmmss-RANDOM-NNNNN.warc.gz`: letters, digits, `.`, `_` and `-`. */
  readonly prefix: string;
  readonly clock: Clock;
  /** The gzip member, in pieces, that a new object of that name begins with. */
  readonly warcinfo: (filename: string) => readonly Uint8Array[];
  /** An object that reaches this size is stored at once. Default {@link Sizes.warcObjectBytes}. */
  readonly maxBytes?: number;
  /** Appends of this size and more are uploaded in parts. Default {@link Sizes.uploadPartBytes}. */
  readonly partBytes?: number;
  /** A flush waits so long for other turns' records before it stores an object: fewer PUTs. Default 0. */
  readonly gatherMs?: number;
  /** Does the write of each object. Default: it is just done. */
  readonly storing?: <T>(write: () => Promise<T>) => Promise<T>;
  /** Memory that it shares with other archives. Default: its own. */
  readonly room?: ArchiveRoom;
}

/** The key of the object that a {@link RecordLocation.file} names. */
export const warcKey = (folder: string, file: string): string => `${folder}/${file}`;

/** An object in memory, its name fixed; stored whole. */
interface BufferedObject {
  readonly file: string;
  pieces: Uint8Array[];
  bytes: number;
  /** Undefined once there is a member of which nobody has said what it is. */
  captures: CaptureFilter | undefined;
  storing?: Promise<void>;
}

/**
 * Gathers records in memory; `flush` stores them as one object with one PUT, and with a filter of its captures, by
 * which questions pass it over until it is joined (`capture-pages.ts`). Flushes at the same time share it, and records
 * appended meanwhile go to the next object. `RecordLocation.file` is the last part of the object's key ({@link
 * warcKey}); names are unique by 48 random bits for each archive, and a number.
 *
 * What could not be stored is kept, and every later flush tries it again: no flush resolves while anything
 * appended before it is not durable. While all archives of the process hold too much, an append first stores what its own
 * one holds, and fails if that does; if others hold it, the append is an object of its own, stored when the append resolves.
 *
 * An append too large for that (of `partBytes`, 5 MiB, and more) becomes an object of its own, a multipart
 * upload made as its members are read, so that no part of it is held longer than needed. It is complete when
 * the append resolves. If it fails, only that append does, and nothing of it is left.
 */
export function createS3Archive(options: S3ArchiveOptions): Archive {
  checkWarcPrefix(options.prefix);
  return boundMethods<Archive>(new ObjectArchive(options));
}

class ObjectArchive implements Archive {
  readonly #options: S3ArchiveOptions;
  readonly #context: ObjectContext;
  readonly #maxBytes: number;
  readonly #partBytes: number;
  readonly #random: string;
  #serial = 0;
  #current: BufferedObject | undefined;
  /** Closed objects, not yet stored. */
  #unstored: BufferedObject[] = [];
  readonly #inTurn: ArchiveRoom['inTurn'];
  readonly #share: ArchiveShare;
  readonly #flush = coalesced(() => this.#gatherAndStore());

  constructor(options: S3ArchiveOptions) {
    const { client, bucket, clock } = options;
    this.#options = options;
    this.#context = { s3: client, bucket, clock };
    this.#maxBytes = options.maxBytes ?? SIZES.warcObjectBytes;
    this.#partBytes = options.partBytes ?? SIZES.uploadPartBytes;
    const room = options.room ?? roomFor(this.#maxBytes);
    this.#share = new ArchiveShare(room);
    this.#inTurn = room.inTurn;
    this.#random = Math.floor(clock.random() * 2 ** 48)
      .toString(36)
      .padStart(10, '0');
  }

  async append(members: readonly WarcMember[], captures?: Captures): Promise<RecordLocation[]> {
    if (members.length === 0) return [];
    if (this.#share.isRoomFull) {
      this.#close();
      await this.#storeAll();
    }
    if (members.every(Array.isArray) && sizeOf(members as Uint8Array[][]) < this.#partBytes) {
      const whole = () => (members as Uint8Array[][]).map((pieces) => Buffer.concat(pieces));
      return this.#share.isRoomFull
        ? this.#inTurn(() => this.#appendStored(whole(), captures))
        : this.#appendWhole(whole(), captures);
    }
    return this.#inTurn(async () => {
      const read = await readUpTo(members, this.#partBytes);
      if (read.members) return this.#appendUploaded(read.members, captures);
      return this.#share.isRoomFull
        ? this.#appendStored(read.whole, captures)
        : this.#appendWhole(read.whole, captures);
    });
  }

  flush(): Promise<void> {
    return this.#flush();
  }

  async #gatherAndStore(): Promise<void> {
    const { clock, gatherMs = 0 } = this.#options;
    if (this.#current && gatherMs > 0) await clock.sleep(gatherMs);
    this.#close();
    await this.#storeAll();
  }

  /** Synchronous, so that concurrent appends cannot come between its members. */
  #appendWhole(members: readonly Uint8Array[], captures: Captures): RecordLocation[] {
    const object = this.#current ?? this.#begin();
    const before = this.#current === undefined ? 0 : object.bytes;
    this.#current = object;
    const locations = addTo(object, members, captures);
    this.#share.add(object.bytes - before);
    if (object.bytes >= Math.min(this.#maxBytes, this.#share.objectBytes) || object.captures?.isFull) {
      this.#close();
      // Its failure is the next flush's.
      this.#store(object).catch(() => {});
    }
    return locations;
  }

  /** If it fails, nothing of the members is left. */
  async #appendStored(members: readonly Uint8Array[], captures: Captures): Promise<RecordLocation[]> {
    const object = this.#begin();
    const locations = addTo(object, members, captures);
    await this.#putObject(object);
    return locations;
  }

  #begin(): BufferedObject {
    const file = this.#nextName();
    const lead = Buffer.concat(this.#options.warcinfo(file));
    return { file, pieces: [lead], bytes: lead.length, captures: createCaptureFilter() };
  }

  #close(): void {
    if (this.#current) this.#unstored.push(this.#current);
    this.#current = undefined;
  }

  #store(object: BufferedObject): Promise<void> {
    object.storing ??= this.#putObject(object)
      .then(() => {
        this.#unstored = this.#unstored.filter((other) => other !== object);
        this.#share.remove(object.bytes);
      })
      .finally(() => {
        object.storing = undefined;
      });
    return object.storing;
  }

  async #putObject(object: BufferedObject): Promise<void> {
    const bytes = Buffer.concat(object.pieces, object.bytes);
    object.pieces = [bytes];
    const { folder, storing = justDone } = this.#options;
    const key = warcKey(folder, object.file);
    await storing(() => putWarcObject(this.#context, key, bytes, object.captures?.text()));
  }

  async #storeAll(): Promise<void> {
    const results = await Promise.allSettled(this.#unstored.map((object) => this.#store(object)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  #appendUploaded(members: AsyncIterable<Uint8Array>[], captures: Captures): Promise<RecordLocation[]> {
    const { storing = justDone } = this.#options;
    return storing(() => this.#upload(members, captures));
  }

  async #upload(members: AsyncIterable<Uint8Array>[], captures: Captures): Promise<RecordLocation[]> {
    const { folder, warcinfo } = this.#options;
    const file = this.#nextName();
    let upload: WarcUpload | undefined;
    try {
      const filter = withCaptures(createCaptureFilter(), captures)?.text();
      upload = await beginWarcUpload(this.#context, warcKey(folder, file), this.#partBytes, filter);
      const locations = await uploadAll(upload, file, [iterate(warcinfo(file)), ...members]);
      await upload.complete();
      return locations.slice(1);
    } catch (error) {
      await upload?.abort();
      throw error;
    }
  }

  #nextName(): string {
    const { prefix, clock } = this.#options;
    const stamp = new Date(clock.now()).toISOString().replace(/\D/g, '').slice(0, 14);
    return `${prefix}-${stamp}-${this.#random}-${String(this.#serial++).padStart(5, '0')}.warc.gz`;
  }
}

const justDone = <T>(write: () => Promise<T>): Promise<T> => write();

type Captures = Parameters<Archive['append']>[1];

/** Returns where the members are. */
function addTo(object: BufferedObject, members: readonly Uint8Array[], captures: Captures): RecordLocation[] {
  const locations = members.map((bytes): RecordLocation => {
    const offset = object.bytes;
    object.pieces.push(bytes);
    object.bytes += bytes.length;
    return { file: object.file, offset, length: bytes.length };
  });
  object.captures = withCaptures(object.captures, captures);
  return locations;
}

/** Returns the filter with these captures; none if they are not known. */
function withCaptures(filter: CaptureFilter | undefined, captures: Captures): CaptureFilter | undefined {
  for (const lineStart of captures ?? []) if (lineStart !== undefined) filter?.add(lineStart);
  return captures && filter;
}

async function uploadAll(
  upload: WarcUpload,
  file: string,
  members: AsyncIterable<Uint8Array>[],
): Promise<RecordLocation[]> {
  const locations: RecordLocation[] = [];
  let size = 0;
  for (const member of members) {
    const offset = size;
    for await (const piece of member) {
      await upload.add(piece);
      size += piece.length;
    }
    locations.push({ file, offset, length: size - offset });
  }
  return locations;
}

const sizeOf = (members: readonly (readonly Uint8Array[])[]): number =>
  members.flat().reduce((sum, { length }) => sum + length, 0);

/** The members' bytes if they are less than `limit`; else the members, to be read on from the beginning. */
async function readUpTo(
  members: readonly WarcMember[],
  limit: number,
): Promise<
  { whole: Uint8Array[]; members?: never } | { whole?: never; members: AsyncIterable<Uint8Array>[] }
> {
  const whole: Uint8Array[] = [];
  let size = 0;
  for (const [i, member] of members.entries()) {
    const pieces: Uint8Array[] = [];
    const rest = iterate(member);
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      // Copied: the caller may use its array again.
      pieces.push(Uint8Array.from(next.value));
      size += next.value.length;
      if (size < limit) continue;
      const begun = whole.map((bytes) => chain([bytes]));
      return { members: [...begun, chain(pieces, rest), ...members.slice(i + 1).map(iterate)] };
    }
    whole.push(Buffer.concat(pieces));
  }
  return { whole };
}

async function* iterate(member: WarcMember): AsyncGenerator<Uint8Array> {
  yield* member;
}

async function* chain(first: Uint8Array[], rest?: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Handed over one by one, so that they can be freed while the rest is read.
  for (let piece = first.shift(); piece; piece = first.shift()) yield piece;
  if (rest) yield* rest;
}
