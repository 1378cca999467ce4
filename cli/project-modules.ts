/** The modules of the project, for documents that a command makes of an archive. */
import { openCrawl } from '../api/open-crawl.ts';
import type { OpenCrawlOptions, StoredCrawl } from '../api/stored-crawl.ts';
import { readProject } from '../shared/services/project/project-file.ts';

/** `config`: the project's file; undefined: `strand.config.ts` if it is there. Throws `InvalidConfig`. */
export const projectModules = async (config: string | undefined): Promise<OpenCrawlOptions> => {
  const { modules } = await readProject(config);
  return { modules };
};

/** Opens the crawl of a folder for documents. */
export const openForDocuments = async (dir: string, config: string | undefined): Promise<StoredCrawl> =>
  openCrawl(dir, await projectModules(config));
