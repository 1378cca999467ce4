/** A site behind a login whose pages are drawn by scripts. */
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startCrawl } from '../../api/index.ts';
import { needs } from '../needs.ts';
import { textsIn } from '../web/members/count-secrets.ts';
import { DRAWN_PAGES, startDrawnMembers } from '../web/members/drawn-site.ts';
import { QUICK, temporaryFolder } from './local-crawl.ts';

const PROJECT = join(import.meta.dirname, 'rendered-members-project.ts');

needs('browser')(
  'a site that scripts draw is crawled behind its login, and its scripts keep their cookies',
  async () => {
    const site = await startDrawnMembers('127.78.0.71');
    onTestFinished(site.close);
    const { folder, remove } = temporaryFolder();
    onTestFinished(remove);
    process.env.RENDERED_MEMBERS = JSON.stringify({ host: new URL(site.url).host, word: site.password });
    const running = await startCrawl({
      ...QUICK,
      seeds: [site.url],
      out: folder,
      project: PROJECT,
      render: 'always',
      keepRendered: true,
    });
    expect(await running.done).toMatchObject({ state: 'finished', pages: DRAWN_PAGES });
    expect(site.logins).toBeGreaterThan(1);
    expect(site.signOuts).toBe(0);
    expect(site.views).toContain('again');
    expect(site.views).not.toContain('none');
    const all = textsIn(folder).join('\n');
    for (let page = 0; page < DRAWN_PAGES; page++) expect(all).toContain(`<p>words of page ${page} [`);
    // Scripts see what the request for data has set, and no request has anything else than cookies of the site.
    for (const [index, cookie] of site.cookies.entries()) {
      expect(all).toMatch(new RegExp(`words of page ${index} \\[.*?\\] \\[.*?form=f${index + 1}`));
      expect(cookie.split('; ').map((pair) => pair.split('=')[0])).toEqual(
        expect.arrayContaining(['sid', 'view']),
      );
      expect(cookie).toMatch(/^(?:(?:sid|view|form)=[\w-]+(?:; |$))+$/);
    }
    for (const secret of site.secrets) expect(all).not.toContain(secret);
  },
);
