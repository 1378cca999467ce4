import type { CrawlConfig } from './config.ts';

/** Whether pages of some host are rendered. */
export const rendersPages = ({
  render = 'never',
  overrides = [],
}: Partial<Pick<CrawlConfig, 'render' | 'overrides'>>): boolean =>
  [render, ...overrides.map((override) => override.render ?? 'never')].some((mode) => mode !== 'never');
