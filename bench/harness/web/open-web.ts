/** A generated web in a process of its own, whose CPU is not the crawler's. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Scheme } from './graph.ts';
import type { WebCounts } from './stats.ts';
import { buildSynthweb, synthwebCounts } from './synthweb.ts';

export interface OpenWeb {
  readonly port: number;
  /** One URL for each host. */
  readonly seeds: readonly string[];
  counts(): Promise<WebCounts>;
  /** Forgets what was requested. */
  reset(): Promise<void>;
  /** From now on the web's process runs on these cores: `0,1`. Only where `taskset` is there. */
  pin(cores: string): void;
  close(): Promise<void>;
}

export interface OpenWebOptions {
  readonly hosts: number;
  readonly pages: number;
  /** The scheme of its URLs; not with `synthweb`. Default: `http`. */
  readonly scheme?: Scheme;
  /** The folder of a web in Go that has the same control paths, instead. */
  readonly synthweb?: string;
  /** Starts the process with these words before its own: `taskset -c 0`. */
  readonly before: readonly string[];
}

/** Resolves when the web can be asked: for 5,000 pages after some 15 s. */
export async function openWeb({
  hosts,
  pages,
  scheme = 'http',
  synthweb,
  before,
}: OpenWebOptions): Promise<OpenWeb> {
  const built = synthweb === undefined ? undefined : await buildSynthweb(synthweb, { hosts, pages });
  const command = built?.command ?? [
    process.execPath,
    `${import.meta.dirname}/main.ts`,
    String(hosts),
    String(pages),
    scheme,
  ];
  const [program, ...args] = [...before, ...command] as [string, ...string[]];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const port = built ? await built.ready(child) : await firstLine(child);
  const get = (path: string) => textOf(`${scheme}://127.1.0.2:${port}${path}`);
  return {
    port,
    seeds: (await get('/__seeds')).trim().split('\n'),
    async counts() {
      const stats = JSON.parse(await get('/__stats'));
      return built ? synthwebCounts(stats) : stats;
    },
    async reset() {
      await get('/__reset');
    },
    pin(cores) {
      execFileSync('taskset', ['-apc', cores, String(child.pid)], { stdio: 'ignore' });
    },
    async close() {
      child.kill();
      await ended;
      if (built) rmSync(built.folder, { recursive: true, force: true });
    },
  };
}

/** Accepts any certificate. */
async function textOf(url: string): Promise<string> {
  const request = url.startsWith('https:') ? httpsGet(url, { rejectUnauthorized: false }) : httpGet(url);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return text(response);
}

/** The number that the program of a web writes first: its port. */
export async function firstLine(child: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
    return Number(line);
  throw new Error('The generated web ended before it could be asked');
}
