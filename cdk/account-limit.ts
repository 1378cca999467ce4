/**
 * The concurrency limit of the account that is deployed to (10 in a new one). Workers must leave capacity for the other
 * functions: without the router no links move, without the waker no crawl ends.
 */
import { SSMClient } from '@aws-sdk/client-ssm';
import { SignatureV4 } from '@smithy/signature-v4';
import { messageOf } from '../shared/core/base/error-message.ts';
import { routersFor, SHARD_ROUTERS } from './constructs/sizes.ts';
import type { StackOptions } from './options.ts';

/** The waker, the compactor, an export, and two calls of the API. */
const OTHERS = 5;
/** The least that an event source takes. */
const MIN_WORKERS = 2;
const TIMEOUT_MS = 5000;

type Fitted = Pick<StackOptions, 'maxConcurrency' | 'turnQueues' | 'linkShards'>;

/** The most workers that an account with this limit can run besides all other functions of the stack. */
export function workersIn(limit: number, { turnQueues, linkShards }: Omit<Fitted, 'maxConcurrency'>): number {
  const least = MIN_WORKERS * turnQueues;
  const room = limit - OTHERS - linkShards * SHARD_ROUTERS;
  let workers = least;
  while (workers < 1000 && workers + 1 + routersFor(workers + 1) <= room) workers++;
  return workers;
}

/** Lowers `maxConcurrency` to the account's limit. `line`: the change, for people. */
export function fitToAccount<O extends Fitted>(
  options: O,
  limit: number,
): { readonly options: O; readonly line: string } {
  const { maxConcurrency } = options;
  const room = workersIn(limit, options);
  const account = `This account runs ${limit} functions at once`;
  const needed = room + routersFor(room) + OTHERS + options.linkShards * SHARD_ROUTERS;
  const raise = 'AWS raises the limit on request: Service Quotas, AWS Lambda, Concurrent executions';
  if (needed > limit)
    return {
      options: { ...options, maxConcurrency: room },
      line: `${account}, and the stack needs ${needed}: crawls may stand still while all are in use. maxConcurrency is ${room}. ${raise}`,
    };
  if (maxConcurrency <= room) return { options, line: `${account}: ${maxConcurrency} workers fit` };
  return {
    options: { ...options, maxConcurrency: room },
    line: `${account}: maxConcurrency is ${room} instead of ${maxConcurrency}, so that the other functions can run. ${raise}`,
  };
}

/** Reads the limit of the account and region of the AWS environment. Throws if it cannot. */
export async function readConcurrencyLimit(region?: string): Promise<number> {
  const { config } = new SSMClient({ ...(region !== undefined && { region }) });
  const { sha256, credentials } = config;
  const own = await config.region();
  const { AWS_ENDPOINT_URL_LAMBDA, AWS_ENDPOINT_URL } = process.env;
  const base = AWS_ENDPOINT_URL_LAMBDA ?? AWS_ENDPOINT_URL ?? `https://lambda.${own}.amazonaws.com`;
  const url = new URL('/2016-08-19/account-settings/', base);
  const signer = new SignatureV4({ service: 'lambda', region: own, credentials, sha256 });
  const { headers } = await signer.sign({
    method: 'GET',
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port !== '' && { port: Number(url.port) }),
    path: url.pathname,
    headers: { host: url.host },
  });
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`lambda:GetAccountSettings: ${answer.status} ${text.slice(0, 200)}`);
  const limit = JSON.parse(text)?.AccountLimit?.ConcurrentExecutions;
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new Error(`Expected AccountLimit.ConcurrentExecutions, got ${text.slice(0, 200)}`);
}

/**
 * The options, lowered to the account's limit. If the limit cannot be read, they stay as they are, and the line says
 * why.
 */
export async function fittedOptions(
  options: StackOptions,
  read: () => Promise<number>,
): Promise<{ readonly options: StackOptions; readonly line: string }> {
  try {
    return fitToAccount(options, await read());
  } catch (error) {
    const line =
      `The account's limit of functions at once could not be read, and maxConcurrency stays ${options.maxConcurrency}: ` +
      messageOf(error);
    return { options, line };
  }
}
