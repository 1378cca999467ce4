import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ResponseHead } from '../../../shared/core/outcome/response-head.ts';
import {
  asFailure,
  asResponse,
  openFetcher,
  serveHttp,
  serveRaw,
  stopTimeouts,
  temporaryFolder,
  unusedPort,
  watchBody,
} from './servers.ts';

const sha1 = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('hex');
const OK = 'HTTP/1.1 200 OK\r\n';

describe('a whole response', () => {
  test('has status, headers in order and case, body, digest, address and times', async () => {
    const server = await serveRaw((socket) =>
      socket.end(
        `HTTP/1.1 200 Fine\r\nX-b: 1\r\nx-A: caf\xe9\r\nX-B: 2\r\ncontent-length: 5\r\n\r\nhello`,
        'latin1',
      ),
    );
    let time = 100;
    const fetcher = openFetcher({ clock: { now: () => time++ } });
    const response = asResponse(await fetcher.fetch({ url: `${server.origin}/page?q=1` }));
    expect(response).toMatchObject({
      url: `${server.origin}/page?q=1`,
      httpStatus: 200,
      statusText: 'Fine',
      headers: [
        ['X-b', '1'],
        ['x-A', 'caf\xe9'],
        ['X-B', '2'],
        ['content-length', '5'],
      ],
      ipAddress: '127.0.0.1',
      startedAt: 100,
    });
    expect(response.endedAt).toBeGreaterThan(response.startedAt);
    expect(response.truncated).toBeUndefined();
    expect(Buffer.from(await response.body.bytes()).toString()).toBe('hello');
    expect(Buffer.from(response.body.sha1).toString('hex')).toBe(sha1(Buffer.from('hello')));
  });

  test('comes de-chunked, with its content coding kept', async () => {
    const packed = gzipSync('words '.repeat(1000));
    const server = await serveHttp((_request, response) => {
      response.setHeader('Content-Encoding', 'gzip');
      response.write(packed.subarray(0, 10));
      response.end(packed.subarray(10));
    });
    const response = asResponse(await openFetcher().fetch({ url: server.origin }));
    expect(response.headers.map(([name]) => name)).toContain('Transfer-Encoding');
    expect(Buffer.from(await response.body.bytes()).equals(packed)).toBe(true);
  });

  test('may be a redirect: it is not followed', async () => {
    const server = await serveHttp((_request, response) =>
      response.writeHead(301, { location: '/new' }).end('gone'),
    );
    const response = asResponse(await openFetcher().fetch({ url: server.origin }));
    expect(response.httpStatus).toBe(301);
    expect(server.received.join()).not.toContain('/new');
  });

  test.each([204, 304])('of status %d has no body, and its connection is kept', async (status) => {
    const server = await serveHttp((_request, response) => response.writeHead(status).end());
    const fetcher = openFetcher();
    for (let i = 0; i < 2; i++) {
      const response = asResponse(await fetcher.fetch({ url: server.origin }));
      expect([response.httpStatus, response.body.size, response.truncated]).toEqual([status, 0, undefined]);
    }
    expect(server.connections()).toBe(1);
  });

  test.each([
    ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'],
    ['100 Continue that nobody requested', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['both', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('may come after a %s', async (_name, interim) => {
    const server = await serveRaw((socket) => socket.write(`${interim}${OK}Content-Length: 2\r\n\r\nok`));
    const fetcher = openFetcher();
    for (let i = 0; i < 2; i++) {
      const response = asResponse(await fetcher.fetch({ url: server.origin }));
      expect([response.httpStatus, response.headers.length, response.body.size]).toEqual([200, 1, 2]);
    }
    expect(server.connections()).toBe(1);
  });

  test('may end with its connection, in HTTP/1.0', async () => {
    const server = await serveRaw((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold'));
    const response = asResponse(await openFetcher().fetch({ url: server.origin }));
    expect([response.body.size, response.truncated]).toEqual([3, undefined]);
  });
});

describe('the request', () => {
  test('is reported byte for byte as the server received it', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const fetcher = openFetcher({ contact: 'https://crawler.example/about' });
    const requests = [
      { url: `${server.origin}/a?b=%20c` },
      { url: `http://name.test:${server.port}/`, headers: { 'If-None-Match': '"x"', accept: 'text/plain' } },
    ];
    let sent = '';
    for (const request of requests) {
      sent += Buffer.from(asResponse(await fetcher.fetch(request)).requestHead).toString('latin1');
    }
    expect(server.received.join('')).toBe(sent);
    expect(sent).toContain('GET /a?b=%20c HTTP/1.1\r\nhost: 127.0.0.1:');
    expect(sent).toContain('User-Agent: Strand/0.1 (+https://crawler.example/about)\r\n');
    expect(sent).toContain('If-None-Match: "x"\r\naccept: text/plain\r\n\r\n');
    expect(sent.match(/^accept:/gim)).toHaveLength(2);
  });

  test.each(['/a?', '/a?#b', '/a', '/a#b?', '/a?b', '/a??', '/%3F'])(
    'asks for %s, an empty query kept',
    async (target) => {
      const server = await serveHttp((_request, response) => response.end());
      await openFetcher().fetch({ url: server.origin + target });
      expect(server.received[0]).toContain(`GET ${target.split('#')[0]} HTTP/1.1`);
    },
  );

  test('names no contact where there is none', async () => {
    const server = await serveHttp((_request, response) => response.end());
    await openFetcher().fetch({ url: server.origin });
    expect(server.received[0]).toContain('User-Agent: Strand/0.1\r\n');
  });

  test.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'no url', 'http://', '/path'])(
    'is not made to %s',
    async (url) => {
      expect(asFailure(await openFetcher().fetch({ url })).reason).toBe('protocol');
    },
  );

  test('with a header that cannot be sent is a failure, not an exception', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const outcome = await openFetcher().fetch({
      url: server.origin,
      headers: { 'If-None-Match': 'a\r\nb: c' },
    });
    expect(asFailure(outcome).reason).toBe('protocol');
    expect(server.connections()).toBe(0);
  });
});

describe('connections', () => {
  test('are kept and used again', async () => {
    const server = await serveHttp((_request, response) => response.end('x'));
    const fetcher = openFetcher();
    for (let i = 0; i < 5; i++) await fetcher.fetch({ url: `${server.origin}/${i}` });
    expect(server.connections()).toBe(1);
  });

  test('to one origin are at most `perHost`', async () => {
    const server = await serveHttp((_request, response) => setImmediate(() => response.end('x')));
    const fetcher = openFetcher({ perHost: 3 });
    await Promise.all(Array.from({ length: 12 }, (_, i) => fetcher.fetch({ url: `${server.origin}/${i}` })));
    expect(server.connections()).toBe(3);
  });

  describe.each(['end', 'reset', 'junk', '408', '421'] as const)(
    'that the server closes as the request comes (%s)',
    (how) => {
      const REQUEST_TIMEOUT =
        'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
      /** Serves one request of each connection. */
      const serve = () =>
        serveRaw((socket, requestNumber) => {
          if (requestNumber === 1) socket.write(`${OK}Content-Length: 1\r\n\r\nx`);
          else if (how === 'junk') socket.end('junk');
          else if (how === '408') socket.end(REQUEST_TIMEOUT);
          else if (how === '421') socket.write('HTTP/1.1 421 Misdirected\r\nContent-Length: 0\r\n\r\n');
          else if (how === 'end') socket.end();
          else socket.resetAndDestroy();
        });

      test.each(['GET', 'HEAD'])('are replaced by a new one: %s is sent again', async (method) => {
        const server = await serve();
        const fetcher = openFetcher();
        for (let i = 1; i <= 3; i++) {
          expect(asResponse(await fetcher.fetch({ url: server.origin, repeatsStale: true })).body.size).toBe(
            1,
          );
          expect(server.connections()).toBe(i);
          if (method === 'HEAD' && i === 1) break;
        }
        if (method === 'HEAD')
          asResponse(await fetcher.fetch({ url: server.origin, method, repeatsStale: true }));
        expect(server.received.join('').match(/^(GET|HEAD) /gm)).toHaveLength(method === 'GET' ? 5 : 3);
      });

      test('are each tried once where there are several', async () => {
        const server = await serve();
        const fetcher = openFetcher({ perHost: 3 });
        const fetchAll = () =>
          Promise.all([1, 2, 3].map(() => fetcher.fetch({ url: server.origin, repeatsStale: true })));
        for (let i = 0; i < 2; i++) for (const outcome of await fetchAll()) asResponse(outcome);
      });

      test('fail a request that is to keep its pace, and nothing is sent twice', async () => {
        const server = await serve();
        const fetcher = openFetcher();
        asResponse(await fetcher.fetch({ url: server.origin }));
        expect(asFailure(await fetcher.fetch({ url: server.origin }))).toMatchObject({
          isStaleConnection: true,
        });
        expect(server.connections()).toBe(1);
      });

      test('fail a request that it is not safe to repeat, and nothing is sent twice', async () => {
        const server = await serve();
        const fetcher = openFetcher();
        asResponse(await fetcher.fetch({ url: server.origin }));
        const outcome = await fetcher.fetch({
          ...{ url: server.origin, method: 'POST', body: 'a', repeatsStale: true },
        });
        if (how === '408' || how === '421') expect(asResponse(outcome).httpStatus).toBe(Number(how));
        else expect(asFailure(outcome)).toMatchObject({ isStaleConnection: true });
        expect(server.connections()).toBe(1);
      });
    },
  );

  test.each([408, 421])('that are new may be of no use: HTTP %i is an answer then', async (status) => {
    const server = await serveRaw((socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
    expect(asResponse(await openFetcher().fetch({ url: server.origin })).httpStatus).toBe(status);
    expect(server.connections()).toBe(1);
  });

  test('that are new and break are a failure: nothing is sent twice', async () => {
    const server = await serveRaw((socket) => socket.end());
    const failure = asFailure(await openFetcher().fetch({ url: server.origin }));
    expect(failure).toMatchObject({
      reason: 'reset',
      message: expect.stringContaining('closed the connection without a response'),
    });
    expect(failure.isStaleConnection).toBeUndefined();
    expect(server.connections()).toBe(1);
  });

  test('over all hosts are bounded: idle ones make room, and none is refused', async () => {
    const server = await serveHttp((_request, response) => response.end('x'));
    const fetcher = openFetcher({ maxSockets: 2 });
    const urls = Array.from({ length: 10 }, (_, i) => `http://host${i}.test:${server.port}/`);
    const outcomes = await Promise.all(urls.map((url) => fetcher.fetch({ url })));
    expect(outcomes.map((outcome) => asResponse(outcome).httpStatus)).toEqual(urls.map(() => 200));
    expect(server.connections()).toBe(10);
  });
});

describe('a cut body', () => {
  test.each([
    ['announced', (size: number) => `Content-Length: ${size}\r\n`],
    ['unannounced', () => ''],
  ])('of %s length has exactly the bytes allowed', async (_name, lengthHeader) => {
    const bytes = randomBytes(300_000);
    const server = await serveRaw((socket) => {
      socket.write(`${OK}${lengthHeader(bytes.length)}\r\n`);
      socket.end(bytes);
    });
    const fetcher = openFetcher({ maxBodyBytes: 150_000, mostBodyBytes: 200_000 });
    for (const [maxBodyBytes, size] of [
      [undefined, 150_000],
      [100, 100],
      [1_000_000, 200_000],
    ] as const) {
      const response = asResponse(await fetcher.fetch({ url: server.origin, maxBodyBytes }));
      expect([response.truncated, response.body.size]).toEqual(['length', size]);
      expect(Buffer.from(await response.body.bytes()).equals(bytes.subarray(0, size))).toBe(true);
      expect(Buffer.from(response.body.sha1).toString('hex')).toBe(sha1(bytes.subarray(0, size)));
    }
  });

  test('of exactly the limit is whole', async () => {
    const server = await serveHttp((_request, response) => response.end('12345'));
    const response = asResponse(await openFetcher({ maxBodyBytes: 5 }).fetch({ url: server.origin }));
    expect([response.truncated, response.body.size]).toEqual([undefined, 5]);
  });

  test.each([
    ['less than its announced 1 GB', `${OK}Content-Length: 1000000000\r\n\r\nabc`, false],
    ['half a chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n9\r\nabc`, false],
    ['a reset', `${OK}Content-Length: 1000\r\n\r\nabc`, true],
    [
      'a reset, where the end of the connection is that of the body',
      `${OK}Connection: close\r\n\r\nabc`,
      true,
    ],
    ['a broken chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n`, false],
  ])('by %s keeps what came', async (_name, bytes, isReset) => {
    const server = await serveRaw((socket) => {
      // Reset only once the piece is read: a reset discards what is still on its way.
      if (isReset) socket.write(bytes);
      else socket.end(bytes);
    });
    const response = asResponse(
      await openFetcher().fetch({
        url: server.origin,
        onHead: () => () => isReset && server.resetConnections(),
      }),
    );
    expect([response.truncated, response.body.size]).toEqual(['disconnect', 3]);
  });

  test.each(['idleTimeoutMs', 'totalTimeoutMs', 'own'] as const)('by `%s` keeps what came', async (name) => {
    const server = await serveRaw((socket) => {
      socket.write(`${OK}Content-Length: 1000\r\n\r\na`);
      if (name === 'idleTimeoutMs') return;
      const drip = setInterval(() => socket.write('b'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    const pass = stopTimeouts();
    const { onHead, size } = watchBody();
    const fetcher = openFetcher({ headersTimeoutMs: 1000, idleTimeoutMs: 1000, [name]: 100 });
    const own = name === 'own' ? { totalTimeoutMs: 100 } : {};
    const outcome = fetcher.fetch({ url: server.origin, onHead, ...own });
    await pass(100, () => size() > 0);
    const response = asResponse(await outcome);
    expect(response.truncated).toBe('time');
    expect(response.body.size).toBeGreaterThan(0);
  });
});

describe('no response', () => {
  const flood = (socket: import('node:net').Socket, piece: string) => {
    let left = 100_000_000;
    const write = () => {
      while (left > 0 && !socket.destroyed && socket.write(piece)) left -= piece.length;
    };
    socket.on('drain', write);
    socket.write(OK);
    write();
  };

  test.each([
    ['many fields', 'x-field: and its value\r\n'.repeat(2000)],
    ['one endless field', 'x'.repeat(50_000)],
    ['one endless value', `a: ${'x'.repeat(50_000)}`],
  ])('where a head of 100 MB (%s) is sent', async (_name, piece) => {
    const server = await serveRaw((socket) => flood(socket, piece));
    expect(asFailure(await openFetcher().fetch({ url: server.origin }))).toMatchObject({
      reason: 'headersTooLarge',
      message: "the response's header is larger than 262144 bytes",
    });
  });

  test.each([
    ['garbage', 'SSH-2.0-OpenSSH_9.6\r\n', 'protocol'],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
      'protocol',
    ],
    ['two lengths', `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 'protocol'],
    ['half a head', `${OK}X-A: b\r\n`, 'reset'],
    ['nothing', '', 'reset'],
  ])('in %s', async (_name, bytes, reason) => {
    const server = await serveRaw((socket) => socket.end(bytes));
    const failure = asFailure(await openFetcher().fetch({ url: server.origin }));
    expect(failure.reason).toBe(reason);
    expect(failure.message).toMatch(/^[a-z].+$/);
  });

  test.each(['headersTimeoutMs', 'totalTimeoutMs'] as const)('within `%s`', async (name) => {
    const server = await serveRaw(() => {});
    expect(asFailure(await openFetcher({ [name]: 50 }).fetch({ url: server.origin }))).toMatchObject({
      reason: 'timeout',
      message: expect.stringContaining('within 50 ms'),
    });
  });

  test.each([
    ['counts as there', `${OK}Content-Length: 1\r\n\r\na`],
    ['is still missed, if there is none,', ''],
  ])('%s once the process has stood still for longer than its time', async (_name, bytes) => {
    const server = await serveRaw((socket) => {
      if (bytes !== '') socket.end(bytes);
      const until = performance.now() + 1500;
      while (performance.now() < until);
    });
    const outcome = await openFetcher({ totalTimeoutMs: 300 }).fetch({ url: server.origin });
    if (bytes !== '') expect(asResponse(outcome).body.size).toBe(1);
    else expect(asFailure(outcome).message).toBe('no response within 300 ms in all');
  });

  test('where nothing listens', async () => {
    const url = `http://127.0.0.1:${await unusedPort()}/`;
    expect(asFailure(await openFetcher().fetch({ url }))).toMatchObject({
      reason: 'connect',
      message: expect.stringContaining('connection refused'),
    });
  });

  test('after our own signal, before and while the exchange runs', async () => {
    const abort = new AbortController();
    const server = await serveRaw((socket) => {
      socket.write(`${OK}Content-Length: 1000\r\n\r\na`);
    });
    const request = {
      url: server.origin,
      signal: abort.signal,
      onHead: () => () => abort.abort(),
    };
    const fetcher = openFetcher();
    expect(asFailure(await fetcher.fetch(request)).reason).toBe('aborted');
    expect(asFailure(await fetcher.fetch(request)).reason).toBe('aborted');
    expect(server.connections()).toBe(1);
  });

  test('while the request waits for a connection leaves the connection to the next', async () => {
    const abort = new AbortController();
    let finishFirst = () => {};
    const server = await serveHttp((request, response) => {
      if (request.url === '/first') finishFirst = () => response.end('x');
      else response.end('y');
    });
    const fetcher = openFetcher();
    const first = fetcher.fetch({ url: `${server.origin}/first` });
    const waiting = fetcher.fetch({ url: `${server.origin}/waiting`, signal: abort.signal });
    abort.abort();
    expect(asFailure(await waiting).reason).toBe('aborted');
    while (!server.received[0]) await new Promise(setImmediate);
    finishFirst();
    await first;
    expect(asResponse(await fetcher.fetch({ url: `${server.origin}/second` })).httpStatus).toBe(200);
    expect(server.received.join('')).not.toContain('/waiting');
    expect(server.connections()).toBe(1);
  });

  test('from a closed fetcher', async () => {
    const server = await serveHttp((_request, response) => response.end('x'));
    const fetcher = openFetcher();
    await fetcher.close();
    expect(asFailure(await fetcher.fetch({ url: server.origin })).reason).toBe('aborted');
  });
});

describe('onHead', () => {
  test('has the head before the body, and its sink each piece', async () => {
    const bytes = randomBytes(500_000);
    const server = await serveHttp((_request, response) => response.setHeader('X-Kind', 'a').end(bytes));
    const pieces: Uint8Array[] = [];
    let seen: ResponseHead | undefined;
    const onHead = (head: ResponseHead) => {
      seen = head;
      return (piece: Uint8Array) => void pieces.push(piece);
    };
    const response = asResponse(await openFetcher().fetch({ url: server.origin, onHead }));
    expect(seen?.headers).toContainEqual(['X-Kind', 'a']);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(response.body.size).toBe(bytes.length);
  });

  test('that throws, or whose sink throws, breaks nothing', async () => {
    const bytes = randomBytes(500_000);
    const server = await serveHttp((_request, response) => response.end(bytes));
    const fetcher = openFetcher();
    const fail = () => {
      calls++;
      throw new Error('broken parser');
    };
    let calls = 0;
    for (const onHead of [fail, () => fail]) {
      const response = asResponse(await fetcher.fetch({ url: server.origin, onHead }));
      expect([response.body.size, response.truncated]).toEqual([bytes.length, undefined]);
    }
    expect(calls).toBe(2);
  });
});

describe('a large body', () => {
  test('goes to a file without a name', async () => {
    const folder = temporaryFolder();
    const bytes = randomBytes(3_000_000);
    const server = await serveHttp((_request, response) => response.end(bytes));
    const tempFolder = join(folder.path, 'made', 'when', 'needed');
    const { body } = asResponse(await openFetcher({ tempFolder }).fetch({ url: server.origin }));
    expect(folder.files()).toEqual(['made']);
    expect(Buffer.from(await body.bytes()).equals(bytes)).toBe(true);
    await body.dispose();
    await expect(body.bytes()).rejects.toThrow('disposed');
  });

  test('that cannot be kept is our own failure, and is thrown', async () => {
    const server = await serveHttp((_request, response) => response.end(randomBytes(3_000_000)));
    const fetcher = openFetcher({ tempFolder: join(import.meta.filename, 'nowhere') });
    await expect(fetcher.fetch({ url: server.origin })).rejects.toThrow(/ENOTDIR|ENOENT/);
  });
});
