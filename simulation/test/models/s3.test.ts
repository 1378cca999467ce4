import { NoSuchKey, NoSuchUpload, NotFound, S3ServiceException } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { createServices, often, type S3Answer } from './dynamo-services.ts';

const MIB = 1024 * 1024;

function errorOf(call: () => unknown): S3ServiceException {
  try {
    call();
  } catch (error) {
    return error as S3ServiceException;
  }
  throw new Error('Expected the call to throw');
}

const statusOf = (call: () => unknown) => {
  const { name, $metadata } = errorOf(call);
  return [name, $metadata.httpStatusCode];
};

const keysOf = ({ Contents = [] }: S3Answer) => Contents.map(({ Key }) => Key);

describe('objects', () => {
  test('what was put is read, whole or in part, and belongs to nobody else', async () => {
    const { callS3, s3 } = createServices();
    const Body = Buffer.from('0123456789');
    const { ETag } = callS3('PutObject', { Key: 'k', Body, ContentType: 'text/plain' });
    Body[0] = 0;
    const read = async (Range?: string) =>
      callS3('GetObject', { Key: 'k', Range }).Body!.transformToByteArray();
    const text = async (Range?: string) => Buffer.from(await read(Range)).toString();
    (await read())[1] = 0;
    expect(await text()).toBe('0123456789');
    expect(await text('bytes=2-4')).toBe('234');
    expect(await text('bytes=7-99')).toBe('789');
    expect(await text('bytes=8-')).toBe('89');
    expect(await text('bytes=-3')).toBe('789');
    expect(statusOf(() => callS3('GetObject', { Key: 'k', Range: 'bytes=10-12' }))).toEqual([
      'InvalidRange',
      416,
    ]);
    const part = callS3('GetObject', { Key: 'k', Range: 'bytes=2-4' });
    expect(part).toMatchObject({
      ETag,
      ContentLength: 3,
      ContentRange: 'bytes 2-4/10',
      ContentType: 'text/plain',
    });
    expect(await part.Body!.transformToString()).toBe('234');
    const pieces: Uint8Array[] = [];
    for await (const piece of part.Body!) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('234');
    expect(callS3('HeadObject', { Key: 'k' })).toMatchObject({ ETag, ContentLength: 10 });
    expect(s3.objects('b').get('k')).toMatchObject({ etag: ETag });
  });

  test('a missing object gives the error of S3', () => {
    const { callS3 } = createServices();
    expect(errorOf(() => callS3('GetObject', { Key: 'k' }))).toBeInstanceOf(NoSuchKey);
    expect(errorOf(() => callS3('HeadObject', { Key: 'k' }))).toBeInstanceOf(NotFound);
    expect(statusOf(() => callS3('HeadObject', { Key: 'k' }))).toEqual(['NotFound', 404]);
    expect(statusOf(() => callS3('PutObject', { Bucket: 'x', Key: 'k' }))).toEqual(['NoSuchBucket', 404]);
    expect(errorOf(() => callS3('PutObject', { Key: 'k', StorageClass: 'GLACIER' }))).toBeInstanceOf(
      S3ServiceException,
    );
  });

  test('a conditional put is made or refused; just after another of the key, it may be called a conflict', () => {
    const { callS3, clock } = createServices();
    const putNew = () => callS3('PutObject', { Key: 'k', Body: 'a', IfNoneMatch: '*' });
    const { ETag } = putNew();
    const names = new Set(Array.from({ length: 30 }, () => statusOf(putNew).join(' ')));
    expect(names).toEqual(new Set(['ConditionalRequestConflict 409', 'PreconditionFailed 412']));
    clock.at += 10_000;
    for (let i = 0; i < 30; i++) expect(statusOf(putNew)).toEqual(['PreconditionFailed', 412]);
    const put = (IfMatch?: string) => () => callS3('PutObject', { Key: 'k', Body: 'b', IfMatch });
    expect(statusOf(put('"x"'))).toEqual(['PreconditionFailed', 412]);
    expect(put(ETag)().ETag).not.toBe(ETag);
    expect(statusOf(() => callS3('PutObject', { Key: 'none', Body: 'b', IfMatch: ETag }))).toEqual([
      'NoSuchKey',
      404,
    ]);
  });

  test('many are deleted at once, whether they are there or not; some not, by a fault', () => {
    const { callS3, s3 } = createServices(often('batchEntryFails'));
    const keys = Array.from({ length: 50 }, (_, i) => `k${i}`);
    for (const Key of keys.slice(25)) callS3('PutObject', { Key, Body: '' });
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
    const { Errors = [] } = callS3('DeleteObjects', { Delete });
    expect(Errors.length).toBeGreaterThan(0);
    expect(Errors.every(({ Code }) => Code === 'InternalError')).toBe(true);
    const left = Errors.map(({ Key }) => Key).filter((key) => keys.indexOf(key) >= 25);
    expect([...s3.objects('b').keys()]).toEqual(left);
    const tooMany = { Objects: Array.from({ length: 1001 }, (_, i) => ({ Key: `${i}` })) };
    expect(statusOf(() => callS3('DeleteObjects', { Delete: tooMany }))).toEqual(['MalformedXML', 400]);
  });

  test('a listing gives a thousand keys a page, in the order of their bytes', () => {
    const { callS3, clock } = createServices();
    clock.at += 1234;
    const keys = Array.from({ length: 2500 }, (_, i) => `in/${(i * 7919) % 2500}`);
    for (const Key of ['a', ...keys, 'in', 'inn']) callS3('PutObject', { Key, Body: 'xy' });
    const found: string[] = [];
    const sizes: number[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = callS3('ListObjectsV2', { Prefix: 'in/', ContinuationToken });
      sizes.push(keysOf(page).length);
      found.push(...keysOf(page));
      ContinuationToken = page.NextContinuationToken;
      // Objects that come and go meanwhile do not matter to the rest.
      callS3('DeleteObjects', { Delete: { Objects: [{ Key: found.at(-1) }] } });
    } while (ContinuationToken);
    expect(sizes).toEqual([1000, 1000, 500]);
    expect(found).toEqual(keys.toSorted());
    const [first] = callS3('ListObjectsV2', { MaxKeys: 1 }).Contents ?? [];
    expect(first).toMatchObject({ Key: 'a', Size: 2 });
    expect(first!.LastModified.getTime() % 1000).toBe(0);
    expect(callS3('ListObjectsV2', { Prefix: 'none' }).Contents).toBeUndefined();
  });

  test('a listing with a delimiter gives folders once', () => {
    const { callS3 } = createServices();
    for (const Key of ['a/1', 'a/2', 'b', 'c/1', 'c/d/1']) callS3('PutObject', { Key, Body: '' });
    const all = callS3('ListObjectsV2', { Delimiter: '/' });
    expect([keysOf(all), all.CommonPrefixes]).toEqual([['b'], [{ Prefix: 'a/' }, { Prefix: 'c/' }]]);
    const first = callS3('ListObjectsV2', { Delimiter: '/', MaxKeys: 1 });
    const rest = callS3('ListObjectsV2', { Delimiter: '/', ContinuationToken: first.NextContinuationToken });
    expect([keysOf(first), first.CommonPrefixes]).toEqual([[], [{ Prefix: 'a/' }]]);
    expect([keysOf(rest), rest.CommonPrefixes]).toEqual([['b'], [{ Prefix: 'c/' }]]);
  });
});

