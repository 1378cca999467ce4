/** The files of features that may be off. A function of another file belongs to the feature that calls it. */
import type { StepRule } from './profile.ts';

export const NO_FEATURE = 'no feature';

export const FEATURES: readonly StepRule[] = [
  // It calls the work on a page.
  { step: NO_FEATURE, file: /\/quarantine\.ts/, name: /^watch(?:ed)?$/ },
  {
    step: 'recrawl',
    file: /\/(?:core|turn)\/recrawl\/|\/core\/frontier\/(?:recrawl-(?:budget|column)|refetch-queue|url-change)\.ts/,
  },
  { step: 'budgets, domains', file: /\/core\/frontier\/(?:domain-state|link-budget|linkers-of)\.ts/ },
  {
    step: 'budgets, domains',
    file: /\/turn\/links\/(?:domain-heads|domain-share|link-medians)\.ts|\/crawl-state\/budget\.ts|\/core\/crawl\/domain/,
  },
  { step: 'quotas of templates', file: /\/template-(?:quota|counts)\.ts/ },
  { step: 'soft 404 pages', file: /\/soft-404|\/core\/alike\/(?:not-found-page|probe-url)\.ts/ },
  { step: 'near-duplicates', file: /\/core\/alike\/|\/turn\/copies\/(?:near|restored)-duplicates\.ts/ },
  { step: 'usage', file: /\/core\/usage\/|\/usage-keeper\.ts/ },
  { step: 'refusals', file: /\/refusal\// },
  { step: 'rendering', file: /\/render(?:er)?\// },
  { step: 'cookies, accounts', file: /\/access\/|\/services\/accounts\/|\/cookie-(?:jar|redirects)\.ts/ },
  { step: 'hooks', file: /\/services\/hooks\/|\/turn\/(?:page|turn)-hooks\.ts/ },
  { step: 'signatures', file: /\/core\/identity\/|\/request-signer\.ts/ },
  { step: 'quarantine', file: /\/quarantine[^/]*\.ts|\/kill-watch\.ts/ },
  {
    step: 'watches for traps',
    file: /\/(?:combination|folder|template|trap)-watch\.ts|\/text-(?:hash|memory|sample)\.ts/,
  },
];
