/** Serves the archive in a crawl's folder to browsers of this machine. */

import { noneIfDamaged } from '../../../shared/core/archive/records-beside.ts';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { createUrlRules } from '../../../shared/core/url/url-rules.ts';
import { createCaptureIndex } from '../../../shared/engines/local/archive/capture-index.ts';
import { createPayloads } from '../../../shared/services/exports/archived-payloads.ts';
import type { CrawlServer, ServeOptions } from '../../crawl-server.ts';
import { archiveOf } from '../crawl-archive.ts';
import { type LoopbackServer, openLoopback } from '../loopback-server.ts';
import { openFolder } from '../open-folder.ts';
import { pathOf } from './memento.ts';
import { MAX_HTML_BYTES } from './replay.ts';
import { createResponder } from './respond.ts';

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
    renderedOf: ({ url, ...location }) =>
      archive.readRendered(url, location, MAX_HTML_BYTES).catch(noneIfDamaged),
    nameOf: createUrlRules(parseConfig(record.config).urlRules),
  });
  let server: LoopbackServer | undefined;

  async function close(): Promise<void> {
    await server?.close();
    index.close();
    await archive.close();
  }

  try {
    server = await openLoopback(port, (request, response) => {
      void respond(request).then(({ status, headers, body }) => {
        response.writeHead(status, { ...headers, 'content-length': body.length });
        response.end(request.method === 'HEAD' ? undefined : body);
      });
    });
  } catch (error) {
    await close();
    throw error;
  }
  const { origin } = server;
  return {
    url: `${origin}/`,
    captures: index.size,
    pageUrl: (url, timestamp) => origin + pathOf({ url, timestamp }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
