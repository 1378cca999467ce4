/** The packages as they are published: built, packed, and unpacked below `node_modules` of an empty folder. */
import { execFile, execFileSync, execSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from '../../packaging/build.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** The Node that runs what was packed: that of the tests, or another one, which STRAND_PACKAGE_NODE names. */
const NODE = process.env.STRAND_PACKAGE_NODE ?? process.execPath;

export interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A folder with a `package.json` and `node_modules`, as `npm install` would make them. */
export interface Project {
  readonly folder: string;
  /** Writes a file of the folder. */
  write(file: string, text: string): void;
  read(file: string): string;
  /** Runs Node in the folder. */
  run(...args: string[]): Result;
  /** The same, while this process continues serving. */
  start(...args: string[]): Promise<Result>;
  /** Runs `npx strand` in the folder. */
  strand(...words: string[]): Promise<Result>;
}

export interface Packed {
  /** Where the built packages are. */
  readonly dist: string;
  readonly tarballs: Readonly<Record<string, string>>;
  /**
   * A project with these published packages, and what they depend on. `beside` are packages that it depends
   * on itself.
   */
  project(name: string, packages: readonly string[], beside?: readonly string[]): Project;
  remove(): void;
}

export function packAll(): Packed {
  const root = mkdtempSync(join(tmpdir(), 'strand-package-'));
  const dist = join(root, 'dist');
  build(dist);
  const names = readdirSync(dist);
  const to = join(root, 'tarballs');
  mkdirSync(to);
  const folders = names.map((name) => join(dist, name));
  // By a shell, which finds npm on each system.
  const words = ['pack', ...folders, '--pack-destination', to, '--silent'].map((word) => `"${word}"`);
  execSync(`npm ${words.join(' ')}`, { stdio: 'pipe' });
  const versionOf = (name: string) =>
    JSON.parse(readFileSync(join(dist, name, 'package.json'), 'utf8')).version as string;
  const tarballs = Object.fromEntries(
    names.map((name) => [name, join(to, `${name}-${versionOf(name)}.tgz`)]),
  );
  return {
    dist,
    tarballs,
    project(name, packages, beside = []) {
      const folder = join(root, name);
      mkdirSync(folder, { recursive: true });
      for (const each of packages) install(folder, each, tarballs[each] as string);
      for (const each of beside) link(folder, each);
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      return inFolder(folder);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function install(folder: string, name: string, tarball: string): void {
  const to = join(folder, 'node_modules', name);
  mkdirSync(to, { recursive: true });
  execFileSync('tar', ['xzf', tarball, '-C', to, '--strip-components', '1']);
  const { dependencies = {} } = JSON.parse(readFileSync(join(to, 'package.json'), 'utf8'));
  for (const dependency of Object.keys(dependencies)) link(folder, dependency);
}

/** The repository has the versions that npm would install. */
function link(folder: string, name: string): void {
  const to = join(folder, 'node_modules', name);
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), to, 'junction');
}

/** Node 22 says of SQLite that it is experimental. */
const withoutWarning = (text: string): string =>
  text.replaceAll(/^\(node:\d+\) ExperimentalWarning: SQLite .*\n\(Use `node .*\n/gm, '');

/** The output of the compiler for files of a folder: its errors. */
export function compiled(cwd: string, options: string, files: readonly string[]): string {
  const words = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '--singleThreaded', '--strict'];
  const more = '--module nodenext --target es2024 --types node'.split(' ');
  return spawnSync(process.execPath, [...words, ...more, ...options.split(' '), ...files], {
    cwd,
    encoding: 'utf8',
  }).stdout;
}

/** The folder of a project that is there. */
export function inFolder(folder: string): Project {
  const options = {
    cwd: folder,
    encoding: 'utf8',
    // The CDK's own check of templates takes more than half of a synthesis: `test/cdk/no-terminal.test.ts` has it.
    env: { ...process.env, npm_lifecycle_event: 'npx', CDK_VALIDATION: 'false' },
  } as const;
  const start = (...args: string[]) =>
    new Promise<Result>((resolve) => {
      execFile(NODE, args, options, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out, err: withoutWarning(err) }),
      );
    });
  return {
    folder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    run(...args) {
      const { status, stdout, stderr } = spawnSync(NODE, args, options);
      return { code: status ?? -1, out: stdout, err: withoutWarning(stderr) };
    },
    start,
    strand: (...words) => start(join(folder, 'node_modules/strand-crawler/cli/bin.js'), ...words),
  };
}
