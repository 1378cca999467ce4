/** A host's assets, by number: what each is. */
export const ASSETS = ['css', 'css', 'css', 'png', 'png', 'png', 'png', 'png', 'woff2'] as const;
