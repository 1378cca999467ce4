/** S3's calls for whole objects. */
import type {
  CopyObjectCommandInput,
  DeleteObjectsCommandInput,
  GetObjectCommandInput,
  HeadObjectCommandInput,
  ListObjectsV2CommandInput,
  PutObjectCommandInput,
} from '@aws-sdk/client-s3';
import { sourceOf } from './copy-source.ts';
import type { Faults } from './faults.ts';
import { type Buckets, checkMetadata, etagOf, type StoredObject } from './s3-buckets.ts';
import { refused, refuseOthers, unknown } from './s3-errors.ts';
import { compareUtf8 } from './sorted-list.ts';

const PUT = new Set(['Bucket', 'Key', 'Body', 'ContentType', 'IfNoneMatch', 'IfMatch', 'Metadata']);
const COPY = new Set(['Bucket', 'Key', 'CopySource']);
const GET = new Set(['Bucket', 'Key', 'Range', 'IfMatch']);
const HEAD = new Set(['Bucket', 'Key']);
const DELETE = new Set(['Bucket', 'Delete']);
const LIST = new Set(['Bucket', 'Prefix', 'Delimiter', 'ContinuationToken', 'StartAfter', 'MaxKeys']);

const MAX_DELETES = 1000;
const MAX_KEYS = 1000;

export function createObjectCalls(buckets: Buckets, faults: Faults) {
  return {
    put(input: PutObjectCommandInput) {
      refuseOthers(input, PUT);
      const { Key = '', Body, ContentType, Metadata } = input;
      const bucket = buckets.named(input.Bucket);
      const body = buckets.bodyOf(Key, Body);
      bucket.checkConditions(Key, input);
      const etag = etagOf(body);
      checkMetadata(Metadata);
      bucket.put(Key, { bytes: body.bytes, etag, contentType: ContentType, metadata: Metadata });
      return { ETag: etag };
    },

    copy(input: CopyObjectCommandInput) {
      refuseOthers(input, COPY);
      const [name, key] = sourceOf(input.CopySource ?? '');
      const { bytes, etag, contentType, metadata } = buckets.named(name).object(key);
      buckets.named(input.Bucket).put(input.Key ?? '', { bytes, etag, contentType, metadata });
      return { CopyObjectResult: { ETag: etag, LastModified: new Date(buckets.now()) } };
    },

    get(input: GetObjectCommandInput) {
      refuseOthers(input, GET);
      const { Key = '', Range, IfMatch } = input;
      const object = buckets.named(input.Bucket).object(Key);
      if (IfMatch !== undefined && IfMatch !== object.etag)
        throw refused('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
      const { bytes } = object;
      const [from, to] = rangeOf(Range, bytes.length) ?? [0, bytes.length];
      return {
        ...headersOf(object),
        ContentLength: to - from,
        ...(Range !== undefined && { ContentRange: `bytes ${from}-${to - 1}/${bytes.length}` }),
        Body: bodyFor(bytes.subarray(from, to)),
      };
    },

    head(input: HeadObjectCommandInput) {
      refuseOthers(input, HEAD);
      const object = buckets.named(input.Bucket).objects.get(input.Key ?? '');
      if (!object) throw unknown();
      return { ...headersOf(object), ContentLength: object.bytes.length };
    },

    /** Each for itself, whether it is there or not; by a fault, some not. */
    deleteAll(input: DeleteObjectsCommandInput) {
      refuseOthers(input, DELETE);
      const { Objects = [], Quiet = false } = input.Delete ?? {};
      if (Objects.length === 0 || Objects.length > MAX_DELETES)
        throw refused('MalformedXML', `Expected 1 to ${MAX_DELETES} keys, got ${Objects.length}`);
      const bucket = buckets.named(input.Bucket);
      const Deleted: { Key: string }[] = [];
      const Errors: { Key: string; Code: string; Message: string }[] = [];
      for (const { Key = '' } of Objects) {
        if (faults.strikes('batchEntryFails')) {
          const Message = 'We encountered an internal error. Please try again.';
          Errors.push({ Key, Code: 'InternalError', Message });
          continue;
        }
        bucket.delete(Key);
        Deleted.push({ Key });
      }
      return {
        ...(!Quiet && Deleted.length > 0 && { Deleted }),
        ...(Errors.length > 0 && { Errors }),
      };
    },

    /** In the order of the keys' bytes. */
    list(input: ListObjectsV2CommandInput) {
      refuseOthers(input, LIST);
      const { Prefix = '', Delimiter = '', ContinuationToken, StartAfter, MaxKeys = MAX_KEYS } = input;
      const bucket = buckets.named(input.Bucket);
      const most = Math.min(MAX_KEYS, MaxKeys);
      const after = ContinuationToken === undefined ? StartAfter : keyOf(ContinuationToken);
      const Contents: object[] = [];
      const CommonPrefixes: { Prefix: string }[] = [];
      let last: string | undefined;
      let isTruncated = false;
      const isWithin = after !== undefined && compareUtf8(after, Prefix) >= 0;
      for (const key of bucket.keysFrom(isWithin ? after : Prefix, isWithin)) {
        if (!key.startsWith(Prefix)) break;
        const end = Delimiter === '' ? -1 : key.indexOf(Delimiter, Prefix.length);
        const folder = end < 0 ? undefined : key.slice(0, end + Delimiter.length);
        if (folder !== undefined && (CommonPrefixes.at(-1)?.Prefix === folder || after?.startsWith(folder))) {
          last = key;
          continue;
        }
        if (Contents.length + CommonPrefixes.length >= most) {
          isTruncated = true;
          break;
        }
        last = key;
        if (folder !== undefined) CommonPrefixes.push({ Prefix: folder });
        else {
          const { bytes, etag, lastModified } = bucket.object(key);
          Contents.push({ Key: key, Size: bytes.length, ETag: etag, LastModified: new Date(lastModified) });
        }
      }
      return {
        Name: bucket.name,
        Prefix,
        KeyCount: Contents.length + CommonPrefixes.length,
        IsTruncated: isTruncated,
        ...(Contents.length > 0 && { Contents }),
        ...(CommonPrefixes.length > 0 && { CommonPrefixes }),
        ...(isTruncated && last !== undefined && { NextContinuationToken: tokenOf(last) }),
      };
    },
  };
}

const tokenOf = (key: string): string => Buffer.from(key).toString('base64url');

function keyOf(token: string): string {
  const key = Buffer.from(token, 'base64url').toString();
  if (key === '' || tokenOf(key) !== token)
    throw refused('InvalidArgument', 'The continuation token provided is incorrect');
  return key;
}

const headersOf = ({ etag, lastModified, contentType, metadata }: StoredObject) => ({
  Metadata: metadata ?? {},
  ETag: etag,
  LastModified: new Date(lastModified),
  ...(contentType !== undefined && { ContentType: contentType }),
  AcceptRanges: 'bytes',
});

/** The range of an object of `size` bytes; undefined: all of it. */
export function rangeOf(range: string | undefined, size: number): [number, number] | undefined {
  if (range === undefined) return undefined;
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (from >= to)
    throw refused('InvalidRange', `The requested range is not satisfiable: ${range} of ${size}`);
  return [from, to];
}

/** A body of the SDK, to be read once or more often. Each reading gives bytes of its own. */
const bodyFor = (bytes: Uint8Array) => ({
  transformToByteArray: async () => new Uint8Array(bytes),
  transformToString: async (encoding: BufferEncoding = 'utf8') => Buffer.from(bytes).toString(encoding),
  async *[Symbol.asyncIterator]() {
    if (bytes.length > 0) yield new Uint8Array(bytes);
  },
});
