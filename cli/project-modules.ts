/** The modules of the project, for documents that a command makes of an archive. */
import type { OpenCrawlOptions } from '../api/stored-crawl.ts';
import { readProject } from '../shared/services/project/project-file.ts';

/** `config`: the project's file; undefined: `strand.config.ts` if it is there. Throws `InvalidConfig`. */
export const projectModules = async (config: string | undefined): Promise<OpenCrawlOptions> => {
  const { modules } = await readProject(config);
  return { modules };
};
