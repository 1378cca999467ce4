import manifest from '../../../package.json' with { type: 'json' };

/** Strand's version, as its package says. Imported, not read: a bundled function has no package beside it. */
export const version: string = manifest.version;
