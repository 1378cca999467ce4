/** Runs hooks over the archive of a stack's crawl, in the calling thread. */
import { mayHaveRendered } from '../../shared/core/crawl/renders-pages.ts';
import { payloadsOf } from '../../shared/engines/aws/archive/stack-payloads.ts';
import { createFinder } from '../../shared/services/control/find-crawl.ts';
import { readProject } from '../../shared/services/project/project-file.ts';
import { checkOptions, processInPlace } from '../local/process/process-local.ts';
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
  const { registry } = connection.copies.engine;
  const hasRendered = async () => mayHaveRendered(record.config, await registry.totals(crawl));
  const archive = { ...payloadsOf(connection.archiveOf(crawl), crawl), hasRendered };
  yield* processInPlace<T>({ crawl, record, rows: connection.rows, archive }, hooks, signal);
}
