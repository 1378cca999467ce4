/** Installs peers, once for each version. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../../shared/error-message.ts';
import type { Peer } from './peer.ts';

const DONE = 'installed';

/** Where it is installed, or why it is not: one line for people. */
export function install(peer: Peer): { readonly folder: string } | { readonly missing: string } {
  for (const [program, ...args] of peer.needs)
    if (spawnSync(program, args, { stdio: 'ignore' }).status !== 0)
      return { missing: `${program} is not installed` };
  const folder = join(tmpdir(), 'strand-bench-peers', `${familyOf(peer.name)}-${versionOf(peer.name)}`);
  if (existsSync(join(folder, DONE))) return { folder };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    peer.install(folder);
  } catch (error) {
    return { missing: `it could not be installed: ${messageOf(error)}` };
  }
  writeFileSync(join(folder, DONE), '');
  return { folder };
}

/** A hash of the files that define what is installed and how it runs. */
function versionOf(name: string): string {
  const folder = join(import.meta.dirname, familyOf(name));
  const hash = createHash('sha1');
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 8);
}

/** `crawlee-http` and `crawlee-cheerio` are one package. */
const familyOf = (name: string): string => name.split('-')[0] as string;

/** Runs a package manager or compiler in the folder. Throws with what it said last. */
export function runIn(cwd: string, program: string, ...args: string[]): void {
  const { status, error, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (error) throw error;
  if (status === 0) return;
  throw new Error(`${program} ${args[0] ?? ''} ended with ${status}: ${stderr.trim().split('\n').at(-1)}`);
}
