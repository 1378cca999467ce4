/**
 * The hostile web: one TCP server that plays every case, each on a loopback address of its own in {@link
 * HOSTILE_CIDR}. It writes octets, no HTTP library between, and logs each request. Any other address that a
 * connection comes to is a canary: the crawl may only connect to the hosts of the cases.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Addresses, HostileCase, Reply } from './hostile-case.ts';
import { page, response } from './replies.ts';

/** The addresses to which the crawl may connect. */
export const HOSTILE_CIDR = '127.66.0.0/16';
/**
 * Ports that browsers refuse (Fetch Standard, "port blocking") and that need no privilege. Free ports
 * become canaries.
 */
const BAD_PORTS = [6665, 6666, 6667, 6668, 6669, 6697, 6000, 2049, 3659, 4045];
const MAX_HEAD_BYTES = 1024 * 1024;

export interface CanaryContact {
  readonly address: string;
  readonly port: number;
  /** The target in the request line, if a request came. */
  target?: string;
}

export interface HostileWeb {
  readonly port: number;
  addressesOf(one: HostileCase): Addresses;
  /** Targets by case, in order. */
  readonly requests: ReadonlyMap<HostileCase, readonly string[]>;
  readonly canaryContacts: readonly CanaryContact[];
  /** Bytes written to all connections. */
  bytesSent(): number;
  stop(): Promise<void>;
}

export async function startHostileWeb(cases: readonly HostileCase[]): Promise<HostileWeb> {
  const byAddress = new Map(cases.map((one, i) => [addressOf(i), one]));
  const requests = new Map<HostileCase, string[]>(cases.map((one) => [one, []]));
  const canaryContacts: CanaryContact[] = [];
  const sockets = new Set<Socket>();
  let sent = 0;

  const server = createServer((socket) => {
    watch(socket);
    const address = socket.localAddress ?? '';
    const one = byAddress.get(address);
    if (one === undefined) meetCanary(socket);
    else
      readRequest(socket, (method, target) => {
        const asked = requests.get(one)!;
        const times = asked.filter((other) => other === target).length;
        asked.push(target);
        const given = one.answer({ method, target, times, addresses: addressesOf(one) });
        void send(socket, given ?? byDefault(one, target));
      });
  });
  const canary = (): Server =>
    createServer((socket) => {
      watch(socket);
      meetCanary(socket);
    });

  function watch(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sent += socket.bytesWritten;
      sockets.delete(socket);
    });
  }

  function meetCanary(socket: Socket): void {
    const contact: CanaryContact = { address: socket.localAddress ?? '', port: socket.localPort ?? 0 };
    canaryContacts.push(contact);
    readRequest(socket, (_method, target) => {
      contact.target = target;
      void send(socket, page('A secret'));
    });
  }

  const port = await listen(server, '0.0.0.0', 0);
  const others: Server[] = [];
  const openCanary = async (host: string, at: number) => {
    const one = canary();
    if ((await listen(one, host, at).catch(() => undefined)) !== undefined) others.push(one);
  };
  await openCanary('::1', port);
  for (const bad of BAD_PORTS) await openCanary('0.0.0.0', bad);

  function addressesOf(one: HostileCase): Addresses {
    const index = cases.indexOf(one);
    return { origin: `http://${addressOf(index)}:${port}`, port, canaryPath: canaryPathOf(one) };
  }

  return {
    port,
    addressesOf,
    requests,
    canaryContacts,
    bytesSent: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, sent),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([server, ...others].map((one) => new Promise((resolve) => one.close(resolve))));
    },
  };
}

export const canaryPathOf = (one: HostileCase): string => `/canary/${one.name.replace(/\W+/g, '-')}`;

const addressOf = (index: number): string => `127.66.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`;

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, ipv6Only: true }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/**
 * Calls `take` once, with the request line's parts, when the head is whole. The rest of the connection is not
 * read.
 */
function readRequest(socket: Socket, take: (method: string, target: string) => void): void {
  let text = '';
  const read = (chunk: Buffer) => {
    text += chunk.toString('latin1');
    if (text.length > MAX_HEAD_BYTES) socket.destroy();
    if (!text.includes('\r\n\r\n')) return;
    socket.off('data', read).resume();
    const [method = '', target = ''] = text.slice(0, text.indexOf('\r\n')).split(' ');
    take(method, target);
  };
  socket.on('data', read);
}

/** Sends at the speed of the reader. */
async function send(socket: Socket, { bytes, then = 'close' }: Reply): Promise<void> {
  try {
    if (Buffer.isBuffer(bytes)) await write(socket, bytes);
    else for await (const piece of bytes) if (!(await write(socket, piece))) return;
  } catch {
    return void socket.destroy();
  }
  if (then === 'close') socket.end();
  else if (then === 'reset') socket.resetAndDestroy();
}

/** False if the connection is gone. */
function write(socket: Socket, bytes: Buffer): Promise<boolean> {
  if (socket.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    socket.write(bytes, (error) => resolve(!error && !socket.destroyed));
  });
}

function byDefault(one: HostileCase, target: string): Reply {
  if (target === '/robots.txt')
    return response({ type: 'text/plain', body: 'User-agent: *\nDisallow: /x\n' });
  return page(`${target.slice(0, 200)} of ${one.name}`);
}
