import type { Socket } from 'node:net';

const CONTINUE = Buffer.from('HTTP/1.1 100', 'latin1');
const END_OF_HEAD = Buffer.from('\r\n\r\n', 'latin1');

const expectHead = new WeakMap<Socket, () => void>();

/**
 * Takes `100 Continue` heads out of what is read from the socket before the response. A client must be able to read
 * past them, asked for or not (RFC 9110, section 15.2), and undici gives up the connection instead. Call it for each
 * request as it is sent. A `100` that comes in pieces is not recognized.
 */
export function skipContinue(socket: Socket): void {
  let expect = expectHead.get(socket);
  if (expect === undefined) {
    expect = watch(socket);
    expectHead.set(socket, expect);
  }
  expect();
}

function watch(socket: Socket): () => void {
  const read = socket.read.bind(socket);
  let isHeadDue = false;
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (!isHeadDue || !Buffer.isBuffer(chunk)) return chunk;
    const rest = withoutContinue(chunk);
    if (rest.length === 0) return socket.read(size);
    isHeadDue = false;
    return rest;
  };
  return () => {
    isHeadDue = true;
  };
}

function withoutContinue(chunk: Buffer): Buffer {
  let rest = chunk;
  while (
    rest.length > CONTINUE.length &&
    rest.compare(CONTINUE, 0, CONTINUE.length, 0, CONTINUE.length) === 0
  ) {
    const end = rest.indexOf(END_OF_HEAD);
    if (end < 0) break;
    rest = rest.subarray(end + END_OF_HEAD.length);
  }
  return rest;
}
