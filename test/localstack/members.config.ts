/** The project of a stack whose accounts have their secrets in the Secrets Manager and in the Systems Manager. */
import { type AccountOptions, defineCrawl } from 'strand-crawler';

const account = (name: string, secret: string): AccountOptions => ({
  name,
  hosts: [`*.${name}s.test:*`],
  secret,
  async login({ get, post, form, secret: own }) {
    const { action, fields } = form(await get('/login'));
    await post(action, { ...fields, ...own });
  },
  signedIn: { text: 'Signed in as' },
  limits: { restMs: 1_800_000 },
});

export default defineCrawl({
  accounts: [
    account('reader', 'aws:secrets/strand-tests/members/reader'),
    account('writer', 'aws:ssm/strand-tests/members/writer'),
  ],
});
