/** The server by HTTP, for programs of this machine that know its token. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { isSecret, openLoopback, readBody } from '../../api/local/loopback-server.ts';

const PATH = '/mcp';
const MAX_BODY_BYTES = 64 * 1024;
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
  const { origin, close } = await openLoopback(
    port,
    (request, response) => {
      answer(request, response).catch((error: Error) => {
        warn(error.message);
        if (!response.headersSent) refuse(request, response, 500, 'The server failed');
        else response.destroy();
      });
    },
    { requestMs: REQUEST_MS },
  );
  return {
    url: origin + PATH,
    async close() {
      await handler.close();
      await close();
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method = 'GET', url = '/' } = request;
    const refusal = refusalOf(request, token);
    if (refusal) return refuse(request, response, ...refusal);
    const isLong = Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
    const body = isLong ? undefined : await readBody(request, MAX_BODY_BYTES);
    if (body === undefined)
      return refuse(request, response, 413, `Expected a body of at most ${MAX_BODY_BYTES} bytes`);
    const ending = new AbortController();
    response.once('close', () => ending.abort());
    const given = new Request(origin + url, {
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
  if (!isSecret(headers.authorization ?? '', `Bearer ${token}`))
    return [401, 'Expected the token of this server: Authorization: Bearer TOKEN'];
  return url.split('?')[0] === PATH ? undefined : [404, `Expected the path ${PATH}`];
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
