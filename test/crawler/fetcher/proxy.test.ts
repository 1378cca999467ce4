import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { createProxyChooser } from '../../../shared/crawler/fetcher/proxy/choose-proxy.ts';
import {
  asFailure,
  asResponse,
  listen,
  openFetcher,
  serveHttp,
  serveRaw,
  stopTimeouts,
  unusedPort,
} from './servers.ts';

const read = (name: string) => readFileSync(new URL(`certificates/${name}`, import.meta.url), 'utf8');
const certificateAuthorities = [read('site.test.cert.pem')];
/** Names are the proxy's to resolve: here no name has an address. */
const NO_NAMES = {
  resolve: [] as [string, string][],
  lookup: async () => {
    throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
  },
};

async function serveSite() {
  const plain = await serveHttp((_request, response) => response.end('plain'));
  const server = createHttpsServer(
    { cert: certificateAuthorities[0]!, key: read('site.test.key.pem') },
    (_, response) => response.end('secret'),
  );
  return { plain, secure: await listen(server) };
}

/** A proxy by CONNECT and by whole URLs, which finds every name on this machine. */
async function serveProxy(options: { authorization?: string; status?: number } = {}) {
  const server = createServer((client: Socket) => {
    client.once('data', (data) => {
      const head = data.toString('latin1');
      const [, method, target = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
      if (options.authorization && !head.includes(`Proxy-Authorization: ${options.authorization}\r\n`))
        return client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      if (options.status) return client.end(`HTTP/1.1 ${options.status} No\r\nContent-Length: 0\r\n\r\n`);
      const port = Number(new URL(method === 'CONNECT' ? `http://${target}` : target).port);
      const upstream = connect(port, '127.0.0.1', () => {
        if (method === 'CONNECT') client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        else upstream.write(data);
        client.pipe(upstream).pipe(client);
      });
      upstream.on('error', () => client.destroy());
    });
  });
  return listen(server);
}

/** SOCKS5, which asks for a user if there is one. */
async function serveSocks({ user, reply = 0 }: { user?: string; reply?: number } = {}) {
  const asked: string[] = [];
  const server = createServer((client) => {
    let step = 0;
    client.on('error', () => {});
    client.on('data', (data) => {
      if (step === 0) {
        step = user === undefined ? 2 : 1;
        client.write(Buffer.from([5, user === undefined ? 0 : 2]));
      } else if (step === 1) {
        step = 2;
        const name = data.subarray(2, 2 + data[1]!).toString();
        client.write(Buffer.from([1, name === user ? 0 : 1]));
      } else if (step === 2) {
        step = 3;
        const isName = data[3] === 3;
        const host = isName ? data.subarray(5, 5 + data[4]!).toString() : [...data.subarray(4, 8)].join('.');
        asked.push(host);
        if (reply !== 0) return client.end(Buffer.from([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]));
        const upstream = connect(data.readUInt16BE(data.length - 2), '127.0.0.1', () => {
          client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          client.pipe(upstream).pipe(client);
        });
        upstream.on('error', () => client.destroy());
      }
    });
  });
  return { ...(await listen(server)), asked };
}

const bodyOf = async (outcome: Parameters<typeof asResponse>[0]) =>
  Buffer.from(await asResponse(outcome).body.bytes()).toString();

describe('an HTTP proxy', () => {
  test('gets http URLs whole and opens tunnels for https, with its password, which is not archived', async () => {
    const { plain, secure } = await serveSite();
    const authorization = `Basic ${btoa('me:hidden')}`;
    const proxy = await serveProxy({ authorization });
    const proxies = [{ url: `http://me:hidden@127.0.0.1:${proxy.port}` }];
    const fetcher = openFetcher({ ...NO_NAMES, proxies, certificateAuthorities });
    const first = asResponse(await fetcher.fetch({ url: `http://site.test:${plain.port}/a?b` }));
    expect(Buffer.from(await first.body.bytes()).toString()).toBe('plain');
    const head = Buffer.from(first.requestHead).toString();
    expect(head).toContain(`GET http://site.test:${plain.port}/a?b HTTP/1.1\r\n`);
    expect(head).not.toContain(btoa('me:hidden'));
    expect(first.ipAddress).toBe('');
    const url = `https://site.test:${secure.port}/`;
    expect(await bodyOf(await fetcher.fetch({ url }))).toBe('secret');
    expect(proxy.received[1]).toContain(`CONNECT site.test:${secure.port} HTTP/1.1\r\n`);
    expect(secure.received.join()).not.toContain('hidden');
  });

  test.each(['http', 'https'])(
    'that wants another password fails the %s request, not the host',
    async (scheme) => {
      const proxy = await serveProxy({ authorization: 'Basic x' });
      const fetcher = openFetcher({ proxies: [{ url: `http://me:hidden@127.0.0.1:${proxy.port}` }] });
      const failure = asFailure(await fetcher.fetch({ url: `${scheme}://site.test/` }));
      expect(failure).toMatchObject({ reason: 'proxy', code: 'proxyDenied' });
      expect(failure.message).not.toContain('hidden');
    },
  );

  test.each([
    ['refuses a host', 403, 'hostRefusedByProxy'],
    ['does not reach a host', 503, 'hostNotReachedByProxy'],
  ])('that %s says so of the host', async (_name, status, code) => {
    const proxy = await serveProxy({ status });
    const fetcher = openFetcher({ proxies: [{ url: `http://127.0.0.1:${proxy.port}` }] });
    expect(asFailure(await fetcher.fetch({ url: 'https://site.test/' }))).toMatchObject({
      reason: 'connect',
      code,
    });
  });

  test('that is not there, closes, stalls or speaks something else is at fault itself', async () => {
    const closing = await serveRaw((socket) => socket.end());
    const stalling = await serveRaw(() => {});
    const talking = await serveRaw((socket) => socket.end('220 mail.test ESMTP\r\n\r\n'));
    for (const port of [await unusedPort(), closing.port, stalling.port, talking.port]) {
      const fetcher = openFetcher({ proxies: [{ url: `http://127.0.0.1:${port}` }], connectTimeoutMs: 300 });
      const failure = asFailure(await fetcher.fetch({ url: 'https://site.test/' }));
      expect(failure).toMatchObject({ reason: 'proxy', code: 'proxyFailed' });
      expect(failure.message).toContain(`http://127.0.0.1:${port}`);
    }
  });

  test('that serves others and stalls for one host is not at fault', async () => {
    const { secure } = await serveSite();
    let isStalling = false;
    const proxy = createServer((client) => {
      client.on('error', () => {});
      client.once('data', (data) => {
        isStalling = data.toString().startsWith('CONNECT slow.test');
        if (isStalling) return;
        const upstream = connect(secure.port, '127.0.0.1', () => {
          client.write('HTTP/1.1 200 OK\r\n\r\n');
          client.pipe(upstream).pipe(client);
        });
        upstream.on('error', () => client.destroy());
      });
    });
    const { port } = await listen(proxy);
    const fetcher = openFetcher({
      ...NO_NAMES,
      proxies: [{ url: `http://127.0.0.1:${port}` }],
      certificateAuthorities,
      connectTimeoutMs: 60_000,
    });
    expect(await bodyOf(await fetcher.fetch({ url: `https://site.test:${secure.port}/` }))).toBe('secret');
    const pass = stopTimeouts();
    const outcome = fetcher.fetch({ url: 'https://slow.test/' });
    await pass(60_000, () => isStalling);
    const failure = asFailure(await outcome);
    expect(failure).toMatchObject({ reason: 'timeout', code: 'connectTimeout' });
  });

  test('is not used for addresses that may not be connected to', async () => {
    const proxy = await serveProxy();
    const options = {
      ...NO_NAMES,
      proxies: [{ url: `http://127.0.0.1:${proxy.port}` }],
      allowPrivateAddresses: [],
    };
    const fetcher = openFetcher(options);
    for (const host of ['127.0.0.1', '[::1]', 'localhost', '169.254.169.254', '[::ffff:10.0.0.1]'])
      for (const scheme of ['http', 'https']) {
        const url = new URL(`${scheme}://${host}/`).href;
        expect(asFailure(await fetcher.fetch({ url })).reason).toBe('blockedAddress');
      }
    expect(proxy.connections()).toBe(0);
  });

  test("is itself held to the address guard where the crawl is not the deployer's own", async () => {
    const proxy = await serveProxy();
    const proxies = [{ url: `http://127.0.0.1:${proxy.port}` }];
    const fetcher = openFetcher({ proxies, guardsProxies: true, allowPrivateAddresses: [], ...NO_NAMES });
    expect(asFailure(await fetcher.fetch({ url: 'http://site.test/' })).code).toBe('proxyFailed');
    expect(proxy.connections()).toBe(0);
  });
});

describe('a SOCKS5 proxy', () => {
  test.each([
    ['socks5', '127.0.0.1'],
    ['socks5h', 'site.test'],
  ])('by %s gets %s', async (kind, expected) => {
    const { secure } = await serveSite();
    const proxy = await serveSocks({ user: 'me' });
    const proxies = [{ url: `${kind}://me:word@127.0.0.1:${proxy.port}` }];
    const fetcher = openFetcher({ proxies, certificateAuthorities, ...(kind === 'socks5h' && NO_NAMES) });
    const response = asResponse(await fetcher.fetch({ url: `https://site.test:${secure.port}/` }));
    expect(Buffer.from(await response.body.bytes()).toString()).toBe('secret');
    expect(proxy.asked).toEqual([expected]);
    expect(response.ipAddress).toBe(kind === 'socks5' ? '127.0.0.1' : '');
  });

  test.each([
    [2, 'hostRefusedByProxy'],
    [4, 'hostNotReachedByProxy'],
    [99, 'hostNotReachedByProxy'],
  ])('that answers %d says so of the host', async (reply, code) => {
    const proxy = await serveSocks({ reply });
    const fetcher = openFetcher({ proxies: [{ url: `socks5h://127.0.0.1:${proxy.port}` }], ...NO_NAMES });
    expect(asFailure(await fetcher.fetch({ url: 'http://site.test/' })).code).toBe(code);
  });

  test('that refuses the user, or is none, is at fault itself', async () => {
    const refusing = await serveSocks({ user: 'other' });
    const none = await serveHttp((_request, response) => response.end());
    const codes = [];
    for (const { port } of [refusing, none]) {
      const fetcher = openFetcher({ proxies: [{ url: `socks5h://me:word@127.0.0.1:${port}` }], ...NO_NAMES });
      codes.push(asFailure(await fetcher.fetch({ url: 'http://site.test/' })).code);
    }
    expect(codes).toEqual(['proxyDenied', 'proxyFailed']);
  });
});

describe('which proxy a host gets', () => {
  const chosen = (rules: Parameters<typeof createProxyChooser>[0], url: string) =>
    createProxyChooser(parseConfig({ proxies: [...rules] }).proxies)(url)?.port;
  const at = (port: number, hosts?: string[], scheme?: 'http' | 'https') => ({
    url: `http://proxy.test:${port}`,
    ...(hosts && { hosts }),
    ...(scheme && { scheme }),
  });

  test('those that name it come first, `direct` means none, and a scheme may be said', () => {
    const rules = [at(1), at(2, ['*.a.test']), { url: 'direct', hosts: ['b.test', '10.0.0.0/8'] }];
    expect(chosen(rules, 'http://c.test/')).toBe(1);
    expect(chosen(rules, 'http://x.a.test/')).toBe(2);
    expect(chosen(rules, 'http://b.test/')).toBeUndefined();
    expect(chosen(rules, 'http://10.1.2.3/')).toBeUndefined();
    expect(chosen([at(1, undefined, 'https')], 'http://c.test/')).toBeUndefined();
    expect(chosen([at(1, undefined, 'https')], 'https://c.test/')).toBe(1);
  });

  test('of several each host always has the same one, and all are used', () => {
    const rules = [at(1), at(2), at(3)];
    const ports = Array.from({ length: 60 }, (_, i) => chosen(rules, `https://h${i}.test/`));
    expect(new Set(ports)).toEqual(new Set([1, 2, 3]));
    expect(Array.from({ length: 60 }, (_, i) => chosen(rules, `http://h${i}.test/b`))).toEqual(ports);
  });

  test.each(['ftp://p.test', 'socks4://p.test', 'p.test:8080', 'http://p.test/path', 'http://'])(
    'is not said by %s',
    (url) => {
      expect(() => parseConfig({ proxies: [{ url }] })).toThrow();
    },
  );
});
