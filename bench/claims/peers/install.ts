/** Installs peers, those of others once for each version. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../../shared/core/base/error-message.ts';
import type { Peer } from './peer.ts';

const DONE = 'installed';

/**
 * Where it is installed, or why it is not: one line for people. `definedIn`: the folder whose files define what is installed and how it
 * runs; by default the folder of the peer.
 */
export function install(
  peer: Pick<Peer, 'name' | 'needs' | 'install' | 'isBuiltHere'>,
  definedIn = join(import.meta.dirname, familyOf(peer.name)),
): { readonly folder: string } | { readonly missing: string } {
  for (const [program, ...args] of peer.needs)
    if (spawnSync(program, args, { stdio: 'ignore' }).status !== 0)
      return { missing: `${program} is not installed` };
  const folder = join(tmpdir(), 'strand-bench-peers', `${familyOf(peer.name)}-${versionOf(definedIn)}`);
  if (existsSync(join(folder, DONE)) && !peer.isBuiltHere) return { folder };
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

/** A hash of the folder's files. */
function versionOf(folder: string): string {
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
