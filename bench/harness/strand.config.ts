/**
 * A project's file, as a user has one. In the same place for all runs, as a user's is: what is compiled is
 * cached by that.
 */
import { CRAWL } from './crawl-config.ts';

export default { crawl: CRAWL };
