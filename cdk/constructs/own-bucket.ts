import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { InvalidOptions } from '../invalid-options.ts';

/** By app, the buckets that were given to crawlers, with the crawler's path. */
const takenIn = new WeakMap<object, Map<string, string>>();

/**
 * Throws {@link InvalidOptions} if another crawler of the app uses `bucket`: both would keep crawls of the
 * same name under the same keys.
 */
export function refuseSharedBucket(crawler: Construct, bucket: IBucket | undefined): void {
  if (bucket === undefined) return;
  const taken = takenIn.get(crawler.node.root) ?? new Map<string, string>();
  takenIn.set(crawler.node.root, taken);
  const path = taken.get(bucket.bucketName);
  if (path !== undefined)
    throw new InvalidOptions(
      `Option bucket of ${crawler.node.path}: the crawler ${path} uses this bucket; give each crawler its own`,
    );
  taken.set(bucket.bucketName, crawler.node.path);
}
