/** The project of the site that is crawled in both places. */
import { defineCrawl } from '../../api/index.ts';

/** Known when the site's server listens, and in the functions of the stack. */
const hookUrl = () => process.env.PARITY_WEBHOOK;
const url = hookUrl();

export default defineCrawl({
  onPage({ url, title, state }) {
    state.update<number>('pages', (n = 0) => n + 1);
    state.update<string[]>('titles', (titles = []) => [...new Set([...titles, title ?? '?'])].sort());
    if (state.get('scratch') === undefined) state.set('scratch', url);
    state.delete('scratch');
    return { url, title };
  },
  async onFinish({ crawl, state: ended, pages, urls, hosts, byStatus, hooks, exact }, { state }) {
    state.set('finished', ended);
    const body = JSON.stringify({
      crawl,
      ended,
      pages,
      urls,
      hosts,
      byStatus,
      hooks,
      exact,
      kept: state.entries(),
    });
    await fetch(`${hookUrl()}/finished`, { method: 'POST', body });
  },
  ...(url && { webhook: { url, secret: 'a secret of the parity test' } }),
});
