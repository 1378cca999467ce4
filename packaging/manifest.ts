/** The package.json of the published package, from the repository's own. */

export interface Manifest {
  readonly [key: string]: unknown;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Loaded only by commands for a stack. */
const isForStacks = (name: string): boolean => name.startsWith('@aws-sdk/');

/** The modules that are imported by name, without the end of their file names. */
const ENTRIES = { '.': './api/index', './testing': './packaging/testing' };

/**
 * Keeps what describes the package and what it runs on. Packages for stacks become optional peers: a crawl on
 * one machine needs none of them.
 */
export function publishedManifest(source: Manifest): Manifest {
  const { name, version, description, license, type, dependencies, repository, keywords } = source;
  const entries = Object.entries(dependencies);
  const peers = entries.filter(([peer]) => isForStacks(peer));
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
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(entries.filter(([peer]) => !isForStacks(peer))),
    peerDependencies: Object.fromEntries(peers.map(([peer, exact]) => [peer, `^${exact}`])),
    peerDependenciesMeta: Object.fromEntries(peers.map(([peer]) => [peer, { optional: true }])),
  };
}
