/**
 * Serves a generated web until interrupted: `node test/web/serve.ts --seed 7 --hosts 30 --pages 50 [--port P]
 * [--address A] [--plain] [--traps] [--log FILE]`, or with `--million PAGES --links N` one host of PAGES * N
 * URLs. The log goes to FILE as JSON lines at the end.
 */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { PLAIN } from './features.ts';
import { generateWeb, type Web } from './graph.ts';
import { millionLinks } from './million-links.ts';
import { type LogEntry, startWeb } from './server.ts';
import { summarize } from './summary.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    hosts: { type: 'string', default: '30' },
    pages: { type: 'string', default: '50' },
    port: { type: 'string', default: '0' },
    address: { type: 'string', default: '127.77.0.1' },
    latency: { type: 'string', default: '2' },
    million: { type: 'string' },
    links: { type: 'string', default: '1000' },
    plain: { type: 'boolean', default: false },
    traps: { type: 'boolean', default: false },
    log: { type: 'string' },
  },
});

const running = await startWeb(build(), {
  address: values.address,
  port: number('port'),
  latencyMs: number('latency'),
});
console.log(`Serving ${running.web.pageCount} pages of ${running.web.hosts.length} hosts. Seeds:`);
for (const seed of running.seeds) console.log(seed);
console.log(`Crawl with: --resolve '*.test=${running.address}' --allow-private-addresses`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void finish());

function build(): Web {
  if (values.million !== undefined)
    return millionLinks({ pages: number('million'), linksPerPage: number('links') });
  const features = { ...(values.plain ? PLAIN : {}), traps: values.traps };
  return generateWeb({
    seed: number('seed'),
    hosts: number('hosts'),
    pagesPerHost: number('pages'),
    features,
  });
}

function number(name: 'seed' | 'hosts' | 'pages' | 'port' | 'latency' | 'million' | 'links'): number {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 0)
    throw new RangeError(`Expected a whole number for --${name}, got ${values[name]}`);
  return value;
}

async function finish(): Promise<void> {
  await running.stop();
  console.log(`\n${summarize(running.log)}`);
  if (values.log !== undefined) await pipeline(lines(running.log), createWriteStream(values.log));
}

function* lines(log: readonly LogEntry[]): Iterable<string> {
  for (const entry of log) yield `${JSON.stringify(entry)}\n`;
}
