/** The identity of a crawl on this machine: from a file that only its owner may read. */
import { readFileSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../../core/base/error-message.ts';
import { InvalidConfig } from '../../core/crawl/config.ts';
import type { CrawlOptions } from '../../core/crawl/crawl-options.ts';
import type { IdentityOptions } from '../../core/crawl/network-options.ts';
import { checkKeys, type Identity, readIdentity } from '../../core/identity/identity.ts';
import { InvalidIdentity } from '../../core/identity/invalid-identity.ts';
import { isOpenToOthers } from './open-to-others.ts';

/** A file has a key of 200 bytes, or a few. */
const MAX_BYTES = 65_536;
/** How often a file is looked at while a crawl runs. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Reads the file of an identity. Throws {@link InvalidConfig} if there is none, if others may read it, or if it cannot be
 * used. No part of a key stands in a message.
 */
export function readIdentityFile(file: string, agent?: string): Identity {
  checkFile(
    file,
    orInvalid(() => statSync(file)),
  );
  const text = orInvalid(() => readFileSync(file, 'utf8'));
  return orInvalid(() => readIdentity(parseJson(text, file), { where: file, agent }));
}

function checkFile(file: string, stats: Stats): void {
  const { mode, size } = stats;
  // A pipe might never end.
  if (!stats.isFile()) throw new InvalidConfig(`Expected the identity ${file} to be a file`);
  if (size > MAX_BYTES)
    throw new InvalidConfig(`The identity ${file} has ${size} bytes; at most ${MAX_BYTES} are read`);
  if (isOpenToOthers(mode))
    throw new InvalidConfig(
      `Others may read the private key in ${file} (mode ${(mode & 0o777).toString(8).padStart(4, '0')}): ` +
        `chmod 600 ${file} and, if others can have read it, strand identity rotate`,
    );
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error of JSON.parse shows a part of the text.
    const isPem = text.includes('-----BEGIN');
    throw new InvalidIdentity(
      `Expected ${file} to be an identity as JSON, got ${isPem ? 'a PEM file' : 'something else'} (not shown: it may be ` +
        'secret): strand identity create makes one',
    );
  }
}

function orInvalid<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof InvalidConfig) throw cause;
    if (cause instanceof InvalidIdentity) throw new InvalidConfig(cause.message);
    const hint =
      (cause as NodeJS.ErrnoException).code === 'ENOENT' ? ': strand identity create makes one' : '';
    throw new InvalidConfig(`The identity cannot be read: ${messageOf(cause)}${hint}`, { cause });
  }
}

/**
 * Returns the identity of a crawl's settings, as it is now: a file that has changed is read again, so that a key can be
 * rotated while the crawl runs. `warn`: called if the changed file cannot be used; then the identity stays as it was.
 * Throws {@link InvalidConfig}.
 */
export function openIdentity(
  { agent, key }: IdentityOptions,
  now: () => number,
  warn: (line: string) => void,
): () => Identity {
  if (typeof key !== 'string') {
    const inline = orInvalid(() => readIdentity(key, { where: 'identity.key', agent }));
    checkNow(inline, now(), 'identity.key');
    return () => inline;
  }
  let identity = readIdentityFile(key, agent);
  checkNow(identity, now(), key);
  let changedAt = changeOf(key);
  let lookAt = now() + LOOK_AGAIN_MS;
  return () => {
    if (now() < lookAt) return identity;
    lookAt = now() + LOOK_AGAIN_MS;
    const changed = changeOf(key);
    if (changed === changedAt) return identity;
    changedAt = changed;
    try {
      identity = readIdentityFile(key, agent);
    } catch (error) {
      warn(`The identity stays as it was: ${messageOf(error)}`);
    }
    return identity;
  };
}

const checkNow = (identity: Identity, now: number, where: string): void =>
  orInvalid(() => checkKeys(identity, now, where));

const changeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/** In place of a private key. */
const NOT_KEPT = { isKept: false } as const;

/** Whether the settings have a key, not only the note that there was one. */
export const isKept = ({ key }: IdentityOptions): boolean => typeof key === 'string' || key.isKept !== false;

/**
 * The settings as they are kept with the crawl. A private key is never kept: {@link isKept} says that one is missing. A file
 * is named from the root.
 */
export function withoutPrivateKey<T extends CrawlOptions>(options: T): T {
  const { identity } = options;
  if (identity === undefined) return options;
  const { agent, key } = identity;
  const kept = typeof key === 'string' ? resolve(key) : NOT_KEPT;
  return { ...options, identity: { ...(agent !== undefined && { agent }), key: kept } };
}
