/** pywb, as a program that replays from our CDX server. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../shared/engines/system-clock.ts';

export interface Pywb extends AsyncDisposable {
  /** Returns what it replays. `timestamp`: `YYYYMMDDhhmmss`. */
  replay(timestamp: string, url: string): Promise<string>;
}

const STARTS_MS = 20_000;

/** `program`: the path of `pywb`. `cdx`: the URL of a CDX server. */
export async function startPywb(program: string, cdx: string): Promise<Pywb> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-pywb-'));
  writeFileSync(join(folder, 'config.yaml'), `collections:\n  site: cdx+${cdx}\n`);
  const port = await freePort();
  const child = spawn(program, ['--bind', '127.0.0.1', '-p', String(port)], { cwd: folder, stdio: 'ignore' });
  const base = `http://127.0.0.1:${port}/site`;
  const begun = systemClock.now();
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer) break;
    if (systemClock.now() - begun > STARTS_MS) throw new Error(`${program} has not started`);
    await systemClock.sleep(200);
  }
  return {
    async replay(timestamp, url) {
      const answer = await fetch(`${base}/${timestamp}mp_/${url}`);
      return answer.text();
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
