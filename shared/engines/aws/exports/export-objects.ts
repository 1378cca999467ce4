/** The objects of an export: its files, and what it keeps between the slices of its work. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { ReadAt } from '../../../core/archive/scan-members.ts';
import { SIZES } from '../../../core/base/sizes.ts';
import type { ExportFile, ExportStore } from '../../../services/exports/export-store.ts';
import { CHECKSUM, type ObjectContext } from '../archive/archive-object.ts';
import { listFiles, sizeOf } from '../archive/compact-objects.ts';
import { deleteObjects } from '../archive/delete-objects.ts';
import { isUploadGone } from '../archive/is-missing.ts';
import { readRange } from '../archive/read-range.ts';
import { withRetry } from '../retry.ts';
import { exportsPrefix, exportWorkPrefix } from './export-folders.ts';

/** Parts of an upload have as many bytes, or more where the object would have too many parts. */
const PART_BYTES = 16 * 1024 * 1024;
/** Parts of one object (S3 User Guide, "Multipart upload limits"). */
const MAX_PARTS = 10_000;

/** An upload that continues in a later slice. Its parts are those that count, whatever else was uploaded. */
export interface PausedUpload {
  readonly name: string;
  readonly uploadId: string | undefined;
  readonly partBytes: number;
  readonly parts: readonly (readonly [etag: string, crc32: string])[];
  /** The bytes of all parts. */
  readonly bytes: number;
  /** Bytes that were too few for a part, in an object of the work. */
  readonly held: number;
}

export class ExportObjects implements ExportStore {
  readonly hasFolders = false;
  readonly #context: ObjectContext;
  readonly #results: string;
  readonly #work: string;

  constructor(context: ObjectContext, crawl: string, id: string) {
    this.#context = context;
    this.#results = `${exportsPrefix(crawl)}${id}/`;
    this.#work = `${exportWorkPrefix(crawl)}${id}/`;
  }

  create(name: string, maxBytes = 0): ExportUpload {
    // Rounded up, so that the last part is not one too many.
    const partBytes = Math.max(PART_BYTES, Math.ceil(maxBytes / (MAX_PARTS - 100)));
    return this.resume({ name, uploadId: undefined, partBytes, parts: [], bytes: 0, held: 0 });
  }

