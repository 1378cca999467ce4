/** Which pages are fetched and used: sitemaps and feeds, statements of pages, requisites. */
import { z } from 'zod';
import { primaryLanguage } from '../../text/primary-language.ts';
import { PURPOSES } from '../../usage/purpose.ts';
import { NEAR_DUPLICATES } from '../near-duplicates.ts';
import { choice, count, flag, flagOn, other, settingsOf } from './kinds.ts';

const page = settingsOf('Pages');
const sitemap = settingsOf('Sitemaps and feeds');

const isLanguage = (tag: string): boolean => primaryLanguage(tag) !== undefined;

export const PAGE_SETTINGS = {
  obeyNofollow: page(flag, {
    doc: 'Do not follow links that a page marks as `nofollow`',
    more: 'A page may mark one link (`rel=nofollow`), or all of its links (meta robots, `X-Robots-Tag`).',
    option: 'obey-nofollow',
    default: true,
  }),
  purpose: page(choice(...PURPOSES), {
    doc: 'What the content is used for: pages whose sites forbid that are not fetched, or kept from hooks and exports',
    more: 'A page is not fetched if robots.txt forbids the use; if the page does (Content-Usage, Content-Signal, TDMRep, `noai`), it is archived, and kept from hooks, documents and exports. By default nothing is refused, and all is recorded.',
    page: 'usage-preferences.md',
    option: 'purpose',
  }),
  languages: page(
    other(
      () => z.array(z.string().refine(isLanguage, { error: 'a language, such as de' })).min(1),
      'list',
      'CODES',
    ),
    {
      doc: 'Use only pages in these languages (de,en): others are archived, and kept from hooks and exports',
      more: 'The language is that of the main text. Pages whose language is unknown are used. Links of all pages are followed.',
      option: 'languages',
    },
  ),
  readDocuments: page(flag, {
    doc: 'Read PDF and Office documents: follow their links, and give their text to hooks',
    more: "The same holds for documents of the project's modules. If off, documents are only archived.",
    option: 'read-documents',
    default: true,
  }),
  preferMarkdown: page(flag, {
    doc: 'Ask for pages as Markdown, as their authors wrote them, and for HTML where there is none',
    more: 'Few sites have it. A page as Markdown and as HTML are not versions of each other: no change is seen between them.',
    page: 'local.md#markdown-at-the-source',
    option: 'prefer-markdown',
    default: false,
  }),
  obeyNoindex: page(flag, {
    doc: 'Do not call `onPage` for pages that say `noindex`',
    more: 'They are archived.',
    option: 'obey-noindex',
    default: true,
  }),
  obeyCanonical: page(flag, {
    doc: 'If a page names another page as canonical, fetch that one and do not call `onPage` for the copy',
    page: 'local.md#directives-in-pages',
    option: 'obey-canonical',
    default: true,
  }),
  soft404: page(flag, {
    doc: 'Ask larger hosts once for a page that does not exist: pages with the same answer are gone',
    more: 'Gone means that they count as pages with the status 404.',
    costs: 'a request for each host with 50 URLs or more',
    option: 'soft-404',
    default: false,
  }),
  nearDuplicates: page(choice(...NEAR_DUPLICATES), {
    doc: 'Pages with nearly the same text as an earlier one: mark them, or also leave out their links and keep them from hooks and exports',
    more: 'Strand compares the own texts of pages whose URLs differ in numbers, ids or values of parameters, within one visit to their host. A marked page has `duplicateOf`.',
    page: 'local.md#while-the-crawl-runs',
    option: 'near-duplicates',
    default: 'off',
  }),
  softRedirects: page(flag, {
    doc: 'Treat a meta refresh of at most 5 s as a redirect',
    more: 'The target of a longer one is a link.',
    default: true,
  }),
  // They do not count as pages; a crawl that has met `maxPages` fetches them before it ends.
  requisites: page(flag, {
    doc: 'Also fetch images, styles, scripts and media of pages, on any host, so that pages replay whole',
    more: 'Frames are fetched, too.',
    page: 'local.md#requisites',
    option: 'requisites',
    default: false,
  }),

  render: page(choice('never', 'needed', 'always'), {
    doc: 'Run the scripts of pages in a browser: never, where trials show that pages need it, or always',
    page: 'rendering.md',
    costs: 'about 0.3 s of CPU a page, and the requests that pages make',
    option: 'render',
    perHost: 'override',
    resume: 'both',
    default: 'never',
  }),
  keepRendered: page(flag, {
    doc: 'Archive rendered pages as the browser shows them, too: documents, `search` and links are read from that',
    page: 'rendering.md#the-archive',
    option: 'keep-rendered',
    default: true,
  }),
  screenshots: page(flagOn, {
    doc: 'Archive a picture of each rendered page; loads its images and styles',
    page: 'rendering.md#the-archive',
    option: 'screenshots',
    default: false,
  }),

  sitemaps: sitemap(choice('off', 'robots', 'find'), {
    doc: 'Which sitemaps are read: none, those that robots.txt names, or also `/sitemap.xml` if it names none',
    option: 'sitemaps',
    default: 'robots',
  }),
  // A full index has 50,000 by the protocol; those of large sites have several thousand.
  maxSitemapsPerHost: sitemap(count(1, 50_000), {
    doc: 'Leave out the sitemaps of a host beyond this number',
    more: 'They are counted.',
    default: 10_000,
  }),
  sitemapUrls: sitemap(
    other(() => z.array(z.string()), 'urls', 'URL'),
    {
      doc: 'Read these sitemaps too',
      option: 'sitemap',
      stackMost: 100,
      default: [],
    },
  ),
  modifiedSince: sitemap(
    other(
      () =>
        z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
          error: 'a date such as 2026-01-31, or with a time such as 2026-01-31T12:00:00Z',
        }),
      'date',
      'DATE',
    ),
    {
      doc: 'Leave out URLs that were not modified since, according to their sitemap: 2026-01-31, or with a time',
      more: 'Dates and times are written as in ISO 8601.',
      option: 'modified-since',
    },
  ),
  feeds: sitemap(flag, {
    doc: 'Follow the links of RSS and Atom feeds that pages name',
    option: 'feeds',
    default: true,
  }),
};
