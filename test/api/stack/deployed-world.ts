/** A stack deployed in the simulated account, with a few pages to crawl, and a connection to it. */
import { connectionOf, type StackConnection } from '../../../api/stack/connect-stack.ts';
import { createWorkerHooks } from '../../../functions/worker-hooks.ts';
import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import { compactCrawl } from '../../../shared/engines/aws/archive/compactor.ts';
import type { ProjectHooks } from '../../../shared/services/hooks/create-hooks.ts';
import { createSimCloud, type SimCloud } from '../../../simulation/models/cloud.ts';
import { NO_FAULTS } from '../../../simulation/models/faults.ts';
import type { VirtualTime } from '../../../simulation/models/virtual-time.ts';
import {
  createScriptedWeb,
  type Pages,
  type ScriptedWeb,
} from '../../../simulation/test/worlds/scripted-web.ts';
import { type Deployment, deploy } from '../../../simulation/worlds/deployment.ts';
import { openOperator } from '../../../simulation/worlds/operator-process.ts';

export interface DeployedWorld {
  readonly cloud: SimCloud;
  readonly time: VirtualTime;
  readonly deployment: Deployment;
  readonly connection: StackConnection;
  readonly web: ScriptedWeb;
}

interface Deployed {
  readonly hasCompactor?: boolean;
  /** Which private addresses crawls may open. Default: none. */
  readonly allowPrivateAddresses?: readonly string[];
  /** A text of each page, by how often it was requested before. Default: none. */
  readonly textOf?: (url: string, before: number) => string;
  /** Where URLs that are no pages lead to. Default: nowhere. */
  readonly redirects?: Readonly<Record<string, string>>;
  /** Days after which the stack deletes WARC files. Default: it keeps them. */
  readonly archiveDays?: number;
  /** Whose hooks the workers call. */
  readonly project?: ProjectHooks;
}

export function deployedWorld(pages: Pages, options: Deployed = {}): DeployedWorld {
  const { hasCompactor = false, project = {}, allowPrivateAddresses = [] } = options;
  const { archiveDays } = options;
  const cloud = createSimCloud({
    seed: 1,
    faults: () => NO_FAULTS,
    settings: {
      allowPrivateAddresses: [...allowPrivateAddresses],
      ...(archiveDays !== undefined && { archiveDays }),
    },
  });
  const { time, settings } = cloud;
  const web = createScriptedWeb(time, pages, options.textOf, options.redirects);
  const hooks = createWorkerHooks({ project, clock: time, log: () => {} });
  const deployment = deploy(cloud, {
    fetcherOf: (process) => web.fetcherOf(process),
    hasCompactor,
    ...(hooks && { hooksOf: () => hooks }),
  });
  const opened = openOperator(cloud, 1);
  const { clock } = opened.engine;
  const connection = connectionOf('Strand', opened, settings, { clock });
  return { cloud, time, deployment, connection, web };
}

/** Without an event to come, time would end while files are read and written. Returns a function that ends it. */
export function keepTime(time: VirtualTime): () => void {
  let isOver = false;
  const beat = () => void (isOver || time.at(time.now() + 1000, beat));
  beat();
  return () => {
    isOver = true;
  };
}

/** Joins the crawl's WARC files, as soon as they are old enough. */
export async function compactNow(
  { cloud, connection: { clock } }: DeployedWorld,
  crawl: CrawlId,
): Promise<void> {
  await clock.sleep(cloud.sizes.minJoinAgeMs + 1000);
  const { s3, dynamo } = cloud.clientsOf(cloud.begin('compactor'));
  const { settings, sizes } = cloud;
  await compactCrawl({ s3, dynamo, clock, names: settings, sizes, crawl, finished: true });
}
