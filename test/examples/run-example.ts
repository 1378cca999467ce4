import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the origin at which the server listens, on loopback, until the test has finished. */
export async function listen(server: Server): Promise<string> {
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a new folder, which is deleted when the test has finished. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'strand-examples-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Crawls with an example's project file as a user does, but at no pace, into `out`. */
export async function crawlWith(
  example: string,
  seed: string,
  out: string,
  words: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
) {
  const config = join(ROOT, 'examples', example, 'strand.config.ts');
  const program = join(ROOT, 'cli', 'bin.js');
  const own = ['--config', config, '--out', out, '--delay', '0', '--no-adaptive', '--json', '--quiet'];
  const child = spawn(process.execPath, [program, 'crawl', seed, ...own, ...words], {
    env: { ...process.env, ...environment },
  });
  let [summary, err] = ['', ''];
  child.stdout.on('data', (text) => {
    summary += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const [code] = await once(child, 'close');
  return { code, err, summary: summary === '' ? undefined : JSON.parse(summary), items: () => itemsOf(out) };
}

function itemsOf(out: string): Record<string, unknown>[] {
  const text = readFileSync(join(out, 'items.jsonl'), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
