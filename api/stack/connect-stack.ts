/** A connection to a deployed stack, for its operator. Loads the AWS SDK. */

import { type Explain, explainErrors } from '../../shared/core/base/explain-errors.ts';
import { type Sizes, sizesOf } from '../../shared/core/base/sizes.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import type { CrawlRegistry } from '../../shared/crawler/ports/crawl-registry.ts';
import { createStackArchive, type StackArchive } from '../../shared/engines/aws/archive/stack-archive.ts';
import { stackRows } from '../../shared/engines/aws/archive/stack-rows.ts';
import { createClients } from '../../shared/engines/aws/clients.ts';
import { controlEngineOf } from '../../shared/engines/aws/control-engine.ts';
import { controlPolicyOf } from '../../shared/engines/aws/control-policy.ts';
import {
  type CrawlDeletions,
  createCrawlDeletions,
} from '../../shared/engines/aws/deletion/crawl-deletions.ts';
import type { AwsEngine } from '../../shared/engines/aws/engine.ts';
import type { StackSettings } from '../../shared/engines/aws/settings.ts';
import { type OpenedStack, openStack } from '../../shared/engines/aws/stack.ts';
import { allowLinearFlag } from '../../shared/engines/linear-regexps.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { type Control, ControlError } from '../../shared/services/control/control.ts';
import {
  type ControlEngine,
  type ControlPolicy,
  createControl,
} from '../../shared/services/control/create-control.ts';
import type { ExportRows } from '../../shared/services/exports/export-source.ts';
import { EXPORT_MORE } from '../../shared/services/webhook/event-types.ts';
import type { StackAddress } from '../stack-address.ts';
import { awsRefusal } from './aws-refusal.ts';
import type { BucketFolder } from './copy/copy-archive.ts';
import { findStack } from './find-stack.ts';
import { loadedSdk } from './loaded-sdk.ts';
import { putIdentity } from './put-identity.ts';
import { serviceClock } from './service-clock.ts';

/** The parts of a stack that copies of whole crawls are read from, and written to. */
export interface StackCopies {
  readonly engine: Pick<AwsEngine, 'ledgers' | 'registry' | 'exchange' | 'state' | 'jars'>;
  readonly control: ControlEngine;
  readonly policy: ControlPolicy;
  bucketOf(crawl: CrawlId): BucketFolder;
}

/** Errors of all its calls are `ControlError`, `StackRefused`, `StackUnavailable`, or bugs. */
export interface StackConnection {
  /** The stack's name, as it was given. */
  readonly stack: string;
  readonly control: Control;
  readonly registry: Pick<CrawlRegistry, 'load'>;
  /** For an operator who waits for the end of a deletion. */
  readonly deletions: CrawlDeletions;
  /** The source of the rows of exports and reports. */
  readonly rows: ExportRows;
  archiveOf(crawl: CrawlId): StackArchive;
  /** For copies of whole crawls from and to the stack. */
  readonly copies: StackCopies;
  readonly clock: Clock;
  /** Keys of a crawl's configuration that a request may not set. */
  readonly refusedKeys: readonly string[];
  /** Stores the identity (as JSON) that signs the stack's requests. Returns where. */
  putIdentity(document: object): Promise<string>;
  /** Returns an error of AWS as one that says what to do; any other as it is. */
  readonly explained: Explain;
  close(): Promise<void>;
}

/**
 * Connects to the stack, found by the usual settings of the AWS SDK (environment, profile). Throws
 * `StackRefused` if it cannot be found or AWS refuses, and `StackUnavailable`.
 */
