/**
 * Joins modules into few files: a start of the command line, and of each thread, loads some twenty files instead of 700.
 * Modules that the same programs load when they start are one file in `lib/`. Others import them from there, so that each
 * module is there once.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

const FOLDER = 'lib';

/** Run when they are loaded, so they stay files of their own. The last ones are imported by name. */
const PROGRAMS: ReadonlySet<string> = new Set([
  'cli/strand.js',
  'cli/mcp/crawl-process.js',
  'api/local/thread.js',
  'api/local/pages/page-thread.js',
  'api/local/process/process-thread.js',
  'shared/engines/local/threads/crawl-thread.js',
  'shared/crawler/media-thread/document-thread.js',
  'functions/worker.js',
  'functions/waker.js',
  'functions/exporter.js',
  'api/in-worker.js',
  'api/index.js',
]);

/** Modules that are loaded together, with all that they import. */
const STARTS: readonly (readonly string[])[] = [
  ['cli/strand.js'],
  ['cli/here.js', 'cli/verbs/help.js', 'cli/help.js'],
  ['cli/here.js', 'cli/verbs/crawl.js', 'cli/crawl/run-crawl.js'],
  [
    ...['cli/here.js', 'cli/verbs/read.js', 'cli/crawl/fetch-options.js'],
    ...['api/read-page.js', 'api/local/read-one-page.js'],
  ],
  ['api/local/thread.js', 'shared/engines/local/threads/crawl-thread.js'],
  ['api/local/pages/page-thread.js'],
  ['api/index.js'],
];

/** Bundled by an application with its project's file. What one of them does not need must not become a part of it. */
const FUNCTIONS = ['functions/worker.js', 'functions/waker.js', 'functions/exporter.js', 'api/in-worker.js'];

const IMPORTED = /(?:^|[;}])\s*(?:import|export)\b[^'"();]*?['"](\.[^'"]+)['"]/gm;
const NAMED_IMPORT =
  /(^|[;}])(\s*)(import|export)\s*(?:([\w$]+)\s*,?\s*)?(?:\{([^}]*)\}\s*)?from\s*['"](\.[^'"]+)['"]/gm;
const LATER_IMPORT = /\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/g;
/** Marks what is loaded later, so that it stays outside. */
const LATER = '?later';
/** In a stack trace, a line of it. */
const LINE_LIMIT = 1000;

/** A module of a joined file. */
interface Part {
  readonly group: number;
  /** Its exports by the names that they have in the joined file. */
  readonly names: ReadonlyMap<string, string>;
}

export function joinModules(dist: string): void {
  const files = globSync('**/*.js', { cwd: dist }).map((file) => file.replaceAll(sep, '/'));
  const texts = new Map(files.map((file) => [file, readFileSync(join(dist, file), 'utf8')]));
  const groups = groupsOf(texts);
  const parts = partsOf(dist, groups);
  for (const [file, text] of texts) {
    const joined = parts.get(file);
    const rewritten = importsRewritten(file, text, parts);
    writeFileSync(join(dist, file), joined === undefined ? rewritten : placesRewritten(file, rewritten));
  }
  for (const group of groups.keys()) joinGroup(dist, groups, group, parts);
  for (const [file, part] of parts) writeFileSync(join(dist, file), forwarding(file, part));
  removeUnnamed(dist, parts);
}

/** By the starts that load them. */
function groupsOf(texts: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const starts = new Map<string, string>();
  for (const [at, files] of STARTS.entries())
    for (const file of closureOf(files, texts)) starts.set(file, `${starts.get(file) ?? ''} ${at}`);
  const functions = FUNCTIONS.map((file) => closureOf([file], texts, [IMPORTED, LATER_IMPORT]));
  const keyOf = (file: string) => `${starts.get(file)}:${functions.map((loaded) => loaded.has(file))}`;
  const files = [...starts.keys()].filter((file) => !PROGRAMS.has(file));
  return [...Map.groupBy(files, keyOf).values()];
}

function closureOf(
  files: readonly string[],
  texts: ReadonlyMap<string, string>,
  patterns: readonly RegExp[] = [IMPORTED],
): ReadonlySet<string> {
  const found = new Set(files);
  for (const file of found) {
    const text = texts.get(file);
    if (text === undefined) throw new Error(`Expected the module ${file}`);
    for (const [, path = ''] of patterns.flatMap((pattern) => [...text.matchAll(pattern)])) {
      const imported = resolved(file, path);
      if (texts.has(imported)) found.add(imported);
    }
  }
  return found;
}

function partsOf(dist: string, groups: readonly (readonly string[])[]): ReadonlyMap<string, Part> {
  const { metafile } = buildSync({
    ...{ absWorkingDir: dist, entryPoints: groups.flat(), outdir: '.', outbase: '.' },
    ...{ format: 'esm', write: false, metafile: true, logLevel: 'error' },
  });
  let count = 0;
  const parts = new Map<string, Part>();
  for (const [group, files] of groups.entries())
    for (const file of files) {
      const names = metafile?.outputs[file]?.exports;
      if (names === undefined) throw new Error(`Expected the exports of ${file}`);
      parts.set(file, { group, names: new Map(names.map((name) => [name, `e${count++}`])) });
    }
  return parts;
}

