/** The WebSocket (RFC 6455) by which Firecrawl's clients watch a job: the server sends texts, and reads control frames. */
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
const TEXT = 0x81;
/** Control frames (section 5.5). Clients take a server that answers no ping for dead. */
const [CLOSE, PING, PONG] = [0x88, 0x89, 0x8a];
const NORMAL = 1000;
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
  let rest = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    received += bytes.length;
    if (received > MAX_RECEIVED_BYTES) return socket.destroy();
    rest = Buffer.concat([rest, bytes]);
    for (let first = firstFrame(rest); first !== 'later'; first = firstFrame(rest)) {
      if (first === 'wrong') return socket.destroy();
      const { kind, payload, end } = first;
      rest = rest.subarray(end);
      if (kind === CLOSE) {
        if (socket.writableEnded) return socket.destroy();
        return socket.end(frame(CLOSE, payload), () => socket.destroy());
      }
      if (kind === PING && !socket.writableEnded) socket.write(frame(PONG, payload));
    }
  });
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

interface Frame {
  readonly kind: number;
  readonly payload: Buffer;
  readonly end: number;
}

/** A frame of a client (section 5.2): masked, and of at most 65,535 bytes, one of control of at most 125. */
function firstFrame(bytes: Buffer): Frame | 'later' | 'wrong' {
  if (bytes.length < 2) return 'later';
  const [kind, second] = bytes as unknown as [number, number];
  const isLong = second === 0xfe;
  if (second < 0x80 || second === 0xff || (isLong && (kind & 0x08) !== 0)) return 'wrong';
  const start = isLong ? 8 : 6;
  if (bytes.length < start) return 'later';
  const end = start + (isLong ? bytes.readUInt16BE(2) : second & 0x7f);
  if (bytes.length < end) return 'later';
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, end)).map((byte, i) => byte ^ mask[i % 4]!);
  return { kind, payload: Buffer.from(payload), end };
}

function frame(kind: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = kind;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
