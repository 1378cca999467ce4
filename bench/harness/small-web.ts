/**
 * Hosts of small pages without a network: a middleware answers. Each page links to the host's next one, and
 * to `/`.
 */
import type { FetchMiddleware } from '../../shared/services/project/project.ts';
import { responseOf } from '../../shared/services/project/response-of.ts';

export interface SmallWeb {
  readonly middleware: FetchMiddleware;
  seedOf(host: number): string;
}

/** `pages` of each host. */
export function smallWeb(pages: number): SmallWeb {
  return {
    seedOf: (host) => `http://host-${host}.test/`,
    async middleware(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/robots.txt') return responseOf(request, { httpStatus: 404, body: '' });
      const page = Number(pathname.slice(1));
      const next = page + 1 < pages ? `<a href="/${page + 1}">next</a>` : '';
      const body = `<!doctype html><title>${request.url}</title><p>${request.url} ${next} <a href="/">home</a>`;
      return responseOf(request, {
        httpStatus: 200,
        body,
        headers: [['Content-Type', 'text/html; charset=utf-8']],
      });
    },
  };
}
