/** LocalStack as a process of this machine, without Docker: Lambda functions are processes too (plugin/). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Emulator, untilUp, VERSION } from './emulator.ts';
import { freePort } from './free-port.ts';
import type { Installation } from './install.ts';

const START_TIMEOUT_MS = 120_000;
const PLUGIN = join(import.meta.dirname, 'plugin');
const NODE_MODULES = resolve(import.meta.dirname, '../../../node_modules');

export async function startHostEmulator(installed: Installation, javaHome: string): Promise<Emulator> {
  const data = mkdtempSync(join(tmpdir(), 'strand-emulator-'));
  const temporary = join(data, 'tmp');
  const functionLogs = join(data, 'functions');
  for (const folder of [temporary, functionLogs]) mkdirSync(folder);
  const log = join(data, 'localstack.log');
  const address = `127.0.0.1:${await freePort()}`;
  const endpoint = `http://${address}`;
  const dynamodbPort = await freePort();
  const dynamodb = `http://127.0.0.1:${dynamodbPort}`;

  const output = openSync(log, 'a');
  const child = spawn(installed.python, ['-m', 'strand_localstack'], {
    // A process group of its own, which a Ctrl-C does not reach and which is ended as a whole. It ends itself
    // when the pipe to its standard input closes, so it does not outlive this process, however that ends.
    detached: true,
    stdio: ['pipe', output, output],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      JAVA_HOME: javaHome,
      PYTHONPATH: PLUGIN,
      TMPDIR: temporary,
      XDG_CACHE_HOME: join(installed.folder, 'cache'),
      ...settings(address, data),
      DYNAMODB_LOCAL_PORT: String(dynamodbPort),
      STRAND_DYNAMODB: dynamodb,
      ...(process.env.NODE_COMPILE_CACHE !== undefined && {
        STRAND_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      }),
      STRAND_EMULATOR_DATA: data,
      STRAND_FUNCTION_LOGS: functionLogs,
      STRAND_DYNAMODB_LOCAL: installed.jars,
      STRAND_NODE: process.execPath,
      STRAND_NODE_MODULES: NODE_MODULES,
    },
  });
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });

  async function stop(): Promise<void> {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      process.kill(-child.pid, 'SIGKILL');
      await ended;
    }
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  }

  const deadline = Date.now() + START_TIMEOUT_MS;
  const isOver = () => failure !== undefined || child.exitCode !== null || Date.now() > deadline;
  try {
    await untilUp(endpoint, isOver);
    await startDynamodb(endpoint);
  } catch (cause) {
    const words = readFileSync(log, 'utf8').trim().split('\n').slice(-20).join('\n');
    await stop();
    throw new Error(`LocalStack in host mode did not start: ${failure?.message ?? ''}\n${words}`, { cause });
  }
  const title = `LocalStack ${VERSION} without Docker, repaired by plugin/`;
  return { endpoint, dynamodb, title, functionLogs, stop };
}

/** LocalStack starts DynamoDB Local with the first call for it. */
async function startDynamodb(endpoint: string): Promise<void> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: '{}',
    signal: AbortSignal.timeout(START_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`DynamoDB Local did not start: ${await response.text()}`);
}

/** Settings of LocalStack: https://docs.localstack.cloud/aws/capabilities/config/configuration/ */
const settings = (address: string, data: string) => ({
  GATEWAY_LISTEN: address,
  LOCALSTACK_HOST: address,
  FILESYSTEM_ROOT: data,
  LS_LOG: 'warn',
  // Nothing leaves this machine.
  SKIP_SSL_CERT_DOWNLOAD: '1',
  DISABLE_EVENTS: '1',
  DNS_ADDRESS: '0',
  // URLs of queues are at the endpoint, by path.
  SQS_ENDPOINT_STRATEGY: 'off',
  // Nobody reads them, and to write them takes half of LocalStack's CPU: each is a call to itself.
  SQS_DISABLE_CLOUDWATCH_METRICS: '1',
  LAMBDA_RUNTIME_EXECUTOR: 'process',
  LAMBDA_IGNORE_ARCHITECTURE: '1',
  LAMBDA_RUNTIME_ENVIRONMENT_TIMEOUT: '60',
  // The pollers wait by themselves, in long polls.
  LAMBDA_EVENT_SOURCE_MAPPING_POLL_INTERVAL_SEC: '0',
  PROVIDER_OVERRIDE_DYNAMODB: 'v2',
  PROVIDER_OVERRIDE_DYNAMODBSTREAMS: 'v2',
  DYNAMODB_IN_MEMORY: '1',
});
