/**
 * Host mode's parts: LocalStack in a virtual environment, and the jars of DynamoDB Local. They are installed
 * once into the user's cache, under a name that represents all that they are made of.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCommand } from './command.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const POM = join(import.meta.dirname, 'pom.xml');
/** To be raised when the steps below make something else of the same requirements. */
const RECIPE = 1;
const INSTALL_TIMEOUT_MS = 900_000;

export interface Installation {
  readonly folder: string;
  readonly python: string;
  /** Folder of DynamoDB Local's jars. */
  readonly jars: string;
}

const at = (folder: string): Installation => ({
  folder,
  python: join(folder, 'venv', 'bin', 'python'),
  jars: join(folder, 'jars'),
});

/** Where the installation for `python` is or belongs. */
async function folderFor(python: string): Promise<string> {
  const version = await runCommand(python, ['-c', 'import sys; print(sys.version, sys.platform)']);
  const parts = await Promise.all([REQUIREMENTS, POM].map((file) => readFile(file)));
  const hash = createHash('sha256').update(`${RECIPE} ${version}`);
  for (const part of parts) hash.update(part);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'strand-crawler', `emulator-${hash.digest('hex').slice(0, 16)}`);
}

const exists = (path: string): Promise<boolean> => stat(path).then(Boolean, () => false);

export async function isInstalled(python: string): Promise<boolean> {
  return exists(await folderFor(python));
}

/**
 * Installs what is not there yet. Two at once do the work twice, and one of the results is kept: an
 * installation appears as a whole, under its name, or not at all.
 */
export async function install(python: string, say: (line: string) => void): Promise<Installation> {
  const folder = await folderFor(python);
  if (await exists(folder)) return at(folder);
  say(`Installing an emulator of AWS into ${folder} (once, a minute or two)`);
  const partial = `${folder}.${process.pid}`;
  await removeLeftOvers(dirname(folder));
  try {
    await mkdir(partial, { recursive: true });
    const part = at(partial);
    // Both to their end, whatever the outcome of the other: what is still at work would write into a removed
    // folder.
    const ends = await Promise.allSettled([installLocalStack(python, part), installDynamoDbLocal(part)]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    await rename(partial, folder).catch(async (error) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return at(folder);
}

/** Removes the files of installations that were interrupted. */
async function removeLeftOvers(cache: string): Promise<void> {
  for (const name of await readdir(cache).catch(() => [])) {
    const pid = /^emulator-[0-9a-f]+\.(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(cache, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function installLocalStack(basePython: string, { folder, python }: Installation): Promise<void> {
  await runCommand(basePython, ['-m', 'venv', join(folder, 'venv')], { timeoutMs: INSTALL_TIMEOUT_MS });
  // Imported modules are compiled then; they are a small part.
  const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile'];
  await runCommand(python, ['-m', 'pip', 'install', ...options, '-r', REQUIREMENTS], {
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  // Its annotations hold `Lock | None`, which no Python before 3.13 can evaluate.
  const site = await runCommand(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
  const source = join(site.trim(), 'localstack', 'packages', 'api.py');
  await writeFile(source, `from __future__ import annotations\n${await readFile(source, 'utf8')}`);
}

async function installDynamoDbLocal({ jars }: Installation): Promise<void> {
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
  await runCommand('mvn', ['--quiet', '--batch-mode', '--file', POM, ...goal], {
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
}
