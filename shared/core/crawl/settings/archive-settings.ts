/** The archive, and how the visits to hosts are divided. */
import { bytes, count, duration, flag, settingsOf, wholeDuration } from './kinds.ts';
import { MAX_TIMER_MS } from './politeness-settings.ts';

const setting = settingsOf('Archive');
const engine = settingsOf('Crawl');

export const ARCHIVE_SETTINGS = {
  revisits: setting(flag, {
    doc: 'Store no payload twice: a revisit record refers to the first one',
    option: 'revisits',
    default: true,
  }),
  metadata: setting(flag, {
    doc: 'Write a metadata record for each page: title, number of links, how it was found',
    default: true,
  }),
  metadataLinks: setting(count(0, 500), {
    doc: 'Links of a page that its metadata record lists, each with its kind; up to 500',
    costs: '500 bytes a record for 60 links',
    default: 0,
  }),

  // Also what the part of a hook before its first `await` may take, less a quarter. A function of AWS has part of a processor.
  blockTimeoutMs: engine(wholeDuration(1000, 60_000), {
    doc: 'A page that blocks its thread for longer fails, and is not fetched again',
    more: 'On a stack, five times as long.',
    page: 'local.md#pages-that-hang',
    default: 4000,
  }),
  // A turn's lease must outlast an exchange and the hooks of its page.
  hookTimeoutMs: engine(wholeDuration(1, 90_000), {
    doc: 'How long the hooks may take for one page; 90 s at most',
    default: 10_000,
  }),

  hosts: settingsOf('Politeness')(count(1, 10_000), {
    doc: 'Hosts served at once',
    option: 'hosts',
    only: {
      place: 'machine',
      reason: 'the deployment sets how many hosts a worker of a stack serves (hostsPerWorker)',
    },
    default: 250,
  }),
  // Long turns cost less (docs/performance.md).
  turnMaxPages: engine(count(1), {
    doc: 'A visit to a host ends after this many pages, and its outcome is committed',
    default: 400,
  }),
  turnMaxMs: engine(wholeDuration(), {
    doc: 'A visit to a host ends after this time, and its outcome is committed',
    more: 'Visits are shorter at first: 1 s, or as long as the crawl (on one machine, the process) has been running.',
    stackMost: MAX_TIMER_MS,
    // Each turn is paid for there (docs/decisions/0019-turns-grow-with-the-crawl.md).
    stackDefault: 120_000,
    default: 60_000,
  }),
  turnMaxWaitMs: engine(duration(), {
    doc: "A visit waits for its host's next allowed request at most this long; otherwise it ends",
    stackMost: MAX_TIMER_MS,
    default: 10_000,
  }),
  warcMaxBytes: engine(bytes(), {
    doc: 'WARC files are closed at this size',
    only: {
      place: 'machine',
      reason: 'WARC objects are written as they come, and joined into files of 1 GB later',
    },
    default: 1_000_000_000,
  }),
};
