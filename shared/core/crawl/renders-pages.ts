import type { CrawlConfig } from './config.ts';

type RenderSettings = Partial<Pick<CrawlConfig, 'render' | 'overrides'>>;

/** Whether pages of some host are rendered. */
export const rendersPages = ({ render = 'never', overrides = [] }: RenderSettings): boolean =>
  [render, ...overrides.map((override) => override.render ?? 'never')].some((mode) => mode !== 'never');

/**
 * Whether the crawl may have rendered a page. `totals`: of the crawl; the count may lag while it runs, and the settings may
 * have changed since.
 */
export const mayHaveRendered = (
  settings: RenderSettings,
  totals: { readonly render?: Readonly<Record<string, number>> },
): boolean => rendersPages(settings) || (totals.render?.pages ?? 0) > 0;
