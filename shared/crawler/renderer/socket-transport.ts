import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { WebSocket } from 'undici/lib/web/websocket/websocket.js';
import { messageOf } from '../../core/base/error-message.ts';
import { createAddressGuard, isSpecialAddress } from '../fetcher/address-guard.ts';
import type { RunningBrowser } from './browser-process.ts';
import type { RemoteBrowser } from './find-browser.ts';
import { MAX_MESSAGE_BYTES, type OpenTransport } from './transport.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
/** The browser has this time to close a connection, too. */
const CLOSE_MS = 1000;

/**
 * Connects to a browser that runs elsewhere. A message that is too large ends the connection. Rejects if there is none within
 * `ms`. No message shows the URL, which may hold a secret.
 */
export async function openSocket(browser: RemoteBrowser, ms: number): Promise<RunningBrowser> {
  let socket: Socket | undefined;
  /** The WebSocket itself gives no reasons. */
  let why: string | undefined;
  const connect = buildConnector({ timeout: ms, ...(await plainLookup(browser)) });
  const dispatcher = new Agent({
    webSocket: { maxPayloadSize: MAX_MESSAGE_BYTES },
    connect: (options, callback) =>
      connect(options, (...[error, opened]) => {
        if (error !== null) {
          why = (error as NodeJS.ErrnoException).code;
          return callback(error, null);
        }
        socket = opened;
        callback(null, opened);
      }),
  });
  const webSocket = new WebSocket(browser.url, { dispatcher });
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  const fail = () =>
    opened.reject(new Error(`the browser cannot be reached (${why ?? 'it opens no WebSocket at this URL'})`));
  webSocket.addEventListener('open', () => opened.resolve());
  webSocket.addEventListener('close', () => {
    ended.resolve('the connection to the browser was lost');
    fail();
  });
  const timer = setTimeout(() => {
    why = `no answer within ${ms} ms`;
    fail();
  }, ms);
  try {
    await opened.promise;
  } catch (error) {
    socket?.destroy();
    await dispatcher.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  const end = async () => {
    webSocket.close();
    const late = setTimeout(() => socket?.destroy(), CLOSE_MS);
    await ended.promise;
    clearTimeout(late);
    await dispatcher.destroy();
  };
  return { open: messagesOf(webSocket, ended.promise), ended: ended.promise, end };
}

const messagesOf =
  (webSocket: WebSocket, ended: Promise<string>): OpenTransport =>
  ({ onMessage, onEnd }) => {
    webSocket.addEventListener('message', ({ data }) => {
      try {
        onMessage(data);
      } catch (error) {
        onEnd(`it sent no JSON: ${messageOf(error)}`);
      }
    });
    void ended.then(onEnd);
    return { send: (text) => webSocket.send(text) };
  };

/**
 * Without TLS, all addresses of the host are looked up once and must be of this machine, or be private ones that the crawl
 * allows. The connection goes to one of these.
 */
async function plainLookup({
  url,
  allowPrivateAddresses,
}: RemoteBrowser): Promise<{ lookup?: LookupFunction }> {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'ws:') return {};
  const name = hostname.replace(/^\[(.*)\]$/, '$1');
  const found = isIP(name) > 0 ? [{ address: name, family: isIP(name) }] : await lookupAll(name);
  const mayConnect = createAddressGuard([...LOOPBACK, ...allowPrivateAddresses]);
  if (!found.every(({ address }) => isSpecialAddress(address) && mayConnect(address)))
    throw new Error(
      'it is at no address of this machine, and at none of allowPrivateAddresses: without TLS others would read the pages; use wss://',
    );
  const [first] = found as [(typeof found)[0]];
  return {
    lookup: (_name, { all }, callback) =>
      all ? callback(null, found) : callback(null, first.address, first.family),
  };
}

async function lookupAll(name: string) {
  try {
    return await lookup(name, { all: true });
  } catch (error) {
    throw new Error(`the browser cannot be reached (${(error as NodeJS.ErrnoException).code})`);
  }
}
