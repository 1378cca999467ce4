/** The WebSocket (RFC 6455) by which Firecrawl's clients watch a job: the server sends texts, and reads nothing. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export interface WatchSocket {
  /** Aborted when the client has left. */
  readonly left: AbortSignal;
  /** Resolves when the text is on its way. */
  send(text: string): Promise<void>;
  /** `reason`: at most 123 bytes. */
  close(reason: string): void;
}

/** RFC 6455 section 1.3 */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const [TEXT, CLOSE] = [0x81, 0x88];
const NORMAL = 1000;
/** Clients send a frame that closes, and perhaps some that ask whether the server is there. */
const MAX_RECEIVED_BYTES = 65_536;

/** Undefined for a request that asks for no WebSocket; the caller answers it. */
export function openWatchSocket(request: IncomingMessage, socket: Duplex): WatchSocket | undefined {
  const { upgrade, 'sec-websocket-key': key, 'sec-websocket-version': version } = request.headers;
  const isAsked = upgrade?.toLowerCase() === 'websocket' && version === '13' && key !== undefined;
  if (!isAsked || request.method !== 'GET') return undefined;
  const accept = createHash('sha1')
    .update(key + GUID)
    .digest('base64');
  const protocol = protocolOf(request);
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const leaving = new AbortController();
  let received = 0;
  socket.on('data', (bytes: Buffer) => {
    received += bytes.length;
    if (bytes[0] === CLOSE || received > MAX_RECEIVED_BYTES) socket.destroy();
  });
  socket.on('error', () => socket.destroy());
  socket.once('close', () => leaving.abort());
  return {
    left: leaving.signal,
    send: (text) => new Promise((resolve) => socket.write(frame(TEXT, Buffer.from(text)), () => resolve())),
    close(reason) {
      const code = Buffer.alloc(2);
      code.writeUInt16BE(NORMAL);
      socket.end(frame(CLOSE, Buffer.concat([code, Buffer.from(reason)])));
    },
  };
}

/** The API key, which clients send as the name of a protocol, and expect back. */
export const protocolOf = ({ headers }: IncomingMessage): string | undefined =>
  /^[\w!#$%&'*+.^`|~-]{1,1000}$/.exec(headers['sec-websocket-protocol'] ?? '')?.[0];

function frame(kind: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = kind;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
