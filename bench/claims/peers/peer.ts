/** A crawler that is run beside the others. */

export interface Peer {
  readonly name: string;
  /** One line: what it does meanwhile, and what it does not. */
  readonly does: string;
  /** If true, its pages are compared with those that robots.txt allows, otherwise with all pages. */
  readonly obeysRobots: boolean;
  /** Programs that must be there, by the words that ask them for their version. */
  readonly needs: readonly (readonly [program: string, ...args: string[]])[];
  /**
   * Installs by package name, from the registries that the package managers know, into `folder`, which it has
   * for itself and finds again the next time. Throws if that cannot be done.
   */
  install(folder: string): unknown;
  /** It comes from this repository, and is installed again each time. */
  readonly isBuiltHere?: true;
  command(run: PeerRun): PeerCommand;
}

export interface PeerRun {
  /** Where it was installed. */
  readonly folder: string;
  /** Empty, for this run. */
  readonly scratch: string;
  readonly seeds: readonly string[];
  /** The same, one a line. */
  readonly seedsFile: string;
}

export interface PeerCommand {
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Requests at once, of those that ask for a number. */
export const CONCURRENCY = 64;
