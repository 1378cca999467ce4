/** The project of the site that is crawled in both places. */
import { defineCrawl } from '../../api/index.ts';

/** Known when the site's server listens. */
const url = process.env.PARITY_WEBHOOK;

export default defineCrawl({
  onPage: ({ url, title }) => ({ url, title }),
  ...(url && { webhook: { url, secret: 'a secret of the parity test' } }),
});
