/** The project of `rendered-members.test.ts`: `RENDERED_MEMBERS` has the site's host and the password. */
import { defineCrawl } from '../../shared/services/project/project.ts';

const { host = 'a.test' } = JSON.parse(process.env.RENDERED_MEMBERS ?? '{}');

export default defineCrawl({
  accounts: [
    {
      name: 'reader',
      hosts: [host],
      secret: 'env:RENDERED_MEMBERS',
      async login({ get, post, form, secret }) {
        const { action, fields } = form(await get('/login'));
        await post(action, { ...fields, word: secret.word });
      },
      check: '/api/me',
      signedIn: { text: '"user":' },
      limits: { loginsPerHour: 100 },
    },
  ],
});
