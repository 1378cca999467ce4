/** The project of the stack with faults: an item for each page. */
import { defineCrawl } from '../../../shared/services/project/project.ts';

export default defineCrawl({
  onPage({ url, $ }) {
    // Left behind by a hook, it must end no worker.
    void Promise.reject(new Error('nobody waits for this'));
    return { url, links: $('a[href]').length };
  },
});
