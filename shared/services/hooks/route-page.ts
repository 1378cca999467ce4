import type { OnPage, Page, Route } from '../project/project.ts';

/** Returns the function that a page goes to: that of the first route that matches, else `onPage`. */
export function createRouter(
  routes: readonly Route[],
  onPage: OnPage | undefined,
): ((page: Pick<Page, 'url' | 'label'>) => OnPage | undefined) | undefined {
  if (routes.length === 0 && onPage === undefined) return undefined;
  const compiled = routes.map(({ url, label, onPage: handler }) => {
    // A copy: one with the flag g or y would remember where it matched last.
    const pattern =
      url === undefined || typeof url === 'string'
        ? url
        : // linear: the project's own pattern, which runs within the time that its hooks have
          new RegExp(url.source, url.flags.replaceAll(/[gy]/g, ''));
    // linear: as above
    const matcher = typeof pattern === 'string' ? new RegExp(pattern) : pattern;
    return { matcher, label, handler };
  });
  return (page) => {
    const route = compiled.find(
      ({ matcher, label }) =>
        (label === undefined || label === page.label) && (matcher === undefined || matcher.test(page.url)),
    );
    return route ? route.handler : onPage;
  };
}
