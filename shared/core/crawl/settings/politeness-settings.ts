/** How fast hosts are requested, what robots.txt means, and what follows from failures. */
import { z } from 'zod';
import { amount, bytes, choice, count, duration, flag, other, settingsOf } from './kinds.ts';

const setting = settingsOf('Politeness');

/** Node's timers take no longer time (25 days): they end at once instead. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
/** All of them are in the crawl's record, which is read every two seconds. */
const MAX_IP_BLOCKS = 2000;
/** At a lower rate, a page of usual size would keep its host resting for more than five minutes. */
const MIN_BYTES_PER_SECOND = 100;
const MAX_BYTES_PER_SECOND = 1e12;

export const POLITENESS_SETTINGS = {
  delayMs: setting(duration(), {
    doc: 'Shortest pause between two requests to a host',
    inHelp: ': 1 (seconds), 500ms; a longer Crawl-delay in its robots.txt applies',
    more: 'It begins at the end of a response. A longer `Crawl-delay` in its robots.txt applies.',
    option: 'delay',
    perHost: 'site',
    bound: 'least',
    stackMost: MAX_TIMER_MS,
    default: 1000,
  }),
  // BUbiNG: 500.
  ipDelayMs: setting(duration(0, 60_000), {
    doc: 'Shortest pause between two requests to an IP address, over all hosts at it, of which one is requested at a time then',
    inHelp: ': 250ms, 1 (seconds); at most 60',
    more: 'It begins at the end of a response, and is 60,000 at most. 0: hosts that share an address have only their own pauses.',
    page: 'politeness.md#hosts-that-share-an-ip-address',
    option: 'ip-delay',
    bound: 'least',
    default: 0,
  }),
  ipDelayExcept: setting(
    other(() =>
      z
        .array(z.union([z.cidrv4(), z.cidrv6()], { error: 'a CIDR block such as 104.16.0.0/13' }))
        .max(MAX_IP_BLOCKS),
    ),
    {
      doc: 'Addresses without this pause, as CIDR blocks (`104.16.0.0/13`): those of CDNs, behind which are many servers',
      more: 'The list has 2,000 at most.',
      page: 'politeness.md#hosts-that-share-an-ip-address',
      default: [],
    },
  ),
  adaptive: setting(flag, {
    doc: 'Pause longer for hosts that answer slowly',
    option: 'adaptive',
    perHost: 'override',
    default: true,
  }),
  // Heritrix: 5; Mercator: 10.
  adaptiveFactor: setting(amount(0), {
    doc: 'The adaptive pause: this many times the duration of the last response',
    stackMost: 1000,
    default: 5,
  }),
  // Heritrix: 30 s.
  maxAdaptiveDelayMs: setting(duration(), {
    doc: 'The longest adaptive pause',
    stackMost: MAX_TIMER_MS,
    default: 30_000,
  }),
  maxCrawlDelayMs: setting(duration(), {
    doc: 'A longer `Crawl-delay` of robots.txt is shortened to this',
    perHost: 'site',
    stackMost: MAX_TIMER_MS,
    default: 60_000,
  }),
  // `frontier/byte-rate.ts`. Heritrix: `max-per-host-bandwidth-usage-KB-sec`.
  maxBytesPerSecondPerHost: setting(bytes(MIN_BYTES_PER_SECOND, MAX_BYTES_PER_SECOND), {
    doc: 'Bytes a second that a host sends at most, on average: after each body the host rests',
    inHelp: ': 50k, 1MB; at least 100',
    more: 'The host rests until the body would have come at this rate. robots.txt and sitemaps count. The rate is at least 100.',
    page: 'politeness.md#bytes-a-second',
    option: 'limit-rate-per-host',
    perHost: 'site',
    bound: 'most',
  }),
  // `frontier/crawl-rate.ts`.
  maxBytesPerSecond: setting(bytes(MIN_BYTES_PER_SECOND, MAX_BYTES_PER_SECOND), {
    doc: 'Bytes a second that all hosts together send at most, over all workers',
    inHelp: ': 500k, 10MB; at least 100',
    more: 'A request begins when the rate has room for its bytes. The rate is at least 100.',
    page: 'politeness.md#bytes-a-second-of-all-hosts',
    option: 'limit-rate',
    bound: 'most',
  }),
  perHost: setting(count(1, 64), {
    doc: 'Requests to one host at the same time; use more than 1 only on a site of your own',
    option: 'per-host',
    perHost: 'override',
    bound: 'most',
    default: 1,
  }),
  robots: setting(choice('obey', 'ignore'), {
    doc: 'Whether robots.txt is obeyed; ignore it only on a site of your own',
    option: 'robots',
    perHost: 'override',
    opens: 'requests what robots.txt forbids, in your name',
    default: 'obey',
  }),
  robotsMaxAgeMs: setting(duration(0, 86_400_000), {
    doc: 'robots.txt is requested again after this time at the latest',
    more: 'RFC 9309 allows 24 hours.',
    default: 86_400_000,
  }),
  maxRetryAfterMs: setting(duration(), {
    doc: 'A longer `Retry-After` is shortened to this',
    stackMost: MAX_TIMER_MS,
    default: 3_600_000,
  }),
  backoffMs: setting(duration(), {
    doc: "A host's first rest after a failure; it doubles with each further failure",
    stackMost: MAX_TIMER_MS,
    default: 5000,
  }),
  maxBackoffMs: setting(duration(), {
    doc: "A host's longest rest after failures",
    stackMost: MAX_TIMER_MS,
    default: 600_000,
  }),
  retryMs: setting(duration(), {
    doc: 'The pause before a URL that failed (status 500, for example) is tried again; it doubles with each try',
    stackMost: MAX_TIMER_MS,
    default: 1000,
  }),
  maxAttempts: setting(count(1), { doc: 'Tries of a URL before it counts as failed', default: 3 }),
  maxHostFailures: setting(count(1), {
    doc: 'Failures in a row after which a host is given up',
    default: 5,
  }),
};
