import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InvalidConfig } from '../../../shared/core/crawl/config.ts';
import type { Lookup } from '../../../shared/crawler/fetcher/dns-cache.ts';
import { asFailure, asResponse, listen, openFetcher, serveHttp, serveRaw } from './servers.ts';

/** Gives one answer after the other, and says how often it was asked. */
function scripted(...answers: string[][]): Lookup & { asked: () => number } {
  let asked = 0;
  const lookup: Lookup = async () => ({
    addresses: answers[Math.min(asked++, answers.length - 1)]!,
    ttlMs: 0,
  });
  return Object.assign(lookup, { asked: () => asked });
}

/**
 * A port at which 127.0.0.2 and 127.0.0.4 take no connection: a process that freezes has a full queue there.
 */
async function silentPort(): Promise<number> {
  const code = `
    const { createServer } = require('node:net');
    const first = createServer().listen({ host: '127.0.0.2', port: 0, backlog: 1 }, () => {
      const { port } = first.address();
      createServer().listen({ host: '127.0.0.4', port, backlog: 1 }, () => {
        require('node:fs').writeSync(1, port + '\\n');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      });
    });`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  });
  const [line] = await once(child.stdout, 'data');
  const port = Number(line);
  for (const host of ['127.0.0.2', '127.0.0.4']) for (let i = 0; i < 3; i++) await fillOne(host);
  return port;

  function fillOne(host: string): Promise<unknown> {
    const socket = connect({ host, port });
    sockets.push(socket.on('error', () => {}));
    return Promise.race([once(socket, 'connect'), setTimeout(200)]);
  }
}

const HAS_IPV6 = networkInterfaces().lo?.some(({ family }) => family === 'IPv6') ?? false;

const byName = { resolve: [] as [string, string][] };

describe('an address of our own network', () => {
  test.each(['127.0.0.1', '127.1', '2130706433', '0x7f000001', 'site.test', '[::ffff:127.0.0.1]', '[::1]'])(
    'is not connected to as http://%s',
    async (host) => {
      const server = await serveHttp((_request, response) => response.end());
      const fetcher = openFetcher({ allowPrivateAddresses: [] });
      const url = new URL(`http://${host}:${server.port}/`).href;
      const failure = asFailure(await fetcher.fetch({ url }));
      expect(failure.reason).toBe('blockedAddress');
      expect(failure.message).toMatch(/loopback.*--allow-private-addresses=[0-9a-f.:]+\/(32|128)/);
      expect(server.connections()).toBe(0);
    },
  );

  test('is connected to where it is allowed, in mapped form too', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const outcome = await openFetcher().fetch({ url: `http://[::ffff:7f00:1]:${server.port}/` });
    // A machine without IPv6 cannot connect, but the guard is not what stops it.
    expect(outcome.status === 'failed' && outcome.reason).not.toBe('blockedAddress');
  });

  test('is judged at each connection: a name that turns private (DNS rebinding) is refused', async () => {
    const clock = { time: 0, now: () => clock.time };
    // The allowed address represents the public internet, which no test may connect to.
    const server = await serveRaw(
      (socket) => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
      '127.0.0.2',
    );
    const lookup = scripted(['127.0.0.2'], ['127.0.0.3']);
    const fetcher = openFetcher({ ...byName, clock, lookup, allowPrivateAddresses: ['127.0.0.2/32'] });
    const url = `http://site.test:${server.port}/`;
    expect(asResponse(await fetcher.fetch({ url })).ipAddress).toBe('127.0.0.2');
    clock.time = 3_600_000;
    expect(asFailure(await fetcher.fetch({ url }))).toMatchObject({
      reason: 'blockedAddress',
      message: expect.stringContaining('127.0.0.3'),
    });
    expect(lookup.asked()).toBe(2);
  });

  test('among others of a name is left out', async () => {
    const server = await serveHttp((_request, response) => response.end(), '127.0.0.2');
    const lookup = scripted(['10.0.0.1', '127.0.0.2', '169.254.169.254']);
    const fetcher = openFetcher({ ...byName, lookup, allowPrivateAddresses: ['127.0.0.2/32'] });
    const response = asResponse(await fetcher.fetch({ url: `http://site.test:${server.port}/` }));
    expect(response.ipAddress).toBe('127.0.0.2');
  });

  test('may not be named in a CIDR block that is none', () => {
    expect(() => openFetcher({ allowPrivateAddresses: ['127.0.0.0/8', '10.0.0.0/40'] })).toThrow(
      InvalidConfig,
    );
    expect(() => openFetcher({ allowPrivateAddresses: ['10.0.0.0/40'] })).toThrow('10.0.0.0/40');
  });
});

