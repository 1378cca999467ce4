/** The project of a stack with several accounts at each of two sites, and a site that asks for a person. */
import { type AccountOptions, defineCrawl } from 'strand-crawler';

const account = (name: string, site: string, secret: string): AccountOptions => ({
  name,
  hosts: [`www.${site}.test:*`],
  secret,
  async login({ get, post, form, secret: own }) {
    const { action, fields } = form(await get('/login'));
    await post(action, { ...fields, ...own });
  },
  signedIn: { text: 'Signed in as' },
});

export default defineCrawl({
  accounts: [
    ...['reader-0', 'reader-1', 'reader-2'].map((name) =>
      account(name, 'readers', `aws:secrets/strand-tests/many-members/${name}`),
    ),
    ...['writer-0', 'writer-1'].map((name) =>
      account(name, 'writers', `aws:ssm/strand-tests/many-members/${name}`),
    ),
  ],
  onChallenge: ({ refusal }) => (refusal === 'challenged' ? 'ask' : 'rest'),
});
