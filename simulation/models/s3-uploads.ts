/** S3's calls for objects that are made of parts: there when they are complete, not before. */

import { crc32 } from 'node:zlib';
import type {
  AbortMultipartUploadCommandInput,
  CompletedPart,
  CompleteMultipartUploadCommandInput,
  CreateMultipartUploadCommandInput,
  ListMultipartUploadsCommandInput,
  ListPartsCommandInput,
  UploadPartCommandInput,
  UploadPartCopyCommandInput,
} from '@aws-sdk/client-s3';
import { sourceOf } from './copy-source.ts';
import { type Body, type Bucket, type Buckets, checkMetadata, etagOf, type Upload } from './s3-buckets.ts';
import { noSuchUpload, refused, refuseOthers } from './s3-errors.ts';
import { rangeOf } from './s3-objects.ts';
import { compareUtf8 } from './sorted-list.ts';

/** S3 User Guide, "Multipart upload limits". */
const MIN_PART_BYTES = 5 * 1024 * 1024;
const MAX_PART_BYTES = 5 * 1024 ** 3;
const MAX_PARTS = 10_000;
const MAX_LISTED = 1000;

const TARGET = ['Bucket', 'Key'];
const CREATE = new Set([...TARGET, 'ContentType', 'Metadata', 'ChecksumAlgorithm', 'ChecksumType']);
const PART = new Set([...TARGET, 'UploadId', 'PartNumber', 'Body', 'ChecksumAlgorithm']);
const COPY = new Set([
  ...TARGET,
  'UploadId',
  'PartNumber',
  'CopySource',
  'CopySourceRange',
  'CopySourceIfMatch',
]);
const COMPLETE = new Set([...TARGET, 'UploadId', 'MultipartUpload', 'IfNoneMatch', 'IfMatch']);
const ABORT = new Set([...TARGET, 'UploadId']);
const LIST = new Set(['Bucket', 'Prefix']);
const LIST_PARTS = new Set([...TARGET, 'UploadId']);

interface Named {
  readonly Bucket: string | undefined;
  readonly Key: string | undefined;
  readonly UploadId: string | undefined;
}