describe('a name', () => {
  test.each([
    [9, true],
    [13, false],
  ])('with %i addresses of which only the last one accepts is reached: %s', async (count, isReached) => {
    const addresses = Array.from({ length: count }, (_, n) => `127.0.7.${n + 1}`);
    const server = await serveHttp((_request, response) => response.end(), addresses.at(-1));
    const fetcher = openFetcher({ ...byName, lookup: scripted(addresses) });
    const outcome = await fetcher.fetch({ url: `http://site.test:${server.port}/` });
    if (isReached) expect(asResponse(outcome).ipAddress).toBe(addresses.at(-1));
    else expect(asFailure(outcome).code).toBe('connectionRefused');
  });

  test('with several addresses is tried at the next one when one refuses', async () => {
    const server = await serveHttp((_request, response) => response.end(), '127.0.0.3');
    const fetcher = openFetcher({ ...byName, lookup: scripted(['127.0.0.2', '127.0.0.3']) });
    const response = asResponse(await fetcher.fetch({ url: `http://site.test:${server.port}/` }));
    expect(response.ipAddress).toBe('127.0.0.3');
    expect(server.received[0]).toContain(`host: site.test:${server.port}\r\n`);
  });

  test('is reached at its second address while the first one is silent', async () => {
    const port = await silentPort();
    const server = await serveHttp((_request, response) => response.end(), '127.0.0.3', port);
    const fetcher = openFetcher({ ...byName, lookup: scripted(['127.0.0.2', '127.0.0.3']) });
    const startedAt = performance.now();
    const response = asResponse(await fetcher.fetch({ url: `http://site.test:${port}/` }));
    expect(response.ipAddress).toBe('127.0.0.3');
    // The first one has 60 s.
    expect(performance.now() - startedAt).toBeLessThan(50_000);
    expect(server.connections()).toBe(1);
  });

  test('is reached at its second address if no second connection may be open', async () => {
    const port = await silentPort();
    await serveHttp((_request, response) => response.end(), '127.0.0.3', port);
    const fetcher = openFetcher({
      ...byName,
      maxSockets: 1,
      connectTimeoutMs: 2000,
      lookup: scripted(['127.0.0.2', '127.0.0.3']),
    });
    const response = asResponse(await fetcher.fetch({ url: `http://site.test:${port}/` }));
    expect(response.ipAddress).toBe('127.0.0.3');
  });

  test.runIf(HAS_IPV6)('is reached by IPv6 while all its IPv4 addresses are silent', async () => {
    const port = await silentPort();
    await serveHttp((_request, response) => response.end(), '::1', port);
    const lookup = scripted(['127.0.0.2', '127.0.0.4', '::1']);
    const fetcher = openFetcher({ ...byName, lookup, allowPrivateAddresses: ['127.0.0.0/8', '::1/128'] });
    const startedAt = performance.now();
    const response = asResponse(await fetcher.fetch({ url: `http://site.test:${port}/` }));
    expect(response.ipAddress).toBe('::1');
    // The first two have 30 s.
    expect(performance.now() - startedAt).toBeLessThan(25_000);
  });

  test('that does not resolve is a failure that says so', async () => {
    const lookup = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    const failure = asFailure(await openFetcher({ ...byName, lookup }).fetch({ url: 'http://gone.test/' }));
    expect(failure).toMatchObject({
      reason: 'dns',
      code: 'noSuchHost',
      message: 'no such host: gone.test',
    });
  });

  test('whose servers are silent is given up at the connect time-out', async () => {
    const lookup = () => new Promise<never>(() => {});
    const fetcher = openFetcher({ ...byName, lookup, connectTimeoutMs: 50 });
    expect(asFailure(await fetcher.fetch({ url: 'http://slow.test/' }))).toMatchObject({
      reason: 'dns',
      message: expect.stringContaining('within 50 ms'),
    });
  });
});

describe('TLS', () => {
  const read = (name: string) => readFileSync(new URL(`certificates/${name}`, import.meta.url), 'utf8');
  const cert = read('site.test.cert.pem');

  async function serveHttps() {
    const server = createHttpsServer({ cert, key: read('site.test.key.pem') }, (_request, response) =>
      response.end('secret'),
    );
    const serverNames: (string | false | null)[] = [];
    server.on('secureConnection', (socket) => serverNames.push(socket.servername as string | false | null));
    return { ...(await listen(server)), serverNames };
  }

  test('gets the host name, and a trusted certificate of that name is accepted', async () => {
    const server = await serveHttps();
    const fetcher = openFetcher({ certificateAuthorities: [cert] });
    for (let i = 0; i < 2; i++) {
      const response = asResponse(await fetcher.fetch({ url: `https://site.test:${server.port}/` }));
      expect(Buffer.from(await response.body.bytes()).toString()).toBe('secret');
      expect(response.ipAddress).toBe('127.0.0.1');
    }
    expect(server.serverNames).toEqual(['site.test']);
  });

  test.each([
    ['a certificate of another name', 'other.test', [cert], 'certificateOtherHost'],
    ['a certificate that nobody vouches for', 'site.test', [], 'certificateSelfSigned'],
    ['an address that the certificate does not name', '127.0.0.1', [cert], 'certificateOtherHost'],
  ])('fails for %s', async (_name, host, certificateAuthorities, code) => {
    const server = await serveHttps();
    const fetcher = openFetcher({ certificateAuthorities });
    expect(asFailure(await fetcher.fetch({ url: `https://${host}:${server.port}/` }))).toMatchObject({
      reason: 'tls',
      code,
    });
  });

  test('fails where the server speaks something else', async () => {
    const plain = await serveHttp((_request, response) => response.end());
    const outcome = await openFetcher().fetch({ url: `https://site.test:${plain.port}/` });
    expect(asFailure(outcome).reason).toBe('tls');
  });
});
