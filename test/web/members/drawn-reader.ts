/** The account of a project that crawls the site of `drawn-site.ts`. */
import type { AccountOptions } from '../../../shared/services/project/project.ts';

/** `secret`: a reference to what has the site's password as `word`. */
export const drawnReader = (host: string, secret: string): AccountOptions => ({
  name: 'reader',
  hosts: [host],
  secret,
  async login({ get, post, form, secret }) {
    const { action, fields } = form(await get('/login'));
    await post(action, { ...fields, word: secret.word as string });
  },
  check: '/api/me',
  signedIn: { text: '"user":' },
  limits: { loginsPerHour: 100 },
});
