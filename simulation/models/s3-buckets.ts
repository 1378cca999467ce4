/** The contents of S3: objects by key, in the keys' order, and uploads that have not ended. */
import { crc32 } from 'node:zlib';
import type { Random } from './random.ts';
import { noSuchBucket, noSuchKey, refused } from './s3-errors.ts';
import { compareUtf8, type SortedList, sortingBy } from './sorted-list.ts';

export interface StoredObject {
  readonly bytes: Uint8Array;
  /** In quotes, as S3 gives it: the same for the same bytes, but for those of objects made of parts. */
  readonly etag: string;
  /** Ms since the epoch, of a whole second as S3 gives it. */
  readonly lastModified: number;
  readonly contentType: string | undefined;
  readonly metadata: Metadata;
}

type Metadata = Readonly<Record<string, string>> | undefined;

export interface Body {
  readonly bytes: Uint8Array;
  readonly crc32: number;
}

export interface Upload {
  readonly id: string;
  readonly key: string;
  readonly initiatedAt: number;
  readonly contentType: string | undefined;
  readonly metadata: Metadata;
  readonly hasChecksums: boolean;
  /** Whether the checksum covers the whole object instead of its parts. */
  readonly isWholeChecked: boolean;
  readonly parts: Map<number, Body & { readonly etag: string; readonly lastModified: number }>;
}

export interface Conditions {
  readonly IfNoneMatch?: string | undefined;
  readonly IfMatch?: string | undefined;
}

export interface Bucket {
  readonly name: string;
  readonly objects: ReadonlyMap<string, StoredObject>;
  readonly uploads: Map<string, Upload>;
  /** Throws NoSuchKey. */
  object(key: string): StoredObject;
  /** Stores or replaces. */
  put(key: string, object: Pick<StoredObject, 'bytes' | 'etag' | 'contentType' | 'metadata'>): void;
  delete(key: string): void;
  /** Keys from that one on, in order, with it or behind it. */
  keysFrom(key: string, isAfter: boolean): Generator<string>;
  /** Throws where a write may not be made as things are. */
  checkConditions(key: string, conditions: Conditions): void;
}

export interface Buckets {
  readonly now: () => number;
  create(name: string): void;
  named(name: string | undefined): Bucket;
  /** A copy of what was sent. */
  bodyOf(key: string, sent: unknown): Body;
  /** One after the other. */
  serial(): number;
}

/** Longer than a call and what the SDK waits before it repeats one. */
const CONFLICT_MS = 500;
const MAX_KEY_BYTES = 1024;
/** S3 User Guide, "Working with object metadata": the names and values that a user gives, in all. */
const MAX_METADATA_BYTES = 2048;

export function checkMetadata(metadata: Metadata): void {
  const bytes = Buffer.byteLength(
    Object.entries(metadata ?? {})
      .flat()
      .join(''),
  );
  if (bytes > MAX_METADATA_BYTES)
    throw refused('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size');
}

export function createBuckets(now: () => number, random: Random): Buckets {
  const buckets = new Map<string, Bucket>();
  let serials = 0;
  return {
    now,
    create(name) {
      buckets.set(name, createBucket(name, now, random));
    },
    named(name = '') {
      const bucket = buckets.get(name);
      if (!bucket) throw noSuchBucket(name);
      return bucket;
    },
    bodyOf(key, sent) {
      if (key === '' || Buffer.byteLength(key) > MAX_KEY_BYTES)
        throw refused('KeyTooLongError', 'Expected a key of 1 to 1024 bytes');
      const bytes = new Uint8Array(bytesOf(sent));
      return { bytes, crc32: crc32(bytes) };
    },
    serial: () => ++serials,
  };
}

const keySorting = sortingBy<string, string>(compareUtf8);

function createBucket(name: string, now: () => number, random: Random): Bucket {
  const objects = new Map<string, StoredObject>();
  const keys: SortedList<string> = [];
  /** When each of the last keys was written or deleted, oldest first. */
  const touched = new Map<string, number>();

  function touch(key: string): void {
    touched.delete(key);
    touched.set(key, now());
    for (const [other, at] of touched) {
      if (at > now() - CONFLICT_MS) break;
      touched.delete(other);
    }
  }

  /** Returns whether another request for the key was in progress just now: S3 may see the two as one race. */
  function isConflict(key: string): boolean {
    const at = touched.get(key);
    return at !== undefined && at > now() - CONFLICT_MS && random() < 0.5;
  }

  return {
    name,
    objects,
    uploads: new Map(),

    object(key) {
      const object = objects.get(key);
      if (!object) throw noSuchKey(key);
      return object;
    },

    put(key, object) {
      if (!objects.has(key)) keySorting.set(keys, key, key);
      objects.set(key, { ...object, lastModified: Math.floor(now() / 1000) * 1000 });
      touch(key);
    },

    delete(key) {
      if (!objects.delete(key)) return;
      keySorting.remove(keys, key);
      touch(key);
    },

    keysFrom: (key, isAfter) => keySorting.from(keys, key, isAfter),

    checkConditions(key, { IfNoneMatch, IfMatch }) {
      if (IfNoneMatch === undefined && IfMatch === undefined) return;
      if (IfNoneMatch !== undefined && (IfNoneMatch !== '*' || IfMatch !== undefined))
        throw refused(
          'NotImplemented',
          `A header you provided implies functionality that is not implemented`,
        );
      const object = objects.get(key);
      if (IfMatch !== undefined && !object) throw noSuchKey(key);
      if (isConflict(key))
        throw refused('ConditionalRequestConflict', 'A conflicting conditional operation is in progress');
      if (IfNoneMatch !== undefined ? object : object?.etag !== IfMatch)
        throw refused('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
    },
  };
}

function bytesOf(sent: unknown): Uint8Array {
  if (sent instanceof Uint8Array) return sent;
  if (typeof sent === 'string') return Buffer.from(sent);
  if (sent === undefined) return new Uint8Array(0);
  throw refused('NotImplemented', 'Bodies other than bytes and texts are not part of the model');
}

/** By checksum and size: a client takes it as it is, and an MD5 would take ten times as long. */
export const etagOf = ({ bytes, crc32 }: Body): string =>
  `"${crc32.toString(16).padStart(8, '0')}${bytes.length.toString(16).padStart(24, '0')}"`;