export function createUploadCalls(buckets: Buckets, minPartBytes = MIN_PART_BYTES) {
  function uploadOf({ Bucket, Key, UploadId = '' }: Named): { bucket: Bucket; upload: Upload } {
    const bucket = buckets.named(Bucket);
    const upload = bucket.uploads.get(UploadId);
    if (upload?.key !== Key || !upload) throw noSuchUpload(UploadId);
    return { bucket, upload };
  }

  function store(upload: Upload, number: number | undefined, body: Body) {
    if (number === undefined || !Number.isInteger(number) || number < 1 || number > MAX_PARTS)
      throw refused('InvalidArgument', `Part number must be an integer between 1 and ${MAX_PARTS}`);
    if (body.bytes.length > MAX_PART_BYTES)
      throw refused('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size');
    const etag = etagOf(body);
    upload.parts.set(number, { ...body, etag, lastModified: buckets.now() });
    return { ETag: etag, ...(upload.hasChecksums && { ChecksumCRC32: checksumText(body.crc32) }) };
  }

  return {
    create(input: CreateMultipartUploadCommandInput) {
      refuseOthers(input, CREATE);
      const { Key = '', ContentType, Metadata, ChecksumAlgorithm, ChecksumType } = input;
      checkMetadata(Metadata);
      const bucket = buckets.named(input.Bucket);
      const id = `upload-${buckets.serial()}`;
      bucket.uploads.set(id, {
        id,
        key: Key,
        initiatedAt: buckets.now(),
        contentType: ContentType,
        metadata: Metadata,
        hasChecksums: ChecksumAlgorithm !== undefined,
        isWholeChecked: ChecksumType === 'FULL_OBJECT',
        parts: new Map(),
      });
      return { Bucket: bucket.name, Key, UploadId: id };
    },

    uploadPart(input: UploadPartCommandInput) {
      refuseOthers(input, PART);
      const { upload } = uploadOf(input);
      return store(upload, input.PartNumber, buckets.bodyOf(upload.key, input.Body));
    },

    copyPart(input: UploadPartCopyCommandInput) {
      refuseOthers(input, COPY);
      const { upload } = uploadOf(input);
      const [name, key] = sourceOf(input.CopySource ?? '');
      const source = buckets.named(name).object(key);
      const { CopySourceRange, CopySourceIfMatch } = input;
      if (CopySourceIfMatch !== undefined && CopySourceIfMatch !== source.etag)
        throw refused('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
      if (CopySourceRange !== undefined && source.bytes.length < minPartBytes)
        throw refused('InvalidRequest', 'The specified copy source is not larger than the minimum of 5 MB');
      const bytes = source.bytes.subarray(...copiedRange(CopySourceRange, source.bytes.length));
      const body = { bytes, crc32: crc32(bytes) };
      const { ETag, ...checksum } = store(upload, input.PartNumber, body);
      return { CopyPartResult: { ETag, ...checksum, LastModified: new Date(buckets.now()) } };
    },

    complete(input: CompleteMultipartUploadCommandInput) {
      refuseOthers(input, COMPLETE);
      const { bucket, upload } = uploadOf(input);
      const parts = checkedParts(upload, input.MultipartUpload?.Parts ?? [], minPartBytes);
      bucket.checkConditions(upload.key, input);
      const bytes = joined(parts);
      const etag = `${etagOf({ bytes, crc32: crc32(bytes) }).slice(0, -1)}-${parts.length}"`;
      bucket.uploads.delete(upload.id);
      const { contentType, metadata } = upload;
      bucket.put(upload.key, { bytes, etag, contentType, metadata });
      return { Bucket: bucket.name, Key: upload.key, ETag: etag };
    },

    abort(input: AbortMultipartUploadCommandInput) {
      refuseOthers(input, ABORT);
      const { bucket, upload } = uploadOf(input);
      bucket.uploads.delete(upload.id);
      return {};
    },

    /** The first thousand uploads that have not ended. */
    list(input: ListMultipartUploadsCommandInput) {
      refuseOthers(input, LIST);
      const { Prefix = '' } = input;
      const bucket = buckets.named(input.Bucket);
      const found = [...bucket.uploads.values()]
        .filter(({ key }) => key.startsWith(Prefix))
        .sort((a, b) => compareUtf8(a.key, b.key) || a.initiatedAt - b.initiatedAt);
      const Uploads = found.slice(0, MAX_LISTED).map(({ id, key, initiatedAt }) => ({
        UploadId: id,
        Key: key,
        Initiated: new Date(initiatedAt),
      }));
      return {
        Bucket: bucket.name,
        Prefix,
        IsTruncated: found.length > Uploads.length,
        ...(Uploads.length > 0 && { Uploads }),
      };
    },

    /** The first thousand. */
    listParts(input: ListPartsCommandInput) {
      refuseOthers(input, LIST_PARTS);
      const { bucket, upload } = uploadOf(input);
      const found = [...upload.parts].sort(([a], [b]) => a - b);
      const Parts = found.slice(0, MAX_LISTED).map(([PartNumber, { bytes, etag, lastModified }]) => ({
        PartNumber,
        Size: bytes.length,
        ETag: etag,
        LastModified: new Date(lastModified),
      }));
      return {
        Bucket: bucket.name,
        Key: upload.key,
        UploadId: upload.id,
        IsTruncated: found.length > Parts.length,
        ...(Parts.length > 0 && { Parts }),
      };
    },
  };
}

/** The parts named, in their order. Throws where they are not what was uploaded, or too small. */
function checkedParts(upload: Upload, named: readonly CompletedPart[], minPartBytes: number): Body[] {
  if (named.length === 0) throw refused('MalformedXML', 'You must specify at least one part');
  let before = 0;
  return named.map(({ PartNumber = 0, ETag, ChecksumCRC32 }, i) => {
    if (PartNumber <= before)
      throw refused('InvalidPartOrder', 'The list of parts was not in ascending order');
    before = PartNumber;
    const part = upload.parts.get(PartNumber);
    if (!part || part.etag !== ETag)
      throw refused('InvalidPart', `The specified part could not be found: ${PartNumber}`);
    const isChecksumDue = upload.hasChecksums && !upload.isWholeChecked;
    if (ChecksumCRC32 === undefined ? isChecksumDue : ChecksumCRC32 !== checksumText(part.crc32))
      throw refused('InvalidPart', `The part's checksum is missing or another one: ${PartNumber}`);
    if (part.bytes.length < minPartBytes && i < named.length - 1)
      throw refused('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed object size');
    return part;
  });
}

function joined(parts: readonly Body[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part.bytes, at);
    at += part.bytes.length;
  }
  return bytes;
}

/** `BUCKET/KEY`, URL-encoded. */
function copiedRange(range: string | undefined, size: number): [number, number] {
  if (range === undefined) return [0, size];
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  if (first === undefined || Number(last) >= size || Number(first) > Number(last))
    throw refused('InvalidArgument', `Range specified is not valid for source object of size: ${size}`);
  return rangeOf(range, size) as [number, number];
}

const checksumText = (checksum: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(checksum >>> 0);
  return bytes.toString('base64');
};
