/**
 * Node's part of AWS Lambda: takes events from the Runtime API, hands them to the function's handler, and
 * answers.
 */
import { existsSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { flushCompileCache, syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

type Handler = (event: unknown, context: object) => unknown;

const { env } = process;
const api = `http://${env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;
const agent = new http.Agent({ keepAlive: true });
const ANSWER_PATH = '/_strand/custom-resource/';

function call(method: string, path: string, body?: string): Promise<[http.IncomingMessage, string]> {
  return new Promise((done, fail) => {
    const headers = { 'content-length': Buffer.byteLength(body ?? '') };
    const request = http.request(`${api}${path}`, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done([response, Buffer.concat(chunks).toString()]));
    });
    request.on('error', fail);
    request.end(body);
  });
}

function errorBody(error: unknown): string {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return JSON.stringify({ errorType: name, errorMessage: message, trace: stack?.split('\n') });
}

/** `folder/file.export`, in a bundle of either module system. */
async function loadHandler(name: string): Promise<Handler> {
  const dot = name.indexOf('.', name.lastIndexOf('/') + 1);
  const stem = resolve(env.LAMBDA_TASK_ROOT ?? '.', name.slice(0, dot));
  const file = ['.js', '.mjs', '.cjs'].map((extension) => stem + extension).find((path) => existsSync(path));
  if (file === undefined) throw new Error(`Cannot find module ${stem}`);
  const loaded = await import(pathToFileURL(file).href);
  const key = name.slice(dot + 1);
  const handler = loaded[key] ?? loaded.default?.[key];
  if (typeof handler !== 'function') throw new Error(`${name} is undefined or not exported`);
  return handler;
}

/**
 * CDK's functions of custom resources answer to a host and a path, by https and on its own port. What is for
 * the emulator goes to the emulator's port.
 */
function answerCustomResourcesHere(): void {
  const { request } = https;
  https.request = ((options: https.RequestOptions, ...rest: [() => void]) =>
    options.hostname === '127.0.0.1' && options.path?.startsWith(ANSWER_PATH)
      ? http.request({ ...options, protocol: 'http:', agent: undefined, port: env.EDGE_PORT }, ...rest)
      : request(options, ...rest)) as typeof request;
  syncBuiltinESMExports();
}

async function serveNext(handler: Handler): Promise<void> {
  const [{ headers }, event] = await call('GET', '/invocation/next');
  const requestId = String(headers['lambda-runtime-aws-request-id']);
  const deadlineMs = Number(headers['lambda-runtime-deadline-ms']);
  env._X_AMZN_TRACE_ID = String(headers['lambda-runtime-trace-id']);
  const context = {
    awsRequestId: requestId,
    functionName: env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION,
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME,
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
  };
  try {
    const result = await handler(JSON.parse(event), context);
    await call('POST', `/invocation/${requestId}/response`, JSON.stringify(result) ?? 'null');
  } catch (error) {
    console.error('Invoke Error', error);
    await call('POST', `/invocation/${requestId}/error`, errorBody(error));
  }
}

env.AWS_EXECUTION_ENV = `AWS_Lambda_nodejs${process.versions.node.split('.')[0]}.x`;
answerCustomResourcesHere();
try {
  const handler = await loadHandler(env._HANDLER ?? 'index.handler');
  // The process is killed in the end, which saves nothing.
  flushCompileCache();
  for (;;) await serveNext(handler);
} catch (error) {
  console.error('Init Error', error);
  await call('POST', '/init/error', errorBody(error));
  process.exitCode = 1;
}
