import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { didYouMean } from '../../shared/core/text/nearest.ts';
import { printable, quoted } from '../../shared/core/text/printable.ts';
import { makeFolders } from '../../shared/engines/local/make-folders.ts';
import { UsageError } from '../usage-error.ts';
import { isTemplate, TEMPLATE_NAMES, TEMPLATES, type TemplateName } from './templates.ts';

/** Where a project is created, and with which versions. */
export interface Setup {
  /** The folder `templates/`. */
  readonly templates: string;
  /** The version of this program. */
  readonly version: string;
  /** Range of versions of the AWS SDK. */
  readonly sdk: string;
}

/** Throws {@link UsageError} if there is no such template. */
export function readTemplate(word: string): TemplateName {
  if (isTemplate(word)) return word;
  const hint = didYouMean(word, TEMPLATE_NAMES, `expected one of ${TEMPLATE_NAMES.join(', ')}`);
  throw new UsageError(`There is no template ${quoted(word)}: ${hint}`);
}

/**
 * Copies a template into a folder, which must be empty or not exist. Returns the names of the files. Throws
 * {@link UsageError} if the folder holds anything.
 */
export function createProject(template: TemplateName, folder: string, setup: Setup): string[] {
  refuseTaken(folder);
  makeFolders(folder);
  const from = join(setup.templates, template);
  return readdirSync(from)
    .map((file) => {
      // npm leaves out files called .gitignore when it packs.
      const name = file === 'gitignore' ? '.gitignore' : file;
      const text = readFileSync(join(from, file), 'utf8');
      writeFileSync(join(folder, name), file === 'package.json' ? filled(text, folder, setup) : text);
      return name;
    })
    .sort();
}

function refuseTaken(folder: string): void {
  if (!existsSync(folder)) return;
  const there = statSync(folder).isDirectory() ? readdirSync(folder) : [basename(folder)];
  if (there.length > 0)
    throw new UsageError(
      `Expected an empty folder, got ${printable(folder)} with ${there.slice(0, 3).map(printable).join(', ')}${there.length > 3 ? ', ...' : ''}: name another one`,
    );
}

const filled = (text: string, folder: string, { version, sdk }: Setup): string =>
  text
    .replaceAll('"NAME"', JSON.stringify(packageName(folder)))
    .replaceAll('"VERSION"', `"${version}"`)
    .replaceAll('"SDK"', `"${sdk}"`);

/** As npm takes names. */
function packageName(folder: string): string {
  const words = basename(resolve(folder))
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const name = words.filter((word) => word !== '').join('-');
  return name === '' ? 'crawl' : name;
}

/** Returns the text that is printed about a new project. */
export function describeProject(template: TemplateName, folder: string, files: readonly string[]): string {
  const { edit, next } = TEMPLATES[template];
  const shown = /^[\w./@%+,:=-]+$/.test(folder) ? folder : `'${printable(folder).replaceAll("'", "'\\''")}'`;
  const commands = [...(folder === '.' ? [] : [`cd ${shown}`]), 'npm install', ...next];
  return `Created ${shown}: ${files.join(', ')}\n\nEdit ${edit}, then:\n\n${commands.map((line) => `  ${line}\n`).join('')}`;
}

/** The list of templates. `command` is what creates a project: `npx strand init`. */
export function describeTemplates(command: string): string {
  const width = Math.max(...TEMPLATE_NAMES.map(({ length }) => length));
  const lines = TEMPLATE_NAMES.map((name) => `  ${name.padEnd(width)}  ${TEMPLATES[name].summary}\n`);
  return `Templates:\n\n${lines.join('')}\n${command} ${TEMPLATE_NAMES[0]} my-crawl\n`;
}
