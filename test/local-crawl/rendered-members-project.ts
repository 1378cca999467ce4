/** The project of `rendered-members.test.ts`: `RENDERED_MEMBERS` has the site's host and the password. */
import { defineCrawl } from '../../shared/services/project/project.ts';
import { drawnReader } from '../web/members/drawn-reader.ts';

const { host = 'a.test' } = JSON.parse(process.env.RENDERED_MEMBERS ?? '{}');

export default defineCrawl({ accounts: [drawnReader(host, 'env:RENDERED_MEMBERS')] });
