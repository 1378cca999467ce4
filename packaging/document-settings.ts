/**
 * The types of options as they are published: written out, each with a comment that editors show. The compiler derives them
 * from the records, and editors show no comment of a derived type.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { STACK_OPTIONS } from '../cdk/stack-options.ts';
import { OVERRIDE_SETTINGS } from '../shared/core/crawl/settings/override-settings.ts';
import { URL_RULES } from '../shared/core/crawl/settings/scope-settings.ts';
import { type Said, sentencesOf } from '../shared/core/crawl/settings/sentences.ts';
import { SETTINGS } from '../shared/core/crawl/settings/settings.ts';

type Records = Readonly<Record<string, Said & { readonly default?: unknown }>>;

interface Derived {
  /** The declarations of the type. */
  readonly file: string;
  /** The type, as the compiler writes it: its beginning, or all of it. */
  readonly type: RegExp;
  /** Its beginning as it is published. */
  readonly head: string;
  /** Before each member. */
  readonly modifier?: string;
  /** The records that it is derived from, and the declarations of these. */
  readonly records: Records;
  readonly from: string;
}

const FOLDER = 'shared/core/crawl/settings';
const OPTIONS = { type: / extends OptionsOf<[^>]+> \{/, head: ' {' };

/** An override without the setting leaves that of the crawl. */
const withoutDefaults = (records: Records): Records =>
  Object.fromEntries(
    Object.entries(records).map(([key, record]) => [key, { ...record, default: undefined }]),
  );

const { stackName: _name, adopt: _adopt, kmsKey: _key, ...PROPS } = STACK_OPTIONS;

const DERIVED: readonly Derived[] = [
  {
    ...OPTIONS,
    file: 'shared/core/crawl/crawl-options.d.ts',
    records: SETTINGS,
    from: `${FOLDER}/settings.d.ts`,
  },
  {
    ...OPTIONS,
    file: `${FOLDER}/override-settings.d.ts`,
    records: withoutDefaults(OVERRIDE_SETTINGS),
    from: `${FOLDER}/override-settings.d.ts`,
  },
  {
    ...OPTIONS,
    file: `${FOLDER}/scope-settings.d.ts`,
    records: URL_RULES,
    from: `${FOLDER}/scope-settings.d.ts`,
  },
  {
    file: 'cdk/crawler-props.d.ts',
    type: /type OptionProps = \{\n(?: {4}.*\n)+\};/,
    head: 'interface OptionProps {',
    modifier: 'readonly ',
    records: PROPS,
    from: 'cdk/stack-options.d.ts',
  },
];

/** Writes the options out in the declarations below `dist`. Throws if a record has no declaration. */
export function documentSettings(dist: string): void {
  for (const { file, type, head, modifier = '', records, from } of DERIVED) {
    const path = join(dist, file);
    const declarations = readFileSync(join(dist, from), 'utf8');
    const members = membersOf(declarations, records, relative(dirname(file), from), modifier);
    const text = readFileSync(path, 'utf8');
    // The type that is written as a whole has its end replaced, too.
    const end = head.startsWith('interface') ? '\n}' : '';
    const written = text.replace(type, () => `${head}\n${members}${end}`);
    if (written === text) throw new Error(`Expected a type of options in ${file}`);
    writeFileSync(path, written);
  }
}

/** Sentences of a record that only its comment has. No command shows any of a stack's options. */
const OF_OPTION = /^ +doc: (?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"),?\n/gm;
const LONG_TEXT = /^ +(?:more|costs|page): (?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"),?\n/gm;

/** Removes the texts that no command shows: they are in the declarations. Throws if there are none. */
export function removeLongTexts(dist: string): void {
  for (const file of globSync([`${FOLDER}/*-settings.js`, 'cdk/stack-options.js'], { cwd: dist })) {
    const text = readFileSync(join(dist, file), 'utf8');
    const short = text.replace(LONG_TEXT, '').replace(file.startsWith('cdk') ? OF_OPTION : '', '');
    if (short === text) throw new Error(`Expected sentences about settings in ${file}, got none`);
    writeFileSync(join(dist, file), short);
  }
}

/** The members of an interface, from the declarations of records. `from`: their file, from that of the interface. */
export function membersOf(declarations: string, records: Records, from: string, modifier = ''): string {
  const found = declarations.matchAll(
    /^ {4}(?:readonly )?(\w+): (?:import\("[^"]+"\)\.)?(?:Setting|StackOption)<(.*)>;$/gm,
  );
  const types = new Map([...found].map(([, key = '', types = '']) => [key, firstOf(types)]));
  const missing = Object.keys(records).filter((key) => !types.has(key));
  if (missing.length > 0) throw new Error(`Expected declarations of ${missing.join(', ')}, got none`);
  return Object.entries(records)
    .map(([key, record]) => `    ${commentOf(record)}\n    ${modifier}${key}?: ${types.get(key)};`)
    .join('\n')
    .replaceAll(/import\("(\.[^"]+)"\)/g, (_, path: string) => `import("${moved(path, from)}")`);
}

/** The path of an import of `from`, as a file in another folder names it. */
function moved(path: string, from: string): string {
  const inner = join(dirname(from), path).replaceAll('\\', '/');
  return inner.startsWith('.') ? inner : `./${inner}`;
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
export function commentOf(record: Records[string]): string {
  const { default: preset } = record;
  const shown = preset === undefined ? '' : ` @default ${JSON.stringify(preset).replaceAll('"', "'")}`;
  return `/** ${sentencesOf(record)}${shown} */`;
}
