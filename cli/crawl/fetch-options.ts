/** Settings of a page that is fetched without a crawl. */
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { environmentProxies } from '../../shared/crawler/fetcher/proxy/environment-proxies.ts';
import { readProject } from '../../shared/services/project/project-file.ts';
import { parseCrawlConfig } from '../crawl-config.ts';
import type { NetworkFiles } from '../network-files.ts';
import { withNetworkFiles } from './network-options.ts';

interface GivenFetch {
  readonly url: string;
  /** The project's file. */
  readonly config?: string | undefined;
  readonly options: CrawlOptions;
  readonly network?: NetworkFiles | undefined;
}

/** The options of the environment, the project and the command line. Throws `InvalidConfig`, which names the options. */
export async function fetchOptions({ url, config, options, network }: GivenFetch) {
  const project = await readProject(config);
  const warn = (line: string) => process.stderr.write(`${line}\n`);
  const given = withNetworkFiles(options, network, [url], warn);
  const asked = { proxies: environmentProxies(process.env), ...project.crawl, ...given };
  parseCrawlConfig(asked);
  return { project, options: asked };
}
