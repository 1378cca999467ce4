/**
 * Puts those parts of packages that Strand uses into files of its own package. An installation has half the size by that,
 * and each start loads fewer files: zod has translations and older versions beside its parts, eld four sizes of its data,
 * tldts its code in seven forms.
 */
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

/** Packages that no declaration of the package refers to. */
export const VENDORED = [
  'diff',
  'eld',
  'hyparquet-writer',
  'quick-lru',
  'tldts',
  'tough-cookie',
  'undici',
  'zod',
] as const;

/** Their own dependencies. */
const THEIR_PARTS = ['hyparquet', 'tldts-core'];

const FOLDER = 'shared/vendor';

/** `import` with what it imports, and from which module. */
const IMPORT = new RegExp(
  String.raw`^import (?:(\w+),? )?(?:\{([^}]*)\} )?from ['"]((?:${VENDORED.join('|')})(?:/[^'"]+)?)['"];$`,
  'gm',
);

interface Used {
  readonly names: Set<string>;
  /** Members of the namespace `z` of zod. */
  readonly members: Set<string>;
}

/** Throws if a module of `dist` imports one of the packages in another form than the ones that are replaced. */
export function vendorPackages(dist: string, root: string): void {
  const used = new Map<string, Used>();
  for (const file of globSync('**/*.js', { cwd: dist })) replaceImports(dist, file, used);
  const entries = mkdtempSync(join(root, 'node_modules/.strand-vendor-'));
  try {
    for (const [module, parts] of used)
      writeFileSync(join(entries, `${nameOf(module)}.js`), entryOf(module, parts));
    bundle({
      entryPoints: globSync(join(entries, '*.js').replaceAll('\\', '/')),
      outdir: join(dist, FOLDER),
      format: 'esm',
      splitting: true,
      banner: {
        js: `${NOTICE}import{createRequire as strandRequire}from'node:module';const require=strandRequire(import.meta.url);`,
      },
    });
  } finally {
    rmSync(entries, { recursive: true, force: true });
  }
  vendorLanguages(dist, root);
  writeLicences(dist, root);
}

const NOTICE = '/*! Parts of other packages: see LICENSES.txt beside this file. */';

/** `undici/lib/dispatcher/agent.js` is `undici-lib-dispatcher-agent`. */
const nameOf = (module: string): string => module.replace(/\.js$/, '').replaceAll('/', '-');

function replaceImports(dist: string, file: string, used: Map<string, Used>): void {
  const path = join(dist, file);
  const text = readFileSync(path, 'utf8');
  const replaced = text.replace(
    IMPORT,
    (_, whole: string | undefined, parts: string | undefined, module: string) => {
      const { names, members } = used.get(module) ?? { names: new Set<string>(), members: new Set<string>() };
      used.set(module, { names, members });
      if (whole !== undefined) names.add('default');
      for (const part of (parts ?? '').split(','))
        if (part.trim() !== '') names.add(part.trim().replace(/ as .*/, ''));
      if (module === 'zod') for (const [, name = ''] of text.matchAll(/\bz\s*\.(\w+)/g)) members.add(name);
      const own = relative(dirname(file), `${FOLDER}/${nameOf(module)}.js`).replaceAll('\\', '/');
      const clause = [whole, parts && `{ ${parts.trim()} }`].filter(Boolean).join(', ');
      return `import ${clause} from '${own.startsWith('.') ? own : `./${own}`}';`;
    },
  );
  const left = replaced.match(new RegExp(`from ['"](?:${VENDORED.join('|')})(?:/[^'"]*)?['"]`));
  if (left) throw new Error(`Expected import { ... } from a package in ${file}, got ${left[0]}`);
  if (replaced !== text) writeFileSync(path, replaced);
}

function entryOf(module: string, { names, members }: Used): string {
  if (module !== 'zod') return `export { ${[...names].sort().join(', ')} } from '${module}';\n`;
  const parts = [...members].sort().map((name) => `${name}: all.${name}`);
  // The module that is imported sets the language of messages; alone, its parts would have none.
  return `import * as all from 'zod'; import { en } from 'zod/locales'; all.config(en()); export const z = { ${parts.join()} };`;
}

/** The detector of languages is loaded from its folder when it is needed, and its data are read as text. */
function vendorLanguages(dist: string, root: string): void {
  const file = 'shared/services/outputs/eld-folder.js';
  if (!existsSync(join(dist, file))) throw new Error(`Expected the module ${file}`);
  const source = join(root, 'node_modules/eld/src');
  for (const part of ['dictionary', 'regexPatterns', 'avgScore', 'ngrams/extrasmall'].map(
    (name) => `${name}.js`,
  ))
    cpSync(join(source, part), join(dist, FOLDER, 'eld', part));
  writeFileSync(
    join(dist, file),
    `import { fileURLToPath } from 'node:url';\nexport const eldFolder = () => fileURLToPath(new URL('../../vendor/eld', import.meta.url));\n`,
  );
}

function bundle(options: BuildOptions): void {
  buildSync({
    bundle: true,
    platform: 'node',
    target: 'node22',
    minify: true,
    logLevel: 'warning',
    ...options,
  });
}

function writeLicences(dist: string, root: string): void {
  const texts = [...VENDORED, ...THEIR_PARTS].sort().map((name) => {
    const [file] = globSync('{LICENSE,LICENSE.*,license}', { cwd: join(root, 'node_modules', name) });
    if (file === undefined) throw new Error(`Expected a licence of ${name}`);
    return `${name}\n\n${readFileSync(join(root, 'node_modules', name, file), 'utf8').trim()}\n`;
  });
  mkdirSync(join(dist, FOLDER), { recursive: true });
  writeFileSync(join(dist, FOLDER, 'LICENSES.txt'), texts.join(`\n${'-'.repeat(40)}\n\n`));
}
