/** What a worker asks for, and what its project's code looks at, noted on its thread's board. */
import type { Fetcher } from '../../../ports.ts';
import type { PageHooks } from '../../../worker/page-hooks.ts';
import type { Board } from './board.ts';

export const notingFetcher = (fetcher: Fetcher, board: Pick<Board, 'note'>): Fetcher => ({
  ...fetcher,
  fetch(request) {
    board.note(request.url);
    return fetcher.fetch(request);
  },
});

/** Again, as the host may have been asked for its next page meanwhile; and a project's code is the likeliest to kill. */
export const notingHooks = (hooks: PageHooks, board: Pick<Board, 'note'>): PageHooks => ({
  ...hooks,
  extract(page) {
    board.note(page.url);
    return hooks.extract(page);
  },
  onPage(page) {
    board.note(page.url);
    return hooks.onPage(page);
  },
});
