/** Runs hooks over the archive of a stack's crawl, in the calling thread. */
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { payloadsOf } from '../../shared/engines/aws/archive/stack-payloads.ts';
import { createFinder } from '../../shared/services/control/find-crawl.ts';
import { readProject } from '../../shared/services/project/project-file.ts';
import { archivedPages } from '../local/process/archived-pages.ts';
import { checkOptions, oneByOne, processedPages } from '../local/process/process-local.ts';
import { createPageProcessor } from '../local/process/process-page.ts';
import type { ProcessedPage, ProcessOptions } from '../process-options.ts';
import type { StackConnection } from './connect-stack.ts';
import { NotOnStack } from './stack-errors.ts';

/** As `processCrawl`. The connection stays open. */
export async function* processOnStack<T>(
  connection: StackConnection,
  crawl: string,
  options: ProcessOptions,
): AsyncGenerator<ProcessedPage<T>, void, undefined> {
  checkOptions(options);
  const { project, workers = 1, signal, ...functions } = options;
  if (workers > 1)
    throw new NotOnStack(
      'processCrawl with workers',
      'leave workers out, or run several programs, each with some of the hosts',
    );
  const record = await createFinder(connection.registry).recordOf(crawl);
  const hooks = project === undefined ? functions : await readProject(project);
  const config = parseConfig(record.config);
  const pages = archivedPages(connection.rows, crawl);
  yield* processedPages<T>(
    oneByOne(
      pages,
      createPageProcessor({ archive: payloadsOf(connection.archiveOf(crawl), crawl), config, hooks }),
    ),
    signal,
  );
}
