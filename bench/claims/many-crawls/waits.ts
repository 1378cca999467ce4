/**
 * Crawls among many that need something of the waker: a host that is due, a limit of time, an end. They stand anywhere in
 * the order of names. How long each waits is measured by what is done, not by what the waker looks at.
 */

import { parseMessageText } from '../../../shared/engines/aws/queues/message-text.ts';
import { CRAWL } from '../../../shared/engines/aws/state/tables.ts';
import type { CrawlStatus } from '../../../shared/ports/crawl-registry.ts';
import type { SimCloud } from '../../../simulation/models/cloud.ts';
import { crawlIn } from '../../../simulation/worlds/stored-items.ts';
import type { CrawlAtRest } from './fill.ts';

/** The needs of such a crawl. */
const NEEDS = ['wake', 'limit', 'end'] as const;
export type Need = (typeof NEEDS)[number];

const MINUTE = 60_000;
const DAY_MS = 86_400_000;
/** Due times are rounded to this in the index while they are near. */
const DUE_STEP_MS = 15_000;
/** They need it within this time from the beginning, one after the other. */
const SPREAD_MS = 6 * MINUTE;
const FIRST_MS = 2 * MINUTE;

export interface Waits {
  readonly crawls: readonly CrawlAtRest[];
  /** Seconds that the longest of those has waited, up to now if it waits still. */
  longestSeconds(need: Need): number;
  /** How many still wait. */
  waiting(): number;
}

/** `names`: one crawl for each; they need one thing after the other, from `from` on. */
export function watchWaits({ time, sqs, dynamo }: SimCloud, names: readonly string[], from: number): Waits {
  const needed = new Map<string, { readonly need: Need; readonly at: number; doneAt?: number }>();
  const crawls = names.map((crawl, i): CrawlAtRest => {
    const need = NEEDS[i % NEEDS.length] as Need;
    const step = FIRST_MS + (SPREAD_MS * i) / names.length;
    const at = Math.ceil((from + step) / DUE_STEP_MS) * DUE_STEP_MS;
    needed.set(crawl, { need, at: need === 'end' ? from : at });
    if (need === 'wake') return { crawl, dueAt: at };
    if (need === 'limit')
      return { crawl, dueAt: from + DAY_MS, config: { recrawlEveryMs: DAY_MS, maxTimeMs: at - from } };
    return { crawl, config: {} };
  });

  function done(crawl: string, by: Need): void {
    const one = needed.get(crawl);
    if (one?.need === by && time.now() >= one.at) one.doneAt ??= time.now();
  }

  const send = sqs as { handle: SimCloud['sqs']['handle'] };
  const { handle } = sqs;
  send.handle = (command, input) => {
    const { Entries = [] } = input as { Entries?: readonly { readonly MessageBody?: string }[] };
    if (command === 'SendMessageBatchCommand')
      for (const { MessageBody = '' } of Entries) if (MessageBody.includes(' ')) noteWake(MessageBody);
    return handle.call(sqs, command, input);
  };
  function noteWake(body: string): void {
    const { message } = parseMessageText(body);
    if (message.kind === 'wake') done(message.crawl, 'wake');
  }

  const STATUS: Partial<Record<CrawlStatus, Need>> = { limited: 'limit', finished: 'end' };
  const { onWrite } = dynamo;
  dynamo.onWrite = (table, after, before) => {
    onWrite?.(table, after, before);
    if (after?.sk?.S !== CRAWL) return;
    const crawl = after.pk?.S ?? '';
    const need = needed.has(crawl) ? STATUS[crawlIn(after).record.status] : undefined;
    if (need) done(crawl, need);
  };

  return {
    crawls,
    longestSeconds: (need) =>
      Math.max(
        0,
        ...needed
          .values()
          .filter((one) => one.need === need)
          .map(({ at, doneAt = time.now() }) => (doneAt - at) / 1000),
      ),
    waiting: () =>
      needed
        .values()
        .filter(({ doneAt }) => doneAt === undefined)
        .toArray().length,
  };
}
