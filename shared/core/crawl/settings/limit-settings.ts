/** Limits that end a crawl, and limits of a host or domain. */
import { z } from 'zod';
import { bytes, count, domainName, duration, flagOn, other, settingsOf, wholeDuration } from './kinds.ts';

const setting = settingsOf('Limits');

/** The domain's head names each of its opened hosts, in four bytes. */
const MAX_HOSTS_PER_DOMAIN = 10_000;
/** All of them are in the crawl's record, which is read every two seconds. */
export const MAX_DOMAIN_BUDGETS = 5000;
/** A number of nine digits at most. */
const LINK_BUDGET = /^links:[1-9]\d{0,8}$/;
const BUDGET = 'a whole number from 1, links, links:N or off';
/** No crawl comes near: a larger number is a mistake. */
const MAX_COUNT = 1e15;
const YEAR_MS = 366 * 86_400_000;
const MAX_DOLLARS = 1e6;

const domainBudget = () =>
  z.union(
    [
      z.literal(['off', 'links']),
      z.string().regex(LINK_BUDGET, BUDGET) as unknown as z.ZodType<`links:${number}`, `links:${number}`>,
      z.int().min(1),
    ],
    { error: BUDGET },
  );

const domainBudgets = () =>
  z
    .record(domainName(), z.int().min(1))
    .refine((budgets) => Object.keys(budgets).length <= MAX_DOMAIN_BUDGETS, {
      error: `at most ${MAX_DOMAIN_BUDGETS} domains`,
    });

export const LIMIT_SETTINGS = {
  maxPages: setting(count(1), {
    doc: 'End after this many pages',
    more: 'Pages are responses other than redirects, robots.txt, sitemaps and requisites, whatever their status.',
    option: 'max-pages',
    resume: 'both',
    stackMost: MAX_COUNT,
  }),
  maxBytes: setting(bytes(), {
    doc: 'End after this many bytes',
    inHelp: ': 500k, 10MB, 1GiB',
    more: 'The bytes of all bodies count, as received.',
    option: 'max-bytes',
    resume: 'both',
    stackMost: MAX_COUNT,
  }),
  maxTimeMs: setting(wholeDuration(), {
    doc: 'End after this time',
    inHelp: ': 90 (seconds), 10m, 2h, 1d',
    more: 'The time counts while the crawl runs, over all sessions.',
    option: 'max-time',
    resume: 'both',
    stackMost: 10 * YEAR_MS,
  }),
  maxCost: setting(
    other(() => z.number().positive(), 'dollars', 'USD'),
    {
      doc: 'Pause before it costs more than this, in US dollars at list price',
      inHelp: ': 5, 0.50',
      option: 'max-cost',
      only: { place: 'stack', reason: 'one machine costs nothing per request' },
      resume: 'stack',
      bound: 'most',
      stackMost: MAX_DOLLARS,
    },
  ),
  maxPagesPerHost: setting(count(1), {
    doc: 'Pages of one host',
    option: 'max-pages-per-host',
    perHost: 'site',
    resume: 'both',
  }),
  maxPagesPerTemplate: setting(count(1), {
    doc: 'Pages of one URL template of a host: URLs that differ only in numbers, ids and values of parameters; seeds are exempt',
    more: 'Such URLs are `/item/1` and `/item/2`. Seeds, targets of their redirects and requests of the project are always fetched, and do not count.',
    page: 'local.md#quotas-by-template',
    option: 'max-pages-per-template',
    perHost: 'site',
  }),
  domainBudget: setting(other(domainBudget, 'domainBudget', 'N|links|links:N|off'), {
    doc: 'Page requests per registrable domain and period, over all its hosts; the rest waits; 1000 with scope any, otherwise off; links: up to ten times as many for domains to which many link',
    more: 'Redirects and failures count; robots.txt, page requisites and pages that are fetched again do not. With `links:N` each domain has N at least.',
    page: 'domain-budgets.md',
    option: 'domain-budget',
    resume: 'both',
  }),
  domainBudgets: setting(other(domainBudgets), {
    doc: "Other budgets of some registrable domains, by name: `{ 'example.org': 5000 }`; at most 5,000",
    more: 'They hold with each scope.',
    page: 'domain-budgets.md#budgets-by-rank',
    default: {},
  }),
  // IRLbot: a day.
  domainBudgetEveryMs: setting(duration(1000, 30 * 86_400_000), {
    doc: 'The period of domain budgets',
    more: 'It is from a second to 30 days.',
    default: 86_400_000,
  }),
  maxHostsPerDomain: setting(
    other(
      () =>
        z.union([z.literal('off'), z.int().min(1).max(MAX_HOSTS_PER_DOMAIN)], {
          error: `a whole number from 1 to ${MAX_HOSTS_PER_DOMAIN}, or off`,
        }),
      'countOrOff',
      'N|off',
    ),
    {
      doc: 'Hosts visited of a registrable domain; links to others are skipped; 1000 with scope any, otherwise off',
      more: 'The number is 10,000 at most. Seeds are not skipped.',
      option: 'max-hosts-per-domain',
    },
  ),
  // Otherwise each host has `maxHostFailures` tries even then.
  keepTrying: setting(flagOn, {
    doc: 'Keep trying if no host has answered yet (by default, the crawl ends after the second try), and wait for hosts that refuse it',
    option: 'keep-trying',
    resume: 'both',
    default: false,
  }),
};
