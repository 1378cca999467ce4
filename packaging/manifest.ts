/** The package.json of the published package, from the repository's own. */
import { VENDORED } from './vendor-packages.ts';

export interface Manifest {
  readonly [key: string]: unknown;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Loaded only by commands for a stack, and by the server for agents. */
const isOptional = (name: string): boolean => /^@(?:aws-sdk|modelcontextprotocol)\//.test(name);

/** Their used parts are in the package. */
const isVendored = (name: string): boolean => (VENDORED as readonly string[]).includes(name);

/**
 * The versions that the construct needs. `Validations` and the runtime of the functions are not in older
 * versions.
 */
const CDK = { 'aws-cdk-lib': '^2.257.0', constructs: '^10.5.0', esbuild: '>=0.25.0' };

const FUNCTIONS = 'strand-crawler-functions';

/** The JSON schema of a crawl's settings. */
export const CONFIG_SCHEMA = 'crawl-config.schema.json';

/** The modules that are imported by name, without the end of their file names. */
const ENTRIES = { '.': './api/index', './cdk': './cdk/index', './testing': './packaging/testing' };

/**
 * Keeps what describes the package and what it runs on. Packages for stacks and for agents become optional peers: a crawl
 * on one machine needs none of them.
 */
export function publishedManifest(source: Manifest): Manifest {
  const { name, version, description, license, type, dependencies, repository, keywords } = source;
  const entries = Object.entries(dependencies);
  const optional = entries.filter(([peer]) => isOptional(peer)).map(([peer, exact]) => [peer, `^${exact}`]);
  const peers: Record<string, string> = {
    ...Object.fromEntries(optional),
    ...CDK,
    [FUNCTIONS]: version as string,
  };
  return {
    name,
    version,
    description,
    ...(keywords === undefined ? {} : { keywords }),
    ...(repository === undefined ? {} : { repository }),
    license,
    type,
    engines: { node: '>=22.19' },
    bin: { strand: 'cli/bin.js', 'strand-crawler': 'cli/bin.js' },
    exports: {
      ...Object.fromEntries(
        Object.entries(ENTRIES).map(([name, file]) => [
          name,
          { types: `${file}.d.ts`, default: `${file}.js` },
        ]),
      ),
      [`./${CONFIG_SCHEMA}`]: `./${CONFIG_SCHEMA}`,
      './package.json': './package.json',
    },
    // A bundle of a project's file puts that file in its place.
    imports: { '#strand-config': './shared/services/project/no-config.js' },
    dependencies: Object.fromEntries(entries.filter(([own]) => !isOptional(own) && !isVendored(own))),
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((peer) => [peer, { optional: true }])),
  };
}

/** The functions have all that they import in their bundles. */
export function functionsManifest({ version, license, type, repository }: Manifest): Manifest {
  return {
    name: FUNCTIONS,
    version,
    description: 'The Lambda functions of strand-crawler, bundled for its CDK construct.',
    ...(repository === undefined ? {} : { repository }),
    license,
    type,
    dependencies: {},
  };
}

export function createManifest({ version, license, type, repository }: Manifest): Manifest {
  return {
    name: 'create-strand-crawler',
    version,
    description: 'Creates a project for strand-crawler, a web crawler: npm create strand-crawler',
    ...(repository === undefined ? {} : { repository }),
    license,
    type,
    engines: { node: '>=22.19' },
    bin: { 'create-strand-crawler': 'index.js' },
    dependencies: {},
  };
}
