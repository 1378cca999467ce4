/** From a crawler's name in the account to what it is made of, by the settings that its stack publishes. */
import type { CloudFormationClient, DescribeStacksInput, Stack } from '@aws-sdk/client-cloudformation';
import { isSource } from '../../shared/core/base/own-file.ts';
import { version } from '../../shared/core/base/version.ts';
import { nearest } from '../../shared/core/text/nearest.ts';
import { pathInDescription, SETTINGS_OUTPUT } from '../../shared/engines/aws/published-settings.ts';
import { parseStackSettings, type StackSettings } from '../../shared/engines/aws/settings.ts';
import { StackRefused } from './stack-errors.ts';

/** The methods of the client that are used. */
export type StackLookup = Pick<CloudFormationClient, 'send'>;

/** Where stacks and parameters are looked up. */
export interface Lookup {
  readonly client: StackLookup;
  /** The value of a parameter of the Systems Manager; undefined if there is none of this name. */
  readonly readParameter: (name: string) => Promise<string | undefined>;
  /** For messages. */
  readonly region: string;
}

/** Deploys the project's stack. */
const DEPLOY = isSource(import.meta.url) ? 'npm run deploy' : 'npx cdk deploy';

const MAX_NAMED = 10;
/** Pages of 100 stacks or so that are looked through for a path. */
const MAX_PAGES = 100;

/** A crawler in a stack. */
interface Published {
  /** The stack's name, or the construct's path where the stack has several. */
  readonly name: string;
  /** The construct's `name`, by which its queues and metrics are called. */
  readonly ownName?: string | undefined;
  readonly json: string;
}

/**
 * Finds a crawler by its stack's name (`Strand`), its construct's path (`MyStack/News`), the construct's `name`
 * (`news`), or the parameter that holds its settings (`/strand/news`). Throws {@link StackRefused} if there is none, or
 * none that can be used; other errors are those of AWS.
 */
export async function findStack(lookup: Lookup, name: string): Promise<StackSettings> {
  const json = name.startsWith('/') ? await inParameter(lookup, name) : (await published(lookup, name)).json;
  try {
    return parseStackSettings(json);
  } catch (cause) {
    const deployed = versionIn(json);
    throw new StackRefused(
      `The stack ${name} was deployed by ${deployed ? `version ${deployed}` : 'another version'} of Strand, which this one ` +
        `(${version}) cannot read. Use that version, or, if it is older, deploy the stack again (${DEPLOY})`,
      { cause },
    );
  }
}

/** The version in settings that cannot be read otherwise. */
function versionIn(json: string): string | undefined {
  const found = /^\{"stack":"[^"]*","version":"([\w.+-]{1,64})"/.exec(json);
  return found?.[1];
}

async function inParameter({ readParameter, region }: Lookup, name: string): Promise<string> {
  const json = await readParameter(name);
  if (json !== undefined) return json;
  throw new StackRefused(
    `There is no parameter ${name} in ${region}: parameterName of the stack or construct creates it. ${elsewhere()}`,
  );
}

async function published({ client, region }: Lookup, name: string): Promise<Published> {
  const isPath = name.includes('/');
  const stack = await describe(client, name.split('/', 1)[0]!);
  const inStack = stack === undefined ? [] : crawlersIn(stack);
  if (isPath || stack === undefined) {
    const there = inStack.find(isCalled(name));
    if (there !== undefined) return there;
    const all = await everyCrawler(client).catch((error: unknown) => {
      if (isPath) throw error;
      return [];
    });
    const found = all.find(isCalled(name));
    if (found !== undefined) return found;
    throw new StackRefused(noStack(name, region, all));
  }
  const [found, another] = inStack;
  if (found === undefined) throw new StackRefused(withoutSettings(name, stack.StackStatus ?? ''));
  if (another === undefined) return found;
  throw new StackRefused(`The stack ${name} has ${inStack.length} crawlers: ${list(inStack)}`);
}

const isCalled =
  (wanted: string) =>
  ({ name, ownName }: Published): boolean =>
    name === wanted || ownName === wanted;

/** Imported when it is used: functions do not need it. */
async function describeStacks(client: StackLookup, input: DescribeStacksInput) {
  const { DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  return client.send(new DescribeStacksCommand(input));
}

async function describe(client: StackLookup, StackName: string): Promise<Stack | undefined> {
  try {
    const { Stacks = [] } = await describeStacks(client, { StackName });
    return Stacks.find(isThere);
  } catch (error) {
    // CloudFormation has no error of its own for it: "Stack with id X does not exist".
    const isUnknown = error instanceof Error && /does not exist/.test(error.message);
    if (!isUnknown) throw error;
    return undefined;
  }
}

/** The crawlers of the region that the operator may see. */
async function everyCrawler(client: StackLookup): Promise<Published[]> {
  const all: Published[] = [];
  let NextToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await describeStacks(client, { ...(NextToken && { NextToken }) });
    for (const stack of answer.Stacks ?? []) if (isThere(stack)) all.push(...crawlersIn(stack));
    NextToken = answer.NextToken;
    if (NextToken === undefined) break;
  }
  return all;
}

/** CloudFormation lists destroyed stacks for a while. */
const isThere = ({ StackStatus }: Stack): boolean => StackStatus !== 'DELETE_COMPLETE';

/** A stack that was deployed before there was a construct has no description in its one output. */
function crawlersIn({ StackName = '', Outputs = [] }: Stack): Published[] {
  return Outputs.flatMap(({ OutputKey = '', OutputValue: json, Description }) => {
    const path = pathInDescription(Description) ?? pathInKey(StackName, OutputKey, json);
    const isCrawler = OutputKey === SETTINGS_OUTPUT || path !== undefined;
    if (!isCrawler || json === undefined) return [];
    if (OutputKey === SETTINGS_OUTPUT || path === undefined) return [{ name: StackName, json }];
    return [{ name: path, ownName: /^\{"stack":"([\w-]+)"/.exec(json)?.[1], json }];
  });
}

/** For an answer without descriptions, such as an emulator's: the path of a construct directly in the stack. */
function pathInKey(stack: string, key: string, json = ''): string | undefined {
  const id = /^([A-Za-z0-9]+)Settings[0-9A-F]{8}$/.exec(key)?.[1];
  return id !== undefined && json.startsWith('{"stack":') ? `${stack}/${id}` : undefined;
}

const elsewhere = (): string =>
  `In another region: --region REGION or AWS_REGION; in another account: AWS_PROFILE; not deployed yet: ${DEPLOY}`;

function noStack(name: string, region: string, there: readonly Published[]): string {
  const meant = nearest(
    name,
    there.map((crawler) => crawler.name),
  );
  const hint = meant ? `: did you mean ${meant}?` : there.length > 0 ? `: there are ${list(there)}.` : '.';
  return `There is no stack ${name} in ${region}${hint} ${elsewhere()}`;
}

function list(crawlers: readonly Published[]): string {
  const names = crawlers.slice(0, MAX_NAMED).map(({ name }) => name);
  return names.join(', ') + (crawlers.length > MAX_NAMED ? ', ...' : '');
}

function withoutSettings(name: string, status: string): string {
  if (/^(CREATE|REVIEW)_IN_PROGRESS$/.test(status)) {
    return `The stack ${name} is being deployed (${status}): try again when that is done`;
  }
  if (/ROLLBACK|FAILED|DELETE/.test(status)) {
    return `The stack ${name} cannot be used (${status}): look at its events in CloudFormation, then ${DEPLOY}`;
  }
  return `The stack ${name} is none of Strand's: it has no output ${SETTINGS_OUTPUT}`;
}
