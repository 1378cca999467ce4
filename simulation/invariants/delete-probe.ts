/** Looks at each WARC object that is deleted while a world runs. */
import { DELETED, JOINED_PREFIX } from '../../shared/engines/aws/state/tables.ts';
import type { SimCloud } from '../models/cloud.ts';
import type { Violation } from '../worlds/spec.ts';
import { createFindings, since } from './findings.ts';

const WARC_OBJECT = /^warc\/([^/]+)\/(.+\.warc\.gz)$/;

/** A WARC object is deleted only when it is known where in a joined file its records stand. */
export function probeDeletes({ s3, dynamo, settings, time }: SimCloud): {
  readonly violations: readonly Violation[];
} {
  const findings = createFindings('announcedOnce');
  s3.onDelete((key) => {
    const [, crawl, file] = WARC_OBJECT.exec(key) ?? [];
    if (crawl === undefined) return;
    const items = Array.from(dynamo.items(settings.crawlState));
    if (items.some(({ pk, sk, withArchive }) => pk?.S === DELETED && sk?.S === crawl && withArchive?.BOOL))
      return;
    const isJoined = items.some(({ pk, sk }) => pk?.S === crawl && sk?.S === JOINED_PREFIX + file);
    if (!isJoined)
      findings.add(`${since(time.now())}, ${key} was deleted, and nothing says where its records stand now`, {
        at: time.now(),
      });
  });
  return { violations: findings.list };
}
