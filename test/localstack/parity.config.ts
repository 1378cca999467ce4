/** The project of the site that is crawled in both places. */
import { defineCrawl } from '../../api/index.ts';

export default defineCrawl({ onPage: ({ url, title }) => ({ url, title }) });
