/**
 * Crawls among many that need something of the waker: a host that is due, a limit of time, an end. How long each waits is
 * measured by what is done, not by what the waker looks at.
 */

import type { CrawlStatus } from '../../shared/crawler/ports/crawl-registry.ts';
import { parseMessageText } from '../../shared/engines/aws/queues/message-text.ts';
import { CRAWL } from '../../shared/engines/aws/state/tables.ts';
import type { SimCloud } from '../models/cloud.ts';
import { crowdHostOf } from './fill-crawls.ts';
import { crawlIn } from './stored-items.ts';

/**
 * A host is due and has no token. The crawl reaches its limit of time. It has nothing left to do, and is to be called
 * finished.
 */
export const NEEDS = ['wake', 'limit', 'end'] as const;
export type Need = (typeof NEEDS)[number];

/** Need of a crawl, and when. Times are the world's. */
export interface NeedyCrawl {
  readonly crawl: string;
  readonly need: Need;
  readonly at: number;
  /** When it was met: a host that is due was sent its wake-up. By a clock that is ahead, before `at`. */
  doneAt?: number;
  /** When a worker had served the host, and deleted that message. */
  servedAt?: number;
}

interface Entry {
  readonly MessageBody?: string;
  readonly Body?: string;
  readonly ReceiptHandle?: string;
}

const MET_BY: Partial<Record<CrawlStatus, Need>> = { limited: 'limit', finished: 'end' };

/** Notes when the needs are met. */
export function watchNeeds({ time, sqs, dynamo }: SimCloud, needy: readonly NeedyCrawl[]): void {
  const byName = new Map(needy.map((one) => [one.crawl, one]));

  function note(crawl: string, need: Need): void {
    const one = byName.get(crawl);
    if (one?.need === need) one.doneAt ??= time.now();
  }

  const byHost = new Map(needy.map((one) => [crowdHostOf(one.crawl), one]));
  /** Hosts of received messages, by the handles of these. */
  const received = new Map<string, NeedyCrawl>();
  const ofBody = (body: string) => byHost.get(body.slice(0, body.indexOf(' ')));
  const watched = sqs as { handle: SimCloud['sqs']['handle'] };
  const { handle } = sqs;
  watched.handle = (command, input) => {
    const { Entries = [] } = input as { Entries?: readonly Entry[] };
    for (const { MessageBody = '' } of command === 'SendMessageBatchCommand' ? Entries : []) {
      const one = ofBody(MessageBody);
      if (one && parseMessageText(MessageBody).message.kind === 'wake') note(one.crawl, 'wake');
    }
    for (const { ReceiptHandle = '' } of command === 'DeleteMessageBatchCommand' ? Entries : []) {
      const one = received.get(ReceiptHandle);
      if (one) one.servedAt ??= time.now();
    }
    const output = handle.call(sqs, command, input);
    if (command === 'ReceiveMessageCommand') void Promise.resolve(output).then(noteReceived, () => {});
    return output;
  };
  function noteReceived(output: unknown): void {
    for (const { Body = '', ReceiptHandle = '' } of (output as { Messages?: readonly Entry[] }).Messages ??
      []) {
      const one = ofBody(Body);
      if (one) received.set(ReceiptHandle, one);
    }
  }

  const { onWrite } = dynamo;
  dynamo.onWrite = (table, after, before) => {
    onWrite?.(table, after, before);
    const crawl = after?.sk?.S === CRAWL ? (after.pk?.S ?? '') : '';
    const need = after && byName.has(crawl) ? MET_BY[crawlIn(after).record.status] : undefined;
    if (need) note(crawl, need);
  };
}
