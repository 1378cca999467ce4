/** The server by HTTP, for programs of this machine that know its token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';

/** Only programs of this machine reach it. */
const ADDRESS = '127.0.0.1';
const PATH = '/mcp';
const MAX_BODY_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 100;
const REQUEST_MS = 10_000;

export interface HttpServing {
  /** `http://127.0.0.1:8091/mcp` */
  readonly url: string;
  close(): Promise<void>;
}

export interface HttpSettings {
  readonly port: number;
  readonly token: string;
  readonly warn: (line: string) => void;
}

/** Refuses other web pages by their Origin, other names of this machine by the Host (DNS rebinding), and others by the token. */
export async function serveHttp(
  create: () => McpServer,
  { port, token, warn }: HttpSettings,
): Promise<HttpServing> {
  const handler = createMcpHandler(create, {
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: ({ message }) => warn(message),
  });
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      answer(request, response).catch((error: Error) => {
        warn(error.message);
        if (!response.headersSent) refuse(request, response, 500, 'The server failed');
        else response.destroy();
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, port);
  return {
    url: `http://${ADDRESS}:${(server.address() as AddressInfo).port}${PATH}`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method = 'GET', url = '/' } = request;
    const refusal = refusalOf(request, token);
    if (refusal) return refuse(request, response, ...refusal);
    const body = await bodyOf(request);
    if (body === undefined)
      return refuse(request, response, 413, `Expected a body of at most ${MAX_BODY_BYTES} bytes`);
    const ending = new AbortController();
    response.once('close', () => ending.abort());
    const given = new Request(`http://${ADDRESS}${url}`, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as [string, string]] : [],
      ),
      signal: ending.signal,
      ...(method !== 'GET' && method !== 'HEAD' && { body }),
    });
    const { status, headers: fields, body: stream } = await handler.fetch(given);
    response.writeHead(status, Object.fromEntries(fields));
    if (stream !== null) for await (const chunk of stream) response.write(chunk);
    response.end();
  }
}

function refusalOf(
  { headers, url = '' }: IncomingMessage,
  token: string,
): readonly [status: number, message: string] | undefined {
  const host = validateHostHeader(headers.host, localhostAllowedHostnames());
  const origin = validateOriginHeader(headers.origin, localhostAllowedOrigins());
  if (!host.ok || !origin.ok) return [403, 'Expected a Host and an Origin of this machine'];
  if (!isToken(headers.authorization ?? '', token))
    return [401, 'Expected the token of this server: Authorization: Bearer TOKEN'];
  return url.split('?')[0] === PATH ? undefined : [404, `Expected the path ${PATH}`];
}

/** Takes the same time for any other text. */
function isToken(authorization: string, token: string): boolean {
  const [expected, given] = [`Bearer ${token}`, authorization].map((text) =>
    createHash('sha256').update(text).digest(),
  );
  return timingSafeEqual(expected as Buffer, given as Buffer);
}

/** Undefined if it is too large; the rest of it is not read. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
  response.writeHead(status, {
    'content-type': 'application/json',
    connection: 'close',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
  response.end(body, () => request.destroy());
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, ADDRESS, resolve);
  });
}
