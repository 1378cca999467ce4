/** Serves the archive in a crawl's folder to browsers of this machine. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { createUrlRules } from '../../../shared/core/url/url-rules.ts';
import { createCaptureIndex } from '../../../shared/engines/local/archive/capture-index.ts';
import { createPayloads } from '../../../shared/services/exports/archived-payloads.ts';
import type { CrawlServer, ServeOptions } from '../../crawl-server.ts';
import { archiveOf } from '../crawl-archive.ts';
import { openFolder } from '../open-folder.ts';
import { pathOf } from './memento.ts';
import { createResponder } from './respond.ts';

/** Only programs of this machine reach it. */
const ADDRESS = '127.0.0.1';
const MAX_CONNECTIONS = 100;
const REQUEST_MS = 30_000;

export async function serveLocal(folder: string, { port = 0, warn }: ServeOptions): Promise<CrawlServer> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new RangeError(`Expected port to be a whole number from 0 to 65535, got ${port}`);
  const { reader, crawl, record } = await openFolder(folder);
  reader.close();
  const archive = archiveOf(folder);
  const index = await createCaptureIndex(archive.captures(warn), { hasKeys: true });
  const payloadOf = createPayloads(archive);
  const respond = createResponder({
    crawl,
    index,
    payloadOf,
    nameOf: createUrlRules(parseConfig(record.config).urlRules),
  });
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      void respond(request).then(({ status, headers, body }) => {
        response.writeHead(status, { ...headers, 'content-length': body.length });
        response.end(request.method === 'HEAD' ? undefined : body);
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    index.close();
    await archive.close();
  }

  try {
    await listen(server, port);
  } catch (error) {
    await close();
    throw error;
  }
  const origin = `http://${ADDRESS}:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/`,
    captures: index.size,
    pageUrl: (url, timestamp) => origin + pathOf({ url, timestamp }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, ADDRESS, resolve);
  });
}
