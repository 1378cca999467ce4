/** Which requests a server on loopback answers: those of programs of this machine, not those of websites in its browsers. */
import { readFileSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { InvalidConfig } from '../../../shared/core/crawl/invalid-config.ts';
import { isOpenToOthers } from '../../../shared/engines/local/open-to-others.ts';
import { isSecret } from '../loopback-server.ts';
import { protocolOf } from './firecrawl/watch-socket.ts';

export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/**
 * Returns why a request gets no answer. A name of somebody else may lead to this address (DNS rebinding), and a website may
 * send requests to it: so host and origin must be this server's own. `token`: as each request must have it.
 */
export function refusalOf(request: IncomingMessage, token: string | undefined): Refusal | undefined {
  const { headers, socket, method } = request;
  const own = ['127.0.0.1', 'localhost'].map((name) => `${name}:${socket.localPort}`);
  if (!own.includes(headers.host ?? '')) return { status: 421, message: `Expected the host ${own[0]}` };
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isForeign = origin !== undefined && !own.some((host) => origin === `http://${host}`);
  if (isForeign || (site !== undefined && site !== 'same-origin' && site !== 'none'))
    return { status: 403, message: 'Another website sent this' };
  if (method === 'POST' && hasBody(request) && !/^application\/json\b/i.test(headers['content-type'] ?? ''))
    return { status: 415, message: 'Expected a body of the type application/json' };
  if (token !== undefined && !isToken(request, token))
    return { status: 401, message: 'Expected the header Authorization: Bearer TOKEN' };
  return undefined;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** A WebSocket of a browser or of Node sends no other header than the name of its protocol. */
const isToken = (request: IncomingMessage, token: string): boolean =>
  isSecret(/^Bearer (.{1,1000})$/i.exec(request.headers.authorization ?? '')?.[1] ?? '', token) ||
  isSecret(protocolOf(request) ?? '', token);

const LEAST_CHARS = 16;

/** Reads the token from a file that only its owner can read. Throws {@link InvalidConfig}. */
export function readToken(file: string): string {
  let text: string;
  try {
    const { mode } = statSync(file);
    if (isOpenToOthers(mode))
      throw new InvalidConfig(
        `Expected ${file} to have the mode 0600, got 0${(mode & 0o777).toString(8)}: chmod 600 ${file}`,
      );
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    if (cause instanceof InvalidConfig) throw cause;
    throw new InvalidConfig(`The token file ${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (/^[\x21-\x7e]+$/.test(text) && text.length >= LEAST_CHARS) return text;
  throw new InvalidConfig(`Expected ${file} to have a token of at least ${LEAST_CHARS} printable characters`);
}
