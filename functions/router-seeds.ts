import type { SQSRecord } from 'aws-lambda';
import type { CrawlOptions } from '../shared/core/crawl/config.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import { quoted } from '../shared/core/text/printable.ts';
import { MAX_MESSAGE_URLS } from '../shared/engines/aws/queues/link-message.ts';
import { type AddedSeeds, type Control, ControlError } from '../shared/services/control/control.ts';
import type { Log } from './log.ts';

/** A message of seeds. */
export interface SeedRecord {
  readonly record: SQSRecord;
  readonly crawl: CrawlId;
  readonly urls: readonly string[];
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface SeedDeps {
  readonly control: Pick<Control, 'seed'>;
  readonly log: Log;
  /** Does work for these records; if it fails, they come again. Never rejects. */
  readonly attempt: (records: readonly SQSRecord[], work: () => Promise<void>) => Promise<void>;
  /** Puts the message aside, with the reason. Never rejects. */
  readonly refuse: (record: SQSRecord, reason: string) => Promise<void>;
}

/** Refused URLs of one message that are logged one by one. */
const MAX_LOGGED = 20;

/**
 * Takes seeds in: those of many messages for one crawl at once, since each time costs the crawl a write. A
 * message of which nothing can be used is put aside; other refusals are logged.
 */
export async function takeSeeds(seeds: readonly SeedRecord[], deps: SeedDeps): Promise<void> {
  // A queue may give them in another order than they were sent in: the crawl is to begin with the settings.
  const ordered = seeds.toSorted((a, b) => Number(b.config !== undefined) - Number(a.config !== undefined));
  const alike = Map.groupBy(ordered, ({ crawl, config }) => JSON.stringify([crawl, config]));
  for (const some of alike.values()) for (const group of ofBoundedSize(some)) await takeGroup(group, deps);
}

async function takeGroup(group: readonly SeedRecord[], deps: SeedDeps): Promise<void> {
  const [first] = group;
  if (!first) return;
  const urls = [...new Set(group.flatMap(({ urls }) => urls))];
  await deps.attempt(
    group.map(({ record }) => record),
    async () => {
      try {
        const { crawl, config } = first;
        const request = { crawl, seeds: urls, ...(config && { config: config as CrawlOptions }) };
        await settle(group, await deps.control.seed(request, senderOf(first.record)), deps);
      } catch (error) {
        if (!(error instanceof ControlError)) throw error;
        // Which of them is at fault? Each for itself, then.
        if (group.length > 1) for (const one of group) await takeGroup([one], deps);
        else await deps.refuse(first.record, reasonOf(error));
      }
    },
  );
}

async function settle(
  group: readonly SeedRecord[],
  { refused }: AddedSeeds,
  { refuse, log }: SeedDeps,
): Promise<void> {
  const reasons = new Map(refused.map(({ url, reason }) => [url, reason]));
  for (const { record, crawl, urls } of group) {
    const wrong = urls.filter((url) => reasons.has(url));
    const [url] = wrong;
    if (url !== undefined && wrong.length === urls.length) {
      const others = wrong.length > 1 ? `, and ${wrong.length - 1} others` : '';
      await refuse(record, `${quoted(url)}: ${reasons.get(url)}${others}`);
      continue;
    }
    for (const url of wrong.slice(0, MAX_LOGGED))
      log('warn', { message: 'A seed is refused', crawl, url, reason: reasons.get(url) });
    if (wrong.length > MAX_LOGGED)
      log('warn', {
        message: `${wrong.length - MAX_LOGGED} other seeds are refused`,
        crawl,
        id: record.messageId,
      });
  }
}

/** The id of the user or role that sent the message, as SQS gives it. */
const senderOf = ({ attributes: { SenderId } }: SQSRecord): string | undefined =>
  SenderId ? `sender ${SenderId}` : undefined;

const reasonOf = ({ field, message }: ControlError): string =>
  field === undefined || message.includes(field) ? message : `${field}: ${message}`;

/** In order; each group has at most {@link MAX_MESSAGE_URLS} URLs, which no single message passes. */
function ofBoundedSize(seeds: readonly SeedRecord[]): SeedRecord[][] {
  const groups: SeedRecord[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const one of seeds) {
    if (size + one.urls.length > MAX_MESSAGE_URLS) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(one);
    size += one.urls.length;
  }
  return groups;
}
