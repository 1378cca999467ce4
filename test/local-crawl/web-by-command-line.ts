/** Crawls of a generated web by the command line: before each test the web is served, and a folder is there for the crawl. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach } from 'vitest';
import { PLAIN } from '../web/features.ts';
import { generateWeb } from '../web/graph.ts';
import { type RunningWeb, startWeb } from '../web/server.ts';
import { temporaryFolder } from './local-crawl.ts';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));

export let place: ReturnType<typeof temporaryFolder>;
export let running: RunningWeb;
const children: ChildProcess[] = [];

beforeEach(async () => {
  place = temporaryFolder();
  const features = { ...PLAIN, redirects: true, duplicates: true, spellings: true };
  running = await startWeb(generateWeb({ seed: 31, hosts: 8, pagesPerHost: 30, features }), { latencyMs: 2 });
});
afterEach(async () => {
  for (const child of children)
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await running.stop();
  place.remove();
});

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

export const strand = (...args: string[]) => strandIn(process.cwd(), ...args);

export function strandIn(cwd: string, ...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let out = '';
  let err = '';
  child.stdout?.on('data', (text) => {
    out += text;
  });
  child.stderr?.on('data', (text) => {
    err += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });
  return { child, ended };
}

export const crawlArgs = (...more: string[]) => [
  ...['crawl', ...running.seeds, '--resolve', `*.test=${running.address}`, '--allow-private-addresses'],
  ...[
    '--contact',
    'me@example.org',
    '--delay',
    '0',
    '--no-adaptive',
    '--out',
    place.folder,
    '--json',
    ...more,
  ],
];

/** Waits until the web has had this number of requests. */
export async function requests(count: number): Promise<void> {
  while (running.log.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}
