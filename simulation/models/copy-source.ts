import { refused } from './s3-errors.ts';

/** Bucket and key of a `CopySource`, which is URL-encoded. */
export function sourceOf(source: string): [string, string] {
  const [, bucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(decodeURIComponent(source)) ?? [];
  if (bucket === undefined || key === undefined)
    throw refused('InvalidArgument', 'Copy Source must mention the source bucket and key');
  return [bucket, key];
}
