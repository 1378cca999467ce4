/** A web of large bodies, one on each host, sent slowly, so that all of them are in progress at once. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const BYTES = 10 * 1024 * 1024;
/** At once, each half a second or so: a body takes some twenty seconds. */
const BURST_BYTES = 256 * 1024;
const PAUSE_MS = 500;

const burst = Buffer.alloc(BURST_BYTES);
// Nothing that compresses well.
for (let i = 0; i < burst.length; i++) burst[i] = ((i * 2_654_435_761) >>> 13) & 255;

let open = 0;
let most = 0;

const server = createServer(async (request, response) => {
  if (request.url === '/most') return response.end(String(most));
  if (request.url === '/robots.txt') return response.writeHead(404).end();
  most = Math.max(most, ++open);
  response.on('close', () => open--);
  response.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': BYTES,
  });
  for (let sent = 0; sent < BYTES && !response.destroyed; sent += burst.length) {
    response.write(burst);
    await sleep(PAUSE_MS + Math.random() * 300);
  }
  response.end();
});
server.listen(0, '0.0.0.0', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : address);
});