describe('uploads by parts', () => {
  function begun(more: object = {}) {
    const services = createServices();
    const { UploadId } = services.callS3('CreateMultipartUpload', { Key: 'k', ...more });
    const part = (PartNumber: number, Body: Uint8Array) => ({
      PartNumber,
      ...services.callS3<{ ETag: string }>('UploadPart', { Key: 'k', UploadId, PartNumber, Body }),
      $metadata: undefined,
    });
    const complete = (Parts: object[], conditions: object = {}) =>
      services.callS3('CompleteMultipartUpload', {
        Key: 'k',
        UploadId,
        MultipartUpload: { Parts },
        ...conditions,
      });
    return { ...services, UploadId, part, complete };
  }

  test('the object is there when it is complete, in the order of its parts', async () => {
    const { callS3, s3, part, complete, UploadId } = begun();
    const second = part(2, Buffer.from('end'));
    const first = part(1, Buffer.alloc(5 * MIB, 'x'));
    expect(s3.objects('b').size).toBe(0);
    expect(callS3('ListMultipartUploads', { Prefix: 'k' }).Uploads).toMatchObject([{ UploadId, Key: 'k' }]);
    const { ETag } = complete([first, second]);
    expect(ETag).toMatch(/-2"$/);
    expect(callS3('ListMultipartUploads', {}).Uploads).toBeUndefined();
    const tail = callS3('GetObject', { Key: 'k', Range: `bytes=${5 * MIB - 1}-` });
    expect(await tail.Body!.transformToString()).toBe('xend');
    expect(errorOf(() => complete([first, second]))).toBeInstanceOf(NoSuchUpload);
  });

  test('parts too small, unknown or out of order are refused, and the upload can still be completed', () => {
    const { part, complete } = begun();
    const small = part(1, Buffer.from('x'));
    const large = part(2, Buffer.alloc(5 * MIB));
    expect(statusOf(() => complete([small, large]))).toEqual(['EntityTooSmall', 400]);
    expect(statusOf(() => complete([large, small]))).toEqual(['InvalidPartOrder', 400]);
    expect(statusOf(() => complete([{ PartNumber: 3, ETag: '"x"' }]))).toEqual(['InvalidPart', 400]);
    expect(statusOf(() => complete([{ ...large, ETag: small.ETag }]))).toEqual(['InvalidPart', 400]);
    expect(statusOf(() => complete([]))).toEqual(['MalformedXML', 400]);
    complete([large]);
  });

  test('checksums that the upload was begun with are due for each part, or for the whole', () => {
    const { part, complete } = begun({ ChecksumAlgorithm: 'CRC32' });
    const { PartNumber, ETag, ...rest } = part(1, Buffer.from('x'));
    expect(statusOf(() => complete([{ PartNumber, ETag }]))).toEqual(['InvalidPart', 400]);
    complete([{ PartNumber, ETag, ...rest }]);
    const whole = begun({ ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' });
    const { ETag: etag } = whole.part(1, Buffer.from('x'));
    whole.complete([{ PartNumber: 1, ETag: etag }]);
  });

  test('an object that is there meanwhile is not replaced by a conditional completion', () => {
    const { callS3, part, complete, clock } = begun();
    const only = part(1, Buffer.from('x'));
    callS3('PutObject', { Key: 'k', Body: 'first' });
    clock.at += 10_000;
    expect(statusOf(() => complete([only], { IfNoneMatch: '*' }))).toEqual(['PreconditionFailed', 412]);
    expect(callS3('HeadObject', { Key: 'k' }).ContentLength).toBe(5);
  });

  test('S3 copies ranges of objects of 5 MB and more', async () => {
    const { callS3, complete, UploadId } = begun();
    const key = 'häßlich +.bin';
    callS3('PutObject', { Key: key, Body: Buffer.concat([Buffer.alloc(6 * MIB, 'a'), Buffer.from('bc')]) });
    callS3('PutObject', { Key: 'small', Body: 'x' });
    const copy = (PartNumber: number, source: string, CopySourceRange?: string, more: object = {}) =>
      callS3('UploadPartCopy', {
        Key: 'k',
        UploadId,
        PartNumber,
        CopySource: encodeURI(`b/${source}`),
        CopySourceRange,
        ...more,
      }).CopyPartResult;
    const last = 6 * MIB + 1;
    const one = copy(1, key, `bytes=${MIB}-${last}`);
    const two = copy(2, 'small');
    complete([
      { PartNumber: 1, ETag: one?.ETag },
      { PartNumber: 2, ETag: two?.ETag },
    ]);
    const tail = callS3('GetObject', { Key: 'k', Range: `bytes=${5 * MIB - 1}-` });
    expect(await tail.Body!.transformToString()).toBe('abcx');
    const again = begun();
    const from = (range: string) => () =>
      again.callS3('UploadPartCopy', {
        ...{ Key: 'k', UploadId: again.UploadId, PartNumber: 1, CopySource: 'b/x', CopySourceRange: range },
      });
    expect(statusOf(from('bytes=0-1'))).toEqual(['NoSuchKey', 404]);
    again.callS3('PutObject', { Key: 'x', Body: 'x' });
    expect(statusOf(from('bytes=0-0'))).toEqual(['InvalidRequest', 400]);
    again.callS3('PutObject', { Key: 'x', Body: Buffer.alloc(5 * MIB) });
    expect(statusOf(from(`bytes=0-${5 * MIB}`))).toEqual(['InvalidArgument', 400]);
  });

  test('an upload that was aborted is gone', () => {
    const { callS3, part, complete, UploadId } = begun();
    const only = part(1, Buffer.from('x'));
    callS3('AbortMultipartUpload', { Key: 'k', UploadId });
    expect(errorOf(() => complete([only]))).toBeInstanceOf(NoSuchUpload);
    expect(errorOf(() => callS3('AbortMultipartUpload', { Key: 'k', UploadId }))).toBeInstanceOf(
      NoSuchUpload,
    );
  });
});
