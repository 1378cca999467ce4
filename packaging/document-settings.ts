/**
 * The types of options as they are published: written out, each with a comment that editors show. The compiler derives them
 * from the records, and editors show no comment of a derived type.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { OVERRIDE_SETTINGS } from '../shared/core/crawl/settings/override-settings.ts';
import { URL_RULES } from '../shared/core/crawl/settings/scope-settings.ts';
import { sentencesOf } from '../shared/core/crawl/settings/sentences.ts';
import type { Setting, Settings } from '../shared/core/crawl/settings/setting.ts';
import { SETTINGS } from '../shared/core/crawl/settings/settings.ts';

const FOLDER = 'shared/core/crawl/settings';

/** The interfaces of options, the records that they are derived from, and the declarations of these. */
const DERIVED: readonly { readonly file: string; readonly records: string; readonly settings: Settings }[] = [
  { file: 'shared/core/crawl/crawl-options.d.ts', records: `${FOLDER}/settings.d.ts`, settings: SETTINGS },
  {
    file: `${FOLDER}/override-settings.d.ts`,
    records: `${FOLDER}/override-settings.d.ts`,
    settings: withoutDefaults(OVERRIDE_SETTINGS),
  },
  {
    file: `${FOLDER}/scope-settings.d.ts`,
    records: `${FOLDER}/scope-settings.d.ts`,
    settings: URL_RULES,
  },
];

/** An override without the setting leaves that of the crawl. */
function withoutDefaults(settings: Settings): Settings {
  const entries = Object.entries(settings).map(([key, setting]) => [key, { ...setting, default: undefined }]);
  return Object.fromEntries(entries);
}

/** Writes the options out in the declarations below `dist`. Throws if a setting has no declaration. */
export function documentSettings(dist: string): void {
  for (const { file, records, settings } of DERIVED) {
    const folder = relative(dirname(file), dirname(records)) || '.';
    const declarations = readFileSync(join(dist, records), 'utf8');
    const members = membersOf(declarations, settings, folder);
    const text = readFileSync(join(dist, file), 'utf8');
    const written = text.replace(/ extends OptionsOf<[^>]+> \{/, () => ` {\n${members}`);
    if (written === text) throw new Error(`Expected an interface of options in ${file}`);
    writeFileSync(join(dist, file), written);
  }
}

/** The members of an interface. `folder`: that of the declarations. */
export function membersOf(declarations: string, settings: Settings, folder: string): string {
  const found = declarations.matchAll(/^ {4}(\w+): (?:import\("[^"]+"\)\.)?Setting<(.*)>;$/gm);
  const types = new Map([...found].map(([, key = '', types = '']) => [key, firstOf(types)]));
  const missing = Object.keys(settings).filter((key) => !types.has(key));
  if (missing.length > 0) throw new Error(`Expected declarations of ${missing.join(', ')}, got none`);
  return Object.entries(settings)
    .map(([key, setting]) => `    ${commentOf(setting)}\n    ${key}?: ${types.get(key)};`)
    .join('\n')
    .replaceAll('import("./', `import("./${folder === '.' ? '' : `${folder}/`}`)
    .replaceAll('import("../', `import("${folder === '.' ? '../' : './'}`);
}

/** The first of the types between commas. */
function firstOf(types: string): string {
  let depth = 0;
  for (const [i, char] of [...types].entries()) {
    if ('<([{'.includes(char)) depth++;
    else if ('>)]}'.includes(char)) depth--;
    else if (char === ',' && depth === 0) return types.slice(0, i);
  }
  return types;
}

/** The comment, in one line. */
export function commentOf(setting: Setting): string {
  const { default: preset } = setting;
  const shown = preset === undefined ? '' : ` @default ${JSON.stringify(preset).replaceAll('"', "'")}`;
  return `/** ${sentencesOf(setting)}${shown} */`;
}
