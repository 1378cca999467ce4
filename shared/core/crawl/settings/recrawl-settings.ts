/** When pages are fetched again, and what is made of them. */
import { scheduleFault } from '../schedule.ts';
import { amount, checked, choice, count, duration, flag, settingsOf, text, zoneName } from './kinds.ts';

const setting = settingsOf('Recrawl');

export const RECRAWL_SETTINGS = {
  // See `recrawl/fetch-interval.ts`.
  recrawl: setting(choice('off', 'changes', 'freshness'), {
    doc: 'Keep fetching pages again, each as often as it changes',
    inHelp: '; end with Ctrl-C, continue with resume',
    argument: 'changes|freshness|off',
    more: '`changes`: as few changes as possible remain unseen; `freshness`: as many copies as possible are up to date, and pages that change too fast are fetched rarely. `off`: each page is fetched once, and the crawl ends.',
    page: 'recrawl.md',
    option: 'recrawl',
    resume: 'both',
    default: 'off',
  }),
  // More than 60 days would outlast a due time.
  recrawlEveryMs: setting(duration(60_000, 60 * 86_400_000), {
    doc: 'Keep fetching each page again after this time',
    inHelp: ': 10m, 12h, 7d; at most 60d',
    more: 'The time is from a minute to 60 days.',
    option: 'every',
    resume: 'both',
  }),
  recrawlSchedule: setting(text(checked('a cron expression', scheduleFault), 'CRON'), {
    doc: 'Fetch all pages again at these times',
    inHelp: ": '0 6 * * 1-5', @daily, 'cron(0 6 ? * MON-FRI *)'",
    more: "The times are a cron expression, such as `0 6 * * 1-5`, `@daily` or EventBridge's `cron(0 6 ? * MON-FRI *)`.",
    page: 'recrawl.md#schedules',
    option: 'schedule',
    resume: 'both',
  }),
  recrawlTimeZone: setting(text(zoneName, 'ZONE'), {
    doc: 'The time zone of the schedule, such as Europe/Berlin; UTC by default',
    option: 'time-zone',
    resume: 'both',
  }),
  importance: setting(amount(0.001, 1000), {
    doc: 'Pages count this number of times as important as they are (by links, seeds and sitemaps), 0.001 to 1000',
    more: 'It is meant for `overrides`. Four times the importance is about twice the fetches.',
    page: 'recrawl.md#when-a-page-is-fetched-again',
    perHost: 'site',
    default: 1,
  }),
  recrawlPerDay: setting(count(1), {
    doc: 'Fetches of known pages per day; by default a fifth of the pages known',
    more: "They count for all hosts together. The hosts' pauses (`delayMs`) hold as always.",
    option: 'recrawl-budget',
    resume: 'both',
  }),
  changeFeed: setting(flag, {
    doc: "Report each change of a page to the project's webhook, and on a stack on its event bus",
    more: 'In a crawl that recrawls, each page that is new, changed, gone, moved or back is reported.',
    page: 'recrawl.md#change-feed',
    option: 'change-feed',
    resume: 'both',
  }),
  documents: settingsOf('Crawl')(flag, {
    doc: 'Afterwards, and after each resume, also a document for each page: `documents.jsonl` and `documents.parquet` in the folder are brought up to date, a stack makes an export',
    page: 'local.md#documents-beside-the-archive',
    option: 'documents',
    resume: 'both',
  }),
};
