/** A proxy to try the example on, with a site behind it: `node examples/proxy/proxy.ts`. */
import { createServer, type Server } from 'node:http';

/**
 * An HTTP proxy that represents the whole web: whatever host is requested, it answers by itself, as that
 * host. `log` is called for each request: the absolute URL, and whose product asked.
 */
export function createProxy(log: (url: string, userAgent: string | undefined) => void = () => {}): Server {
  return createServer(({ url = '', headers }, response) => {
    // A request to a proxy names the host in the request line (RFC 9112, section 3.2.2).
    const target = URL.parse(url);
    log(url, headers['user-agent']);
    if (target === null) {
      response.writeHead(400).end('This is a proxy');
      return;
    }
    if (target.pathname === '/robots.txt') {
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end('User-agent: *\nDisallow: /private');
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/html', Via: '1.1 example-proxy' });
    response.end(
      `<title>${target.host}${target.pathname}</title><a href="/a">a</a> <a href="/b">b</a> <a href="/private">p</a>`,
    );
  });
}

if (import.meta.main) {
  createProxy((url) => process.stdout.write(`${url}\n`)).listen(8105, '127.0.0.1');
}
