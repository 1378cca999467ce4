/**
 * A mark in a crawl's folder by which its operator knows it again: the settings that open something were made, or
 * confirmed, by the same user. It is a code over them (HMAC-SHA-256, RFC 2104) by a key that only this user can read.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CrawlOptions } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { InvalidConfig } from '../../core/crawl/invalid-config.ts';
import { openingSettings, openingText } from '../../core/crawl/opening-settings.ts';
import { printable } from '../../core/text/printable.ts';
import { makeFolders } from './make-folders.ts';
import { isOpenToOthers } from './open-to-others.ts';

const KEY_BYTES = 32;

/** The part of a crawl's stored state that can open something. */
export interface TrustedState {
  readonly crawl: CrawlId;
  readonly config: CrawlOptions;
  /** Folders of earlier crawls that are read. */
  readonly dedupeFrom?: string | undefined;
  readonly cache?: string | undefined;
}

/** The settings that open something, as sentences. */
export function openingsOf({ config, dedupeFrom, cache }: TrustedState): string[] {
  const folders = { dedupeFrom, cache };
  return [
    ...openingSettings(config).map(openingText),
    ...Object.entries(folders).flatMap(([use, folder]) =>
      folder === undefined
        ? []
        : [`${use} ${JSON.stringify(printable(folder))} reads another folder of this machine`],
    ),
  ];
}

/** The mark for such a state. Makes the key if there is none; undefined if it cannot be kept. */
export function markOf(state: TrustedState, keyFile: string): string | undefined {
  const key = ownKey(keyFile);
  return key && codeOf(state, key).toString('hex');
}

/** Whether this user has set the mark for that state. */
function isMarked(state: TrustedState, mark: string | undefined, keyFile: string): boolean {
  const key = mark !== undefined && /^[0-9a-f]{64}$/.test(mark) ? ownKey(keyFile) : undefined;
  return key !== undefined && timingSafeEqual(codeOf(state, key), Buffer.from(mark as string, 'hex'));
}

export interface TrustCheck {
  readonly mark: string | undefined;
  readonly keyFile: string;
  /** Settings that are used instead of the folder's. */
  readonly given?: Readonly<Partial<Record<'identity' | 'cache' | 'dedupeFrom', unknown>>>;
}

/** Throws `InvalidConfig`, which names the settings, if the state opens something and this user has not marked it. */
export function checkTrusted(
  folder: string,
  state: TrustedState,
  { mark, keyFile, given = {} }: TrustCheck,
): void {
  const { identity, ...others } = state.config;
  const config = given.identity === undefined ? state.config : others;
  const cache = given.cache === undefined ? state.cache : undefined;
  const dedupeFrom = given.dedupeFrom === undefined ? state.dedupeFrom : undefined;
  const openings = openingsOf({ ...state, config, cache, dedupeFrom });
  if (openings.length === 0 || isMarked(state, mark, keyFile)) return;
  throw new InvalidConfig(
    `The settings of the crawl in ${folder} are not known as yours on this machine, and some of them open something: ${openings.join('; ')}. ` +
      'If you trust the folder, for instance as it is your own from another machine, continue once with --trust-settings (trustSettings: true)',
  );
}

function codeOf({ crawl, config, dedupeFrom, cache }: TrustedState, key: Buffer): Buffer {
  const said = ['strand settings 1', crawl, openingSettings(config), dedupeFrom ?? null, cache ?? null];
  return createHmac('sha256', key).update(JSON.stringify(said)).digest();
}

/** Reads the key, or makes it. Undefined where nothing can be kept. Throws `InvalidConfig` if others can read it. */
export function ownKey(file: string): Buffer | undefined {
  return readKey(file) ?? makeKey(file);
}

function readKey(file: string): Buffer | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (isOpenToOthers(found.mode))
    throw new InvalidConfig(`Others may read ${file}, by which Strand knows your folders again: delete it`);
  const key = Buffer.from(readFileSync(file, 'latin1').trim(), 'hex');
  if (key.length !== KEY_BYTES)
    throw new InvalidConfig(`${file}, by which Strand knows your folders again, is damaged: delete it`);
  return key;
}

function makeKey(file: string): Buffer | undefined {
  const unfinished = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    makeFolders(dirname(file), 0o700);
    const text = `${randomBytes(KEY_BYTES).toString('hex')}\n`;
    writeFileSync(unfinished, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch {
    // No home, or one that cannot be written: the caller says so, and the settings are confirmed each time.
    return undefined;
  }
  try {
    // The first of several processes wins.
    linkSync(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return undefined;
  } finally {
    rmSync(unfinished, { force: true });
  }
  return readKey(file);
}
