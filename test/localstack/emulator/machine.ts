/** Detects the properties of this machine on which an emulator of AWS depends. */
import { join } from 'node:path';
import type { Machine } from './choose.ts';
import { tryCommand } from './command.ts';
import { isInstalled } from './install.ts';

const PYTHONS = ['python3', 'python3.13', 'python3.12', 'python3.11'];
/**
 * Prints its own path if it will do. LocalStack says that 3.10 does, and imports what came with 3.11. Debian
 * splits `ensurepip` off, without which venv fails.
 */
const PYTHON_TEST =
  'import sys, venv, ensurepip; (3, 11) <= sys.version_info[:2] <= (3, 13) and print(sys.executable)';
const LEAST_JAVA = 17;

export async function lookAtMachine(): Promise<Machine> {
  const [docker, python, javaHome, maven] = await Promise.all([
    tryCommand('docker', ['info'], { timeoutMs: 5000 }),
    findPython(),
    findJava(),
    tryCommand('mvn', ['--version']),
  ]);
  return {
    hasDocker: docker !== undefined,
    architecture: process.arch,
    python,
    javaHome,
    hasMaven: maven !== undefined,
    isInstalled: python !== undefined && (await isInstalled(python)),
  };
}

async function findPython(): Promise<string | undefined> {
  const paths = await Promise.all(PYTHONS.map((name) => tryCommand(name, ['-c', PYTHON_TEST])));
  return paths.map((path) => path?.trim()).find(Boolean);
}

/** The folder of a Java machine that is new enough, and no newer than `newest`. */
export async function findJava(newest = Number.POSITIVE_INFINITY): Promise<string | undefined> {
  const { JAVA_HOME } = process.env;
  const candidates = [...(JAVA_HOME ? [join(JAVA_HOME, 'bin', 'java')] : []), 'java'];
  for (const java of candidates) {
    const settings = (await tryCommand(java, ['-XshowSettings:properties', '-version'])) ?? '';
    const version = Number(/java\.specification\.version = (\d+)$/m.exec(settings)?.[1]);
    const home = /java\.home = (.+)$/m.exec(settings)?.[1];
    if (home && version >= LEAST_JAVA && version <= newest) return home;
  }
  return undefined;
}
