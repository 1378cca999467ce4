/**
 * `new`: the page was found and fetched. `changed`: its text is another one. `gone`: it answers 404 or 410. `moved`: it
 * redirects. `back`: it is there again after it was gone.
 */
export const URL_CHANGES = ['new', 'changed', 'gone', 'moved', 'back'] as const;
export type UrlChangeKind = (typeof URL_CHANGES)[number];
