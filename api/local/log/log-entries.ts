/** The entry of a crawl's log for each of its messages. */
import { resultText } from '../../../shared/core/causes/cause-text.ts';
import type { SiteVisit } from '../../../shared/core/frontier/site-visit.ts';
import type { LogEntry } from '../../../shared/core/text/log-entry.ts';
import type { SeedEvent } from '../../../shared/crawler/turn/seed-events.ts';
import type { WorkEvent } from '../../../shared/crawler/turn/work-events.ts';
import { outcomeInWords } from '../../../shared/services/report/outcome-words.ts';
import type { CrawlSummary } from '../../../shared/services/report/summary.ts';
import type { CrawlProgress } from '../../crawl-events.ts';
import type { CrawlMessage } from '../messages.ts';

export type Entry = Omit<LogEntry, 'time'>;

/** Undefined for messages between threads, and for items: they have a file of their own. */
export function logEntryOf(message: CrawlMessage): Entry | undefined {
  switch (message.kind) {
    case 'begun': {
      const { folder, crawl, projectFile } = message;
      return { level: 'info', message: 'Crawl started', fields: { crawl, folder, projectFile } };
    }
    case 'progress':
      return { level: 'info', message: 'Progress', fields: progressFields(message.progress) };
    case 'event':
      return eventEntry(message.event);
    case 'seed':
      return seedEntry(message.event);
    case 'site':
      return siteEntry(message.visit);
    case 'clockStep':
      return { level: 'warn', message: "The machine's clock was set", fields: { ms: message.ms } };
    case 'retried': {
      const { where, cause } = message;
      return { level: 'warn', message: 'Tried again after an error', fields: { where, cause } };
    }
    case 'warning':
      return { level: 'warn', message: message.line };
    case 'closing':
      return { level: 'debug', message: 'Crawl is closing' };
    case 'summary':
      return { level: 'info', message: 'Crawl ended', fields: summaryFields(message.summary) };
  }
}

function progressFields({ startedAt, now, limits, ...counts }: CrawlProgress): Entry['fields'] {
  return { ...counts, seconds: Math.round((now - startedAt) / 1000) };
}

function summaryFields(summary: CrawlSummary): Entry['fields'] {
  const { state, reason, pages, urls, hosts, bytes, seconds, errors } = summary;
  return { state, reason, pages, urls, hosts, bytes, seconds, errors };
}

function eventEntry(event: WorkEvent): Entry | undefined {
  if (event.type === 'item') return undefined;
  const { type, ...fields } = event;
  return { level: 'debug', message: type === 'page' ? 'Page' : 'Host backs off', fields };
}

function siteEntry({ id, outcome, ...fields }: SiteVisit): Entry {
  return {
    level: outcome === 'done' ? 'info' : 'warn',
    message: `Site visited: ${outcome}`,
    fields: { outcome, ...fields },
  };
}

function seedEntry({ url, state, httpStatus, cause, nextTryAt, isGivenUp }: SeedEvent): Entry {
  const words = state === 'redirect' ? resultText({ ...(cause && { cause }) }) : undefined;
  return {
    level: state === 'redirect' ? 'debug' : 'warn',
    message: state === 'redirect' ? 'Seed redirects' : 'Seed was not fetched',
    fields: {
      url,
      state,
      httpStatus,
      cause: words ?? outcomeInWords({ state, httpStatus, cause }),
      nextTryAt: nextTryAt === undefined ? undefined : new Date(nextTryAt).toISOString(),
      isGivenUp,
    },
  };
}
