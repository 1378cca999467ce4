/** A site of one host whose pages are written down, and the command line that crawls it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './local-crawl.ts';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));

export interface SmallSite {
  readonly url: string;
  /** Paths in the order in which they were requested, without robots.txt. */
  readonly log: readonly string[];
  /** Resolves when the path has been requested so often. */
  asked(path: string, times?: number): Promise<void>;
  stop(): Promise<void>;
}

/** `pages`: HTML by path. robots.txt is missing, and so is every other path. `robotsDelayMs` is how long robots.txt takes. */
export async function startSite(
  pages: Readonly<Record<string, string>>,
  { address = '127.78.0.1', delayMs = 0, robotsDelayMs = 0 } = {},
): Promise<SmallSite> {
  const log: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path !== '/robots.txt') log.push(path);
    const page = pages[path];
    const answer = () =>
      response.writeHead(page === undefined ? 404 : 200, { 'Content-Type': 'text/html' }).end(page);
    setTimeout(answer, path === '/robots.txt' ? Math.max(delayMs, robotsDelayMs) : delayMs);
  });
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${address}:${port}`,
    log,
    async asked(path, times = 1) {
      while (log.filter((one) => one === path).length < times)
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/**
 * `count` pages, each of which links to the next one, from `/` on; each with what `extra` gives for its
 * number.
 */
export function rowOfPages(count: number, extra: (n: number) => string = () => ''): Record<string, string> {
  const path = (n: number) => (n === 0 ? '/' : `/${n}`);
  const next = (n: number) => (n + 1 < count ? `<a href="${path(n + 1)}">next</a>` : '');
  const html = (n: number) => `<title>${n}</title>${next(n)}${extra(n)}`;
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [path(n), html(n)]));
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** The command line with a folder of its own for crawls. */
export function commandLine() {
  const place = temporaryFolder();
  const children: ChildProcess[] = [];
  const { folder } = place;
  function strand(...args: string[]): Running {
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let out = '';
    let err = '';
    child.stdout.on('data', (text) => {
      out += text;
    });
    child.stderr.on('data', (text) => {
      err += text;
    });
    const ended = once(child, 'close').then(([code]) => ({ code, out, err }));
    return { child, ended };
  }
  return {
    folder,
    strand,
    /** Crawls the site, with the text of a project's file. */
    crawl: (site: SmallSite, project: string, ...more: string[]) =>
      strand(
        ...['crawl', `${site.url}/`, '--allow-private-addresses', '--delay', '0', '--no-adaptive'],
        ...['--out', folder, '--json', '--config', projectFile(folder, project), ...more],
      ),
    resume: (...more: string[]) => strand('resume', folder, '--json', ...more),
    /** Ends what still runs. */
    remove() {
      for (const child of children)
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      place.remove();
    },
  };
}

export function projectFile(folder: string, text: string): string {
  const file = join(dirname(folder), 'strand.config.mjs');
  writeFileSync(file, text);
  return file;
}
