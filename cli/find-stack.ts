/** From a stack's name to what it is made of, by its CloudFormation output `Settings`. */
import {
  type CloudFormationClient,
  DescribeStacksCommand,
  type Output,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { parseStackSettings, type StackSettings } from '../shared/engines/aws/settings.ts';
import { nearest } from '../shared/text/nearest.ts';
import { UsageError } from './usage-error.ts';

/** What is needed of the client. */
export type StackLookup = Pick<CloudFormationClient, 'send'>;

/** The output of the stack that holds its settings. */
const SETTINGS = 'Settings';
const DEPLOY = 'npm run deploy';
const MAX_NAMED = 10;

/**
 * What the stack publishes for its operators. `region` is where it is sought, for the messages. Throws {@link
 * UsageError} where there is no such stack, or none that can be used; other errors are those of AWS.
 */
export async function findStack(client: StackLookup, name: string, region: string): Promise<StackSettings> {
  const stack = await describe(client, name, region);
  const settings = settingsIn(stack);
  if (settings === undefined) throw new UsageError(withoutSettings(name, stack.StackStatus ?? ''));
  try {
    return parseStackSettings(settings);
  } catch (cause) {
    throw new UsageError(
      `The stack ${name} was deployed by another version of Strand, which this one cannot read. Deploy it again ` +
        `(${DEPLOY}), or use the version that deployed it`,
      { cause },
    );
  }
}

async function describe(client: StackLookup, name: string, region: string): Promise<Stack> {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
    const there = Stacks.find(isThere);
    if (there) return there;
  } catch (error) {
    // CloudFormation has no error of its own for it: "Stack with id X does not exist".
    const isUnknown = error instanceof Error && /does not exist/.test(error.message);
    if (!isUnknown) throw error;
  }
  throw new UsageError(noStack(name, region, await strandStacks(client)));
}

/**
 * The account's stacks of Strand in the region, as far as one answer holds them and the operator may see
 * them.
 */
async function strandStacks(client: StackLookup): Promise<string[]> {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({}));
    return Stacks.filter(isThere).flatMap((stack) => (settingsIn(stack) && stack.StackName) || []);
  } catch {
    return [];
  }
}

/** CloudFormation lists destroyed stacks for a while. */
const isThere = ({ StackStatus }: Stack): boolean => StackStatus !== 'DELETE_COMPLETE';

/** The settings, if the stack is one of Strand's. */
function settingsIn({ Outputs = [] }: Stack): string | undefined {
  return Outputs.find(({ OutputKey }: Output) => OutputKey === SETTINGS)?.OutputValue;
}

function noStack(name: string, region: string, there: readonly string[]): string {
  const meant = nearest(name, there);
  const named = there.slice(0, MAX_NAMED).join(', ') + (there.length > MAX_NAMED ? ', ...' : '');
  const hint = meant ? `: did you mean ${meant}?` : there.length > 0 ? `: there are ${named}.` : '.';
  return (
    `There is no stack ${name} in ${region}${hint} In another region: --region REGION or ` +
    `AWS_REGION; in another account: AWS_PROFILE; not deployed yet: ${DEPLOY}`
  );
}

function withoutSettings(name: string, status: string): string {
  if (/^(CREATE|REVIEW)_IN_PROGRESS$/.test(status)) {
    return `The stack ${name} is being deployed (${status}): try again when that is done`;
  }
  if (/ROLLBACK|FAILED|DELETE/.test(status)) {
    return `The stack ${name} cannot be used (${status}): look at its events in CloudFormation, then ${DEPLOY}`;
  }
  return `The stack ${name} is none of Strand's: it has no output ${SETTINGS}`;
}
