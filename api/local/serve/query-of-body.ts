import type { IncomingMessage } from 'node:http';
import { type RequestQuery, requestQuery } from '../../../shared/core/archive/request-query.ts';
import { readBody } from '../loopback-server.ts';

/** Indexes have no more of a body than its beginning, but forms are read as a whole. */
const MAX_BODY_BYTES = 1_000_000;

/** The part of a request by which an index knows it apart from a GET of its URL (`request-query.ts`). */
export async function queryOfBody(request: IncomingMessage): Promise<RequestQuery | undefined | 'tooLarge'> {
  const { method = 'GET', headers } = request;
  if (method === 'GET' || method === 'HEAD') return undefined;
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body === undefined) return 'tooLarge';
  const type = headers['content-type'];
  const fields = [`Content-Length: ${body.length}`, ...(type === undefined ? [] : [`Content-Type: ${type}`])];
  const head = Buffer.from(`${method} / HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`, 'latin1');
  return requestQuery(Buffer.concat([head, body]));
}
