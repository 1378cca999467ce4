import { defineCrawl } from 'strand-crawler';
import { signIn } from './sign-in.ts';

const {
  MEMBERS_SITE = 'http://127.0.0.1:8102',
  MEMBERS_USER = 'reader',
  MEMBERS_PASSWORD = 'secret',
} = process.env;

export default defineCrawl({
  crawl: {
    delayMs: 200,
    // A crawler that follows the link that signs out has to sign in again.
    exclude: ['/login', '/logout'],
  },
  middleware: [
    signIn({
      origin: MEMBERS_SITE,
      loginPath: '/login',
      form: { user: MEMBERS_USER, password: MEMBERS_PASSWORD },
      pauseMs: 200,
    }),
  ],
  onPage: ({ url, title }) => ({ url, title }),
});
