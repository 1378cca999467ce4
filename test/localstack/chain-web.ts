/** A path over many hosts: the one page of each links to the next host's. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChainWeb {
  readonly seed: string;
  /** The hosts requested their page, in the order asked. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

export async function startChain(address: string, length: number): Promise<ChainWeb> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    if (request.url !== '/') return void response.writeHead(404).end();
    const host = request.headers.host ?? '';
    asked.push(host);
    const next = Number(/^c(\d+)/.exec(host)?.[1]) + 1;
    const link = next < length ? `<a href="http://c${next}.chain.test:${port}/">on</a>` : 'the end';
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>${host}</title>${link}`);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    seed: `http://c0.chain.test:${port}/`,
    asked,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