  resume(paused: PausedUpload): ExportUpload {
    return new ExportUpload(this, this.#context, `${this.#results}${paused.name}`, paused);
  }

  async putWork(name: string, body: Uint8Array): Promise<void> {
    const { s3, bucket, clock } = this.#context;
    const Key = this.#work + name;
    const command = new PutObjectCommand({ Bucket: bucket, Key, Body: body });
    await withRetry(`storing ${Key}`, () => s3.send(command), { clock });
  }

  async readWork(name: string, bytes?: number): Promise<Uint8Array> {
    const folder = { ...this.#context, sizes: SIZES, folder: this.#work };
    const end = bytes ?? (await sizeOf(folder, name));
    if (end === undefined) throw new Error(`Expected ${this.#work}${name} to be there`);
    return readRange(folder, name, 0, end);
  }

  workReader(name: string, bytes: number): ReadAt {
    const folder = { ...this.#context, folder: this.#work };
    return (offset, length) => readRange(folder, name, offset, Math.min(bytes, offset + length));
  }

  async deleteAllWork(): Promise<void> {
    const folder = { ...this.#context, sizes: SIZES, folder: this.#work };
    const names: string[] = [];
    for await (const page of listFiles(folder)) names.push(...page.map(({ file }) => file));
    await this.deleteWork(names);
  }

  async deleteWork(names: readonly string[]): Promise<void> {
    const keys = names.map((name) => this.#work + name);
    await deleteObjects(this.#context, 'deleting what an export kept', keys);
  }
}

type Part = { readonly PartNumber: number; readonly ETag: string; readonly ChecksumCRC32: string };

/** Calls must not overlap. A part is uploaded while the next one is filled. */
export class ExportUpload implements ExportFile {
  readonly #objects: ExportObjects;
  readonly #context: ObjectContext;
  readonly #target: { readonly Bucket: string; readonly Key: string };
  readonly #given: PausedUpload;
  readonly #parts: Part[];
  #uploadId: string | undefined;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #partedBytes: number;
  #uploading: Promise<void> | undefined;
  #isHeldLoaded = false;
  /** The error of an upload that an earlier slice began, and that is not there any more. */
  #gone: unknown;

  constructor(objects: ExportObjects, context: ObjectContext, key: string, given: PausedUpload) {
    this.#objects = objects;
    this.#context = context;
    this.#target = { Bucket: context.bucket, Key: key };
    this.#given = given;
    this.#uploadId = given.uploadId;
    this.#parts = given.parts.map(([ETag, ChecksumCRC32], i) => ({ PartNumber: i + 1, ETag, ChecksumCRC32 }));
    this.#partedBytes = given.bytes;
  }

  get bytes(): number {
    return this.#partedBytes + (this.#isHeldLoaded ? this.#heldBytes : this.#given.held);
  }

  async add(bytes: Uint8Array): Promise<void> {
    await this.#loadHeld();
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= this.#given.partBytes) await this.#uploadHeld();
  }

  async complete(): Promise<void> {
    await this.#loadHeld();
    await this.#uploading;
    if (this.#uploadId === undefined) {
      const body = Buffer.concat(this.#held, this.#heldBytes);
      await this.#retry(() => this.#context.s3.send(new PutObjectCommand({ ...this.#target, Body: body })));
      return;
    }
    if (this.#heldBytes > 0) await this.#uploadHeld();
    await this.#uploading;
    const command = new CompleteMultipartUploadCommand({
      ...this.#target,
      UploadId: this.#uploadId,
      MultipartUpload: { Parts: this.#parts },
    });
    try {
      await this.#retry(() => this.#context.s3.send(command));
    } catch (error) {
      // There already: by this very call, whose answer was lost, or by an earlier try of the slice, which wrote the same.
      if ((await this.#storedBytes()) !== this.bytes) throw error;
    }
  }

  async pause(): Promise<PausedUpload> {
    await this.#loadHeld();
    await this.#uploading;
    if (this.#gone !== undefined) throw this.#gone;
    const bytes = this.#partedBytes;
    if (this.#heldBytes > 0)
      await this.#objects.putWork(heldName(bytes), Buffer.concat(this.#held, this.#heldBytes));
    const { name, partBytes } = this.#given;
    const parts = this.#parts.map(({ ETag, ChecksumCRC32 }) => [ETag, ChecksumCRC32] as const);
    return { name, uploadId: this.#uploadId, partBytes, parts, bytes, held: this.#heldBytes };
  }

  /** Aborts the upload. Never rejects: a lifecycle rule of the bucket aborts uploads that are left over. */
  async abort(): Promise<void> {
    await this.#uploading?.catch(() => {});
    if (this.#uploadId === undefined) return;
    const command = new AbortMultipartUploadCommand({ ...this.#target, UploadId: this.#uploadId });
    await this.#context.s3.send(command).catch(() => {});
  }

  async #loadHeld(): Promise<void> {
    if (this.#isHeldLoaded) return;
    this.#isHeldLoaded = true;
    const { bytes, held } = this.#given;
    if (held === 0) return;
    this.#held = [await this.#objects.readWork(heldName(bytes), held)];
    this.#heldBytes = held;
  }

  async #uploadHeld(): Promise<void> {
    const body = Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    await this.#uploading;
    this.#partedBytes += body.length;
    const PartNumber = this.#parts.length + 1;
    if (PartNumber > MAX_PARTS)
      throw new Error(`${this.#target.Key} has no room for more than ${MAX_PARTS} parts`);
    this.#uploading = this.#uploadPart(PartNumber, body);
    // Its error is thrown where it is waited for.
    this.#uploading.catch(() => {});
  }

  async #uploadPart(PartNumber: number, Body: Uint8Array): Promise<void> {
    const { s3 } = this.#context;
    if (this.#uploadId === undefined) {
      const create = new CreateMultipartUploadCommand({ ...this.#target, ...CHECKSUM });
      this.#uploadId = (await this.#retry(() => s3.send(create))).UploadId;
    }
    const UploadId = this.#uploadId;
    const command = new UploadPartCommand({ ...this.#target, ...CHECKSUM, UploadId, PartNumber, Body });
    try {
      const { ETag, ChecksumCRC32 } = await this.#retry(() => s3.send(command));
      this.#parts.push({ PartNumber, ETag: ETag as string, ChecksumCRC32: ChecksumCRC32 as string });
    } catch (error) {
      // Perhaps an earlier try of the slice has completed it: `complete` looks.
      if (this.#given.uploadId === undefined || !isUploadGone(error)) throw error;
      this.#gone = error;
    }
  }

  #storedBytes(): Promise<number | undefined> {
    return sizeOf({ ...this.#context, sizes: SIZES, folder: '' }, this.#target.Key);
  }

  #retry<T>(call: () => Promise<T>): Promise<T> {
    return withRetry(`uploading ${this.#target.Key}`, call, { clock: this.#context.clock });
  }
}

const heldName = (bytes: number): string => `held-${bytes}`;
