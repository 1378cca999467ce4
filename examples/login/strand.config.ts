import { defineCrawl } from 'strand-crawler';

const { MEMBERS_HOST = '127.0.0.1:8102' } = process.env;

export default defineCrawl({
  crawl: { delayMs: 200 },
  accounts: [
    {
      name: 'reader',
      hosts: [MEMBERS_HOST],
      secret: 'env:MEMBERS_SECRET',
      async login({ get, post, form, secret }) {
        const { action, fields } = form(await get('/login'));
        await post(action, { ...fields, ...secret });
      },
      signedIn: { text: 'For members only' },
    },
  ],
  onPage: ({ url, title }) => ({ url, title }),
});
