/** The project of a crawl behind a login: the same for each kind of site. `MEMBERS`: host and users, with commas between them. */
import { defineCrawl } from 'strand-crawler';

const [host = '', ...users] = (process.env.MEMBERS ?? '').split(',');

export default defineCrawl({
  crawl: { delayMs: 0, adaptive: false, contact: 'test@example.org' },
  accounts: users.map((name) => ({
    name,
    hosts: [host],
    secret: `env:SECRET_${name}`,
    async login({ get, post, form, secret }) {
      const { action, fields } = form(await get('/login'));
      await post(action, { ...fields, ...secret });
    },
    signedIn: { text: 'Signed in as' },
  })),
});