export async function connectStack({ stack: name, region }: StackAddress): Promise<StackConnection> {
  const explained = explainedIn(region);
  const { CloudFormationClient } = await loadedSdk(import('@aws-sdk/client-cloudformation'));
  const lookup = new CloudFormationClient(region === undefined ? {} : { region });
  try {
    const settings = await findStack(
      {
        client: lookup,
        readParameter: (parameter) => readParameter(parameter, region),
        region: await lookup.config.region(),
      },
      name,
    );
    const clients = createClients(settings.hostsPerWorker, systemClock, region);
    const clock = serviceClock(clients.dynamo);
    const opened = openStack(settings, { clock, clients });
    const wakeExporter = async () => {
      const { createOwnEvents } = await loadedSdk(import('../../shared/engines/aws/own-events.ts'));
      await createOwnEvents(clock, region)(EXPORT_MORE, { stack: settings.stack });
    };
    return connectionOf(name, opened, settings, { clock, explained, wakeExporter });
  } catch (error) {
    throw explained(error);
  } finally {
    lookup.destroy();
  }
}

/** Its package is needed only by those who name a parameter. */
async function readParameter(Name: string, region: string | undefined): Promise<string | undefined> {
  const { GetParameterCommand, ParameterNotFound, SSMClient } = await loadedSdk(
    import('@aws-sdk/client-ssm'),
  );
  const client = new SSMClient(region === undefined ? {} : { region });
  try {
    return (await client.send(new GetParameterCommand({ Name }))).Parameter?.Value;
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  } finally {
    client.destroy();
  }
}

export interface ConnectionOptions {
  readonly clock: Clock;
  /** The sizes of the stack. Default: those of a deployment. */
  readonly sizes?: Sizes;
  readonly explained?: Explain;
  /** Has the function that makes exports run at once. Default: it runs within the hour. */
  readonly wakeExporter?: () => Promise<unknown>;
}

/** A stack that is open, as its operator uses it. `close` closes it. */
export function connectionOf(
  stack: string,
  opened: OpenedStack,
  settings: StackSettings,
  { clock, sizes, explained = (error) => error, wakeExporter }: ConnectionOptions,
): StackConnection {
  allowLinearFlag();
  const policy = { ...controlPolicyOf(settings), callerOf: () => accessKeyOf(opened) };
  const { clients, engine, meter } = opened;
  const archive = {
    s3: clients.s3,
    bucket: settings.bucket,
    clock,
    sizes: sizesOf({ ...(sizes && { sizes }) }),
    mapping: { dynamo: clients.dynamo, clock, table: settings.crawlState },
  };
  const bucketOf = (crawl: CrawlId): BucketFolder => ({
    context: archive,
    crawl,
    run: (call) => meter.run(crawl, call),
  });
  const controlEngine = controlEngineOf(opened, settings, { ...(wakeExporter && { wakeExporter }) });
  return {
    stack,
    control: explainErrors(createControl(controlEngine, policy), explained),
    registry: engine.registry,
    deletions: createCrawlDeletions({ ...clients, ...engine, names: settings }),
    rows: stackRows(opened, settings),
    archiveOf: (crawl) => createStackArchive(archive, crawl, (call) => meter.run(crawl, call)),
    copies: { engine, control: controlEngine, policy, bucketOf },
    clock,
    refusedKeys: Object.keys(policy.refuses ?? {}),
    putIdentity: (document) => putIdentity(settings, document),
    explained,
    async close() {
      try {
        await opened.flushMeter();
      } finally {
        opened.close();
      }
    },
  };
}

/** The access key by which AWS knows the operator. */
async function accessKeyOf({ clients }: OpenedStack): Promise<string | undefined> {
  const config: { readonly credentials?: () => Promise<{ readonly accessKeyId: string }> } | undefined =
    clients.sqs.config;
  const credentials = await config?.credentials?.().catch(() => undefined);
  return credentials && `access key ${credentials.accessKeyId}`;
}

const explainedIn =
  (region: string | undefined): Explain =>
  (error) => {
    if (error instanceof ControlError) return error;
    const { AWS_REGION, AWS_PROFILE } = process.env;
    return awsRefusal(error, { region: region ?? AWS_REGION, profile: AWS_PROFILE }) ?? error;
  };