/** Other groups' modules are imported from their files. Those of its own group stay, to be joined. */
function importsRewritten(file: string, text: string, parts: ReadonlyMap<string, Part>): string {
  const own = parts.get(file)?.group;
  return text.replace(NAMED_IMPORT, (all, before, space, word, whole, named: string | undefined, path) => {
    const part = parts.get(resolved(file, path));
    if (part === undefined || part.group === own) return all;
    const list = (named ?? '').split(',').flatMap((one) => {
      const [name = '', local = name] = one.trim().split(/\s+as\s+/);
      return name === '' ? [] : [`${nameIn(part, name, file)} as ${local}`];
    });
    if (whole !== undefined) list.push(`${nameIn(part, 'default', file)} as ${whole}`);
    return `${before}${space}${word} { ${list.join(', ')} } from '${relativeTo(file, groupFile(part.group))}'`;
  });
}

function nameIn({ names }: Part, name: string, file: string): string {
  const found = names.get(name);
  if (found === undefined) throw new Error(`Expected an export ${name}, which ${file} imports`);
  return found;
}

/** In a joined file, a module's own place and what it loads later are relative to that file. */
function placesRewritten(file: string, text: string): string {
  // Bundled once more for a function, where this file is beside the function's.
  const isKept = (rest: string) => file.endsWith('/document-thread-handle.js') && rest.includes('.mjs');
  return text
    .replace(LATER_IMPORT, (_, path: string) => `import('../${resolved(file, path)}${LATER}')`)
    .replace(/^.*\bimport\.meta\b.*$/gm, (line) => {
      if (isKept(line)) return line;
      const moved = line
        .replace(/ownFile\((['"])(\.[^'"]+)\1, import\.meta\.url\)/g, (_, _quote, path: string) => {
          return `new URL('../${resolved(file, path)}.js', import.meta.url)`;
        })
        .replace(/(?<!\.js', )\bimport\.meta\.url\b/g, `new URL('../${file}', import.meta.url).href`);
      if (/import\.meta\.(?!url)/.test(moved))
        throw new Error(`Expected import.meta.url in ${file}: ${line}`);
      return moved;
    });
}

function joinGroup(
  dist: string,
  groups: readonly (readonly string[])[],
  group: number,
  parts: ReadonlyMap<string, Part>,
): void {
  const lines = (groups[group] ?? []).map((file) => {
    const names = [...(parts.get(file) as Part).names].map(([name, joined]) => `${name} as ${joined}`);
    return names.length === 0 ? `import './${file}';` : `export { ${names.join(', ')} } from './${file}';`;
  });
  const outfile = join(dist, groupFile(group));
  const options: BuildOptions = {
    absWorkingDir: dist,
    metafile: true,
    stdin: { contents: lines.join('\n'), resolveDir: dist },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    minify: true,
    lineLimit: LINE_LIMIT,
    logLevel: 'warning',
    packages: 'external',
    external: [
      `*${LATER}`,
      '#*',
      ...groups.keys().map((other) => join(dist, groupFile(other))),
      ...globSync('{package,shared/**/*}.json', { cwd: dist }).map((file) => join(dist, file)),
    ],
  };
  const { metafile } = buildSync(options);
  const foreign = Object.keys(metafile?.inputs ?? {}).filter(
    (file) => file !== '<stdin>' && parts.get(file)?.group !== group,
  );
  if (foreign.length > 0)
    throw new Error(
      `Expected import { ... } from a module of another file, got another form for ${foreign.join(', ')}`,
    );
  writeFileSync(outfile, readFileSync(outfile, 'utf8').replaceAll(LATER, ''));
}

/** The module in its own place, for what names it there. */
function forwarding(file: string, { group, names }: Part): string {
  const from = relativeTo(file, groupFile(group));
  const list = [...names].map(([name, joined]) => `${joined} as ${name}`);
  return list.length === 0 ? `import '${from}';\n` : `export { ${list.join(', ')} } from '${from}';\n`;
}

/** Removes joined modules that nothing names in their own place. */
function removeUnnamed(dist: string, parts: ReadonlyMap<string, Part>): void {
  const named = new Set<string>();
  for (const file of globSync('**/*.js', { cwd: dist }).map((file) => file.replaceAll(sep, '/'))) {
    if (parts.has(file)) continue;
    for (const [, path = ''] of readFileSync(join(dist, file), 'utf8').matchAll(
      /["'`](\.{1,2}\/[^"'`]+\.js)["'`]/g,
    ))
      named.add(resolved(file, path));
  }
  for (const file of parts.keys()) if (!named.has(file)) rmSync(join(dist, file));
}

const groupFile = (group: number): string => `${FOLDER}/${group}.js`;

const resolved = (file: string, path: string): string => posix.join(posix.dirname(file), path);

function relativeTo(file: string, path: string): string {
  const found = posix.relative(posix.dirname(file), path);
  return found.startsWith('.') ? found : `./${found}`;
}
