/** A crawl that renders, on a disk that is full before it has ended. */
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { needs } from '../needs.ts';

const PAGES = 9;
const STRAND = join(import.meta.dirname, '../../cli/strand.ts');
const APP = `fetch('/api' + location.pathname).then((r) => r.text()).then((html) => { root.innerHTML = html; });`;
const SHELL = '<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>';

/** A disk of 2.6 MB, on which the browser has its folder, too; then one of 100 MB. */
const SCRIPT = `exec 2>&1; mount -t tmpfs -o size=2600k tmpfs "$1" || exit 77
shift; folder=$1; shift
"$@"; echo "code $?"
echo "browsers $(grep -als "[u]ser-data-dir=$folder" /proc/[0-9]*/cmdline | wc -l)"
mount -o remount,size=100m "$(dirname "$folder")"
"$1" "$2" resume "$folder"; echo "code $?"
"$1" "$2" warc check "$folder"`;

function hasNoMounts(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'true'], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
}

needs('browser').skipIf(hasNoMounts())(
  'on a full disk the crawl says so, leaves no browser, and loses no page',
  async () => {
    const server = createServer(({ url = '/' }, response) => {
      const send = (type: string, body: string) => response.setHeader('content-type', type).end(body);
      const links = Array.from({ length: PAGES }, (_, i) => `<a href=/p/${i}>${i}</a> `).join('');
      if (url === '/robots.txt') return response.writeHead(404).end();
      if (url === '/app.js') return send('text/javascript', APP);
      if (!url.startsWith('/api/')) return send('text/html', SHELL);
      send('text/html', `${links}<p>${randomBytes(200_000).toString('base64')}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.78.4.3', resolve));
    const parent = mkdtempSync(join(tmpdir(), 'strand-full-disk-'));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
      rmSync(parent, { recursive: true, force: true });
    });
    const { port } = server.address() as AddressInfo;
    const folder = join(parent, 'c');
    const options = ['--render', 'always', '--keep-rendered', '--allow-private-addresses=127.0.0.0/8'];
    const more = ['--contact', 'me@example.org', '--delay', '0', '--out', folder];
    const crawl = [process.execPath, STRAND, 'crawl', `http://127.78.4.3:${port}/`, ...options, ...more];
    const words = ['-rm', 'sh', '-c', SCRIPT, 'sh', parent, folder, ...crawl];
    const { stdout } = await promisify(execFile)('unshare', words, { maxBuffer: 1e8 });
    expect(stdout).toMatch(/The disk is full .* strand resume .*\ncode 1\nbrowsers 0\n/);
    expect(stdout).toContain(`Rendered    ${PAGES + 1} pages`);
    const conversions = [...stdout.matchAll(/(\d+) conversion/g)].map(([, count]) => Number(count));
    expect(conversions.reduce((sum, count) => sum + count, 0)).toBe(PAGES + 1);
    expect(stdout).not.toMatch(/[1-9]\d* errors/);
  },
  400_000,
);
