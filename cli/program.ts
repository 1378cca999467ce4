/** How the operator started the program, so that hints can be copied as they stand. */
import { basename, relative } from 'node:path';
import { isSource } from '../shared/core/base/own-file.ts';

export interface Start {
  /** Runs from the repository, not from the published package. */
  readonly isSource: boolean;
  /** Path of the program as it was called: `/home/a/node_modules/.bin/strand`. */
  readonly path: string;
  /** The command that npm runs: `npx`, `exec` or a script's name; none without npm. */
  readonly npmEvent?: string;
  readonly cwd: string;
}

/**
 * `npx strand-crawler`, `npx strand` or `strand`; in the repository also `node cli/bin.js`, and `npm run strand --` for its
 * script.
 */
export function programName({ isSource, path, npmEvent, cwd }: Start): string {
  if (isSource && (npmEvent === 'strand' || npmEvent === 'crawl')) return 'npm run strand --';
  const name = basename(path).replace(/\.[cm]?js$/, '');
  const called = name === 'strand-crawler' ? name : 'strand';
  if (!isSource) {
    // npm puts its own folders of programs on the path only while it runs a command.
    const isInPath = npmEvent === undefined && !/[\\/]node_modules[\\/]/.test(path);
    return isInPath ? called : `npx ${called}`;
  }
  // Another program, such as a test runner, calls the command line's functions.
  if (name !== 'bin' && name !== called) return 'strand';
  if (npmEvent === 'npx') return `npx ${called}`;
  return name === 'bin' ? `node ${fileName(path, cwd)}` : called;
}

/** The path as the operator would write it. */
function fileName(path: string, cwd: string): string {
  const near = relative(cwd, path);
  const file = near === '' || near.startsWith('..') ? path : near;
  return /^[\w./\\:-]+$/.test(file) ? file : JSON.stringify(file);
}

export const PROGRAM = programName({
  isSource: isSource(import.meta.url),
  path: process.argv[1] ?? '',
  npmEvent: process.env.npm_lifecycle_event ?? process.env.npm_command,
  cwd: workingFolder() ?? '/',
});

/** Undefined if the folder in which the command runs was deleted. */
export function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** An example of a command, as the operator types it. */
export function exampleLine(example: string): string {
  // npm's own banner would go into the file.
  if (example.includes(' > ')) return `  ${PROGRAM.replace('npm run', 'npm run --silent')} ${example}`;
  const hasShortForm = PROGRAM.startsWith('npm run') && example.startsWith('crawl ');
  return hasShortForm ? `  npm run crawl --${example.slice(5)}` : `  ${PROGRAM} ${example}`;
}
