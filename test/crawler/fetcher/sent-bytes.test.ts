import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { asFailure, asResponse, listen, openFetcher, serveHttp, serveRaw, unusedPort } from './servers.ts';

const read = (name: string) => readFileSync(new URL(`certificates/${name}`, import.meta.url), 'utf8');

describe('the bytes sent for a request', () => {
  test('are those that the server has received', async () => {
    const server = await serveHttp((request, response) =>
      request.resume().on('end', () => response.end('a')),
    );
    const fetcher = openFetcher();
    const urls = ['/', '/longer/path', '/'].map((path) => server.origin + path);
    const sent: (number | undefined)[] = [];
    for (const url of urls) sent.push(asResponse(await fetcher.fetch({ url })).sentBytes);
    const { requestHead } = asResponse(await fetcher.fetch({ url: urls[1]! }));
    expect(server.connections()).toBe(1);
    expect(sent[1]).toBe(requestHead.length);
    expect(sent[0]).toBe(sent[2]);
    const inAll = server.received.reduce((sum, text) => sum + text.length, 0);
    expect(sent.reduce<number>((sum, bytes = 0) => sum + bytes, requestHead.length)).toBe(inAll);
  });

  test('and those received are all that the server has sent, also of a body that is cut', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n';
    const server = await serveRaw((socket) => socket.write(`${head}aaaaa`));
    const fetcher = openFetcher();
    for (let i = 0; i < 2; i++)
      expect(asResponse(await fetcher.fetch({ url: server.origin })).receivedBytes).toBe(head.length + 5);
    const cut = asResponse(await fetcher.fetch({ url: server.origin, maxBodyBytes: 2 }));
    expect([cut.body.size, cut.receivedBytes]).toEqual([2, head.length + 5]);
  });

  test('over TLS have the handshake in the first request of a connection', async () => {
    const options = { key: read('site.test.key.pem'), cert: read('site.test.cert.pem') };
    const server = createServer(options, (_request, response) => response.end('a'));
    const transports: Socket[] = [];
    server.on('connection', (socket: Socket) => transports.push(socket));
    const { port } = await listen(server);
    const fetcher = openFetcher({ tls: 'any' });
    const url = `https://site.test:${port}/`;
    const outcomes = [asResponse(await fetcher.fetch({ url })), asResponse(await fetcher.fetch({ url }))];
    const [first = 0, second = 0] = outcomes.map(({ sentBytes }) => sentBytes);
    expect(transports).toHaveLength(1);
    const received = outcomes.reduce((sum, { receivedBytes = 0 }) => sum + receivedBytes, 0);
    expect(received).toBe(transports[0]?.bytesWritten);
    expect(outcomes[0]?.receivedBytes).toBeGreaterThan(1000);
    expect(first + second).toBe(transports[0]?.bytesRead);
    expect(first).toBeGreaterThan(second + 300);
  });

  test('are known of a request that was not answered, and of none that found no server', async () => {
    const server = await serveRaw((socket) => socket.destroy());
    const failed = asFailure(await openFetcher().fetch({ url: server.origin }));
    expect(failed.sentBytes).toBe(server.received[0]?.length);
    const refused = await openFetcher().fetch({ url: `http://127.0.0.1:${await unusedPort()}/` });
    expect(asFailure(refused).sentBytes).toBeUndefined();
  });
});
