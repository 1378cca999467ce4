/** A deployed stack, opened for its operator. Loads the AWS SDK: for the verbs of `--stack` alone. */

import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { RowSource } from '../api/local/url-rows.ts';
import type { Control } from '../shared/control/control.ts';
import { createControl } from '../shared/control/create-control.ts';
import type { CrawlId } from '../shared/crawl/crawl-id.ts';
import { type JoinedResolver, joinedResolver } from '../shared/engines/aws/archive/joined-warcs.ts';
import { controlEngineOf, controlPolicyOf } from '../shared/engines/aws/control-engine.ts';
import type { StackSettings } from '../shared/engines/aws/settings.ts';
import { type OpenedStack, openStack } from '../shared/engines/aws/stack.ts';
import { systemClock } from '../shared/engines/system-clock.ts';
import { allowLinearFlag } from '../shared/linear-regexps.ts';
import { awsRefusal } from './aws-refusal.ts';
import type { StackAddress } from './command.ts';

import { findStack } from './find-stack.ts';

export interface StackSession {
  readonly control: Control;
  /** What an export is made of. */
  readonly rows: RowSource;
  /** Keys of a crawl's configuration that a request may not set. */
  readonly refusedKeys: readonly string[];
}

/**
 * Runs `use` on the stack, found by the usual settings of the AWS SDK (environment, profile). Throws
 * `UsageError`, with the mend, where it cannot be found or AWS refuses; and what `use` throws.
 */
export async function withStack<T>(
  { stack: name, region }: StackAddress,
  use: (session: StackSession) => Promise<T>,
): Promise<T> {
  // The one place that all clients of the SDK look at, those that `openStack` makes among them.
  if (region !== undefined) process.env.AWS_REGION = region;
  const lookup = new CloudFormationClient({});
  try {
    const settings = await findStack(
      { client: lookup, readParameter, region: await lookup.config.region() },
      name,
    );
    const stack = openStack(settings, { clock: systemClock });
    try {
      const policy = controlPolicyOf(settings);
      allowLinearFlag();
      const control = createControl(controlEngineOf(stack, settings), policy);
      const rows = rowsOf(stack, settings);
      return await use({ control, rows, refusedKeys: Object.keys(policy.refuses ?? {}) });
    } finally {
      await stack.flushMeter();
      stack.close();
    }
  } catch (error) {
    const { AWS_REGION, AWS_PROFILE } = process.env;
    throw awsRefusal(error, { region: AWS_REGION, profile: AWS_PROFILE }) ?? error;
  } finally {
    lookup.destroy();
  }
}

/** Its package is needed only by those who name a parameter. */
async function readParameter(Name: string): Promise<string | undefined> {
  const { GetParameterCommand, ParameterNotFound, SSMClient } = await import('@aws-sdk/client-ssm');
  const client = new SSMClient({});
  try {
    return (await client.send(new GetParameterCommand({ Name }))).Parameter?.Value;
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  } finally {
    client.destroy();
  }
}

function rowsOf({ engine, clients }: OpenedStack, names: StackSettings): RowSource {
  const { clock, ledgers } = engine;
  const resolvers = new Map<CrawlId, JoinedResolver>();
  return {
    ledgers,
    locateAll(crawl, locations) {
      const resolver =
        resolvers.get(crawl) ?? joinedResolver({ dynamo: clients.dynamo, clock, names }, crawl);
      resolvers.set(crawl, resolver);
      return resolver.resolveAll(locations);
    },
  };
}
