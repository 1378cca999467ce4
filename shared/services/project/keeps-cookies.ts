import type { StrandConfig } from './project.ts';

/** Whether cookies of hosts may be kept by the project, whatever the settings of the crawl say. */
export const keepsCookies = (project: Pick<StrandConfig, 'accounts' | 'onChallenge'> | undefined): boolean =>
  (project?.accounts ?? []).length > 0 || project?.onChallenge !== undefined;
