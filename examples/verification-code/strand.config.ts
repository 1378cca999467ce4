import { defineCrawl } from 'strand-crawler';
import { readCode } from './read-code.ts';

const { MEMBERS_HOST = '127.0.0.1:8106' } = process.env;

export default defineCrawl({
  crawl: { delayMs: 200 },
  accounts: [
    {
      name: 'reader',
      hosts: [MEMBERS_HOST],
      secret: 'env:MEMBERS_SECRET',
      async login({ get, post, form, secret }) {
        let page = await get('/login');
        // A second picture if the first was misread, and no third: the site locks the account after three wrong codes.
        for (let pictures = 0; pictures < 2; pictures++) {
          const source = page.$('img.code').attr('src');
          if (source === undefined) return;
          const { action, fields } = form(page);
          const code = await readCode((await get(source)).bytes);
          page = await (code === undefined ? get('/login') : post(action, { ...fields, ...secret, code }));
        }
      },
      signedIn: { text: 'For members only' },
    },
  ],
  onPage: ({ url, title }) => ({ url, title }),
});
