/** The WebSocket of watchers as bytes, and connections that end in disorder. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import {
  openWatchSocket,
  type WatchSocket,
} from '../../../../../api/local/api-server/firecrawl/watch-socket.ts';
import { openLoopback } from '../../../../../api/local/loopback-server.ts';

const REQUEST = [
  ...['GET /watch HTTP/1.1', 'Host: 127.0.0.1', 'Connection: Upgrade', 'Upgrade: websocket'],
  ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
].join('\r\n');
const MASK = [1, 2, 3, 4];
const PING = 0x89;
const CLOSE = 0x88;
const TEXT = 0x81;

/** A frame of a client. */
function masked(kind: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = length < 126 ? [0x80 | length] : [0xfe, length >> 8, length & 0xff];
  return Buffer.from([kind, ...head, ...MASK, ...payload.map((byte, i) => byte ^ MASK[i % 4]!)]);
}

/** Connects, and sends the first bytes with the request. */
async function watch(first: Buffer = Buffer.alloc(0)) {
  const opened: WatchSocket[] = [];
  const server = await openLoopback(0, (_, response) => response.end('here'), {
    upgrade: (request, socket) => {
      const watched = openWatchSocket(request, socket);
      if (watched) opened.push(watched);
      else socket.end('HTTP/1.1 404 Refused\r\n\r\n');
    },
  });
  const client = connect(Number(new URL(server.origin).port), '127.0.0.1');
  onTestFinished(async () => {
    client.destroy();
    await server.close();
  });
  let received = Buffer.alloc(0);
  client.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
  });
  /** The bytes after the head of the answer, when there are this many. */
  const bytes = async (count: number): Promise<string> => {
    for (;;) {
      const start = received.indexOf('\r\n\r\n') + 4;
      if (start > 3 && received.length >= start + count) return received.subarray(start).toString('hex');
      await Promise.race([once(client, 'data'), once(client, 'close')]);
      if (client.destroyed) return received.subarray(start).toString('hex');
    }
  };
  client.write(Buffer.concat([Buffer.from(`${REQUEST}\r\n\r\n`), first]));
  await bytes(0);
  return { server, client, bytes, socket: opened[0]! };
}

const ended = (client: Socket) => client.destroyed || once(client, 'close');

test('a ping is answered by its own text, however its bytes come', async () => {
  const ping = masked(PING, Buffer.from('abc'));
  const { client, bytes } = await watch(ping.subarray(0, 3));
  client.write(ping.subarray(3, 8));
  client.write(Buffer.concat([ping.subarray(8), masked(TEXT, Buffer.alloc(300)), ping]));
  expect(await bytes(10)).toBe('8a036162638a03616263');
});

test('a client that closes gets its code back, and is gone then', async () => {
  const { client, bytes, socket } = await watch();
  client.write(masked(CLOSE, Buffer.from([0x03, 0xe8])));
  expect(await bytes(4)).toBe('880203e8');
  await ended(client);
  if (!socket.left.aborted) await once(socket.left, 'abort');
});

test('the server closes by a reason, and the answer to that ends the connection', async () => {
  const { client, bytes, socket } = await watch();
  await socket.send('{}');
  socket.close('x');
  expect(await bytes(9)).toBe('81027b7d880303e878');
  client.write(masked(CLOSE, Buffer.from([0x03, 0xe8])));
  await ended(client);
});

test.each([
  ['without a mask', Buffer.from([PING, 0x00])],
  ['of control, and long', masked(PING, Buffer.alloc(126))],
  ['of gigabytes', Buffer.from([TEXT, 0xff, 0, 0, 0, 1, 0, 0, 0, 0])],
])('a frame %s ends the connection', async (_, frame) => {
  const { client, socket } = await watch();
  client.write(frame);
  await ended(client);
  if (!socket.left.aborted) await once(socket.left, 'abort');
});

test('more than 64 KB end the connection', async () => {
  const { client } = await watch();
  client.on('error', () => {});
  client.write(masked(TEXT, Buffer.alloc(40_000)));
  client.write(masked(TEXT, Buffer.alloc(40_000)));
  await ended(client);
});

test('a connection that is reset while it is refused does not end the server', async () => {
  const server = await openLoopback(0, (_, response) => response.end('here'), {
    upgrade: (_, socket) => socket.destroy(new Error('read ECONNRESET')),
  });
  onTestFinished(() => server.close());
  const client = connect(Number(new URL(server.origin).port), '127.0.0.1');
  client.on('error', () => {});
  client.write(`${REQUEST}\r\n\r\n`);
  await ended(client);
  expect(await (await fetch(server.origin)).text()).toBe('here');
});
