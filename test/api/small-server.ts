import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SmallAnswer {
  readonly status?: number;
  readonly type?: string;
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Serves these answers by path and query, and 404 for others, until the test ends. Returns the origin. */
export async function serveAnswers(
  address: string,
  answers: Readonly<Record<string, SmallAnswer | string>>,
): Promise<string> {
  const server = createServer((request, response) => {
    const known = answers[request.url ?? ''] ?? { status: 404, body: 'not here' };
    const {
      status = 200,
      type = 'text/html',
      location,
      headers = {},
      body = '',
    } = typeof known === 'string' ? { body: known } : known;
    response.writeHead(status, { 'content-type': type, ...(location && { location }), ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://${address}:${(server.address() as AddressInfo).port}`;
}
