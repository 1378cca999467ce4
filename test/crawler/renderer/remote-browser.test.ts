/** Browsers that Strand has not started: those that it refuses, and connections that are lost. */
import { createHash } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, expect, onTestFinished, test as plain, vi } from 'vitest';
import type { RemoteBrowser } from '../../../shared/crawler/renderer/find-browser.ts';
import { checkRemoteBrowser, connectBrowser } from '../../../shared/crawler/renderer/remote-browser.ts';
import { lacks, needs } from '../../needs.ts';
import { jobFor } from '../../web/scripted/render-page.ts';
import { openRenderer, openSite } from './open-renderer.ts';
import { startRemoteShell } from './remote-shell.ts';

const test = needs('browser');
const { site, parts, pageOf } = await openSite();
const shell = lacks('browser') ? undefined : await startRemoteShell();
afterAll(() => shell?.close());
const START_MS = 60_000;
const SECRET = 'token-4711';

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const listen = (server: Server) =>
  new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
const at = (port: number | string): RemoteBrowser => ({
  url: `ws://127.0.0.1:${port}/?token=${SECRET}`,
  allowPrivateAddresses: [],
});

test('a browser whose contexts have a dead proxy is taken', async () => {
  await checkRemoteBrowser(shell!.browser, START_MS);
});

test.each<[without: string, contexts: object, why: string]>([
  ['a proxy', {}, 'net::ERR_NAME_NOT_RESOLVED'],
  ['a proxy for its own machine', { proxyServer: 'socks5://127.0.0.1:9' }, 'net::ERR_CONNECTION_REFUSED'],
])('a browser without %s is refused', async (_, contexts, why) => {
  await expect(connectBrowser(shell!.browser, { startMs: START_MS, contexts })).rejects.toThrow(
    `the network of this browser cannot be cut (a request met ${why}): give Strand a browser of its own`,
  );
});

test('a browser whose requests do not come to Strand is refused', async () => {
  const guard = { intercepted: 'http://strand-self-test.invalid/' };
  await expect(connectBrowser(shell!.browser, { startMs: START_MS, guard })).rejects.toThrow(
    /its requests do not all come to Strand: .*\/fetched.* did not come/,
  );
});

/** A way to the shell that can be cut. */
async function openWay() {
  const { port } = new URL(shell!.browser.url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await listen(server);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = () => {
    server.close();
    cut();
  };
  onTestFinished(close);
  const url = shell!.browser.url.replace(`:${port}/`, `:${portOf(server)}/`);
  return { browser: { url, allowPrivateAddresses: [] }, cut, close };
}

test('a connection that is lost costs the page in progress, and a lost browser is said once', async () => {
  const way = await openWay();
  const warn = vi.fn();
  const renderer = openRenderer({ program: way.browser, warn });
  const render = (name: string) => renderer.render(jobFor(site, pageOf(name)), parts.fetchPart);
  const asked = vi.fn(parts.fetchPart);
  const lost = renderer.render(jobFor(site, pageOf('fetched')), (request) => {
    way.cut();
    return asked(request);
  });
  expect(await lost).toMatchObject({
    state: 'crashed',
    detail: expect.stringMatching(/connection to the browser was lost/),
  });
  expect(asked).toHaveBeenCalled();
  expect(await render('fetched')).toMatchObject({ state: 'rendered' });
  expect(warn).not.toHaveBeenCalled();
  way.close();
  await vi.waitFor(async () => {
    expect(await render('fetched')).toMatchObject({ state: 'noBrowser' });
    expect(warn).toHaveBeenCalled();
  }, 60_000);
  await render('fetched');
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/^No further page is rendered: the browser cannot be reached \(ECONNREFUSED\)/)],
  ]);
});

/** A server that answers the handshake, and then sends these bytes. */
async function openFake(bytes: Buffer | undefined): Promise<RemoteBrowser> {
  const sockets: Socket[] = [];
  const server = createHttpServer();
  server.on('connection', (socket) => sockets.push(socket));
  server.on('upgrade', (request, socket) => {
    if (bytes === undefined) return;
    if (bytes.length === 0) return socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.on('error', () => {});
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.once('data', () => socket.write(bytes));
  });
  await listen(server);
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return at(portOf(server));
}

const large = Buffer.alloc(10);
large.set([0x81, 127]);
large.writeBigUInt64BE(BigInt(64 * 1024 * 1024), 2);

plain.each<[what: string, bytes: Buffer | undefined, message: RegExp]>([
  ['gives no answer', undefined, /^the browser cannot be reached \(no answer within 500 ms\)$/],
  ['wants another token', Buffer.alloc(0), /^the browser cannot be reached \(it opens no WebSocket at/],
  ['sends a message that is too large', large, /^the connection to the browser was lost$/],
  ['speaks no JSON', Buffer.from([0x81, 1, 0x78]), /^it sent no JSON/],
])('a server that %s is no browser', async (_, bytes, message) => {
  const error = await checkRemoteBrowser(await openFake(bytes), 500).catch((fault: Error) => fault);
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
});

plain.each<[url: string, allowed: string[], message: RegExp]>([
  ['ws://192.0.2.1', [], /at no address of this machine.*use wss:/],
  ['ws://93.184.215.14', ['0.0.0.0/0'], /at no address of this machine/],
  ['ws://[::ffff:10.0.0.1]', ['192.168.0.0/16'], /at no address of this machine/],
  ['ws://127.0.0.1:65533', [], /^the browser cannot be reached \(ECONNREFUSED\)$/],
  ['wss://127.0.0.1:65533', [], /^the browser cannot be reached \(ECONNREFUSED\)$/],
])('%s: no connection, and no word of the secret', async (url, allowPrivateAddresses, message) => {
  const browser = { url: `${url}/?token=${SECRET}`, allowPrivateAddresses };
  const error = await checkRemoteBrowser(browser, 5000).catch((fault: Error) => fault);
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
  expect(String((error as Error).stack)).not.toContain(SECRET);
});
