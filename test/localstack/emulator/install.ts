/**
 * Host mode's parts: LocalStack in a virtual environment, and the jars of DynamoDB Local. They are installed
 * once into the user's cache.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { cachedFolder, exists, INSTALL_TIMEOUT_MS, installJars, installOnce } from './install-once.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const POM = join(import.meta.dirname, 'pom.xml');
/** To be raised when the steps below make something else of the same requirements. */
const RECIPE = 1;

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
  return cachedFolder('emulator', [`${RECIPE} ${version}`, ...parts]);
}

export async function isInstalled(python: string): Promise<boolean> {
  return exists(await folderFor(python));
}

/** Installs what is not there yet. */
export async function install(python: string, say: (line: string) => void): Promise<Installation> {
  const folder = await folderFor(python);
  await installOnce(folder, async (partial) => {
    say(`Installing an emulator of AWS into ${folder} (once, a minute or two)`);
    const part = at(partial);
    // Both to their end, whatever the outcome of the other: what is still at work would write into a removed
    // folder.
    const ends = await Promise.allSettled([installLocalStack(python, part), installJars(POM, part.jars)]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  });
  return at(folder);
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
