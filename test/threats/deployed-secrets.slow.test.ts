/**
 * Threat: who may describe the stack, read its template, its functions or the log of its deployment, reads the secrets of the
 * project's file there. They are refused at deployment, and the refusal does not show them.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { SECRET_KEYS } from '../../shared/core/crawl/secret-keys.ts';
import { synthesized } from '../cdk/synthesized.ts';

const MARK = 'MARKED-SECRET-0123456789';

const SECRETS: Readonly<Record<(typeof SECRET_KEYS)[number], readonly CrawlOptions[]>> = {
  headers: [
    { headers: { 'a.test': { 'x-api-key': MARK } } },
    { headers: { '*': { 'Accept-Language': 'de' }, 'a.test': { Authorization: `Bearer ${MARK}` } } },
  ],
  cookies: [{ cookies: [{ domain: 'a.test', name: 'id', value: MARK }] }],
  auth: [{ auth: { 'a.test': `user:${MARK}` } }],
  clientCertificates: [
    {
      clientCertificates: [
        {
          hosts: ['a.test'],
          certificate: '-----BEGIN CERTIFICATE-----',
          key: `-----BEGIN PRIVATE KEY-----${MARK}`,
        },
      ],
    },
  ],
  proxies: [
    { proxies: [{ url: `http://user:${MARK}@proxy.test:8080` }] },
    { proxies: [{ url: 'http://open.test:8080' }, { url: `socks5://${MARK}@proxy.test:1080` }] },
  ],
  identity: [{ identity: { agent: 'https://a.test', key: { kty: 'OKP', crv: 'Ed25519', x: 'x', d: MARK } } }],
};

describe('secrets of a deployed project', () => {
  test.each(SECRET_KEYS.flatMap((key) => SECRETS[key]!.map((crawl, i) => [key, i, crawl] as const)))(
    '%s are refused by name (%i)',
    (key, _, crawl) => {
      let message = '';
      try {
        synthesized({}, crawl);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toMatch(new RegExp(`crawl\\.${key}`));
      expect(message).not.toContain(MARK);
    },
  );

  test('what is no secret is deployed: harmless headers, proxies without a password', () => {
    const crawl = {
      headers: { '*': { 'Accept-Language': 'de' } },
      proxies: [{ url: 'http://proxy.test:8080' }],
      auth: {},
    };
    const text = JSON.stringify(synthesized({}, crawl).template.toJSON());
    expect(text).toContain('Accept-Language');
    expect(text).toContain('proxy.test');
  });
});

/** Synthesizes the app of the repository with that file of a project. Returns all that it printed and wrote. */
async function synthesizedBy(project: string, ...context: string[]): Promise<string> {
  const root = join(import.meta.dirname, '../..');
  const folder = mkdtempSync(join(tmpdir(), 'strand-secrets-'));
  try {
    const config = join(folder, 'strand.config.ts');
    writeFileSync(config, project);
    const CDK_CONTEXT_JSON = JSON.stringify({
      config,
      'aws:cdk:bundling-stacks': [],
      ...Object.fromEntries(context.map((one) => one.split('='))),
    });
    const env = {
      ...process.env,
      CDK_OUTDIR: join(folder, 'out'),
      CDK_CONTEXT_JSON,
      CDK_DEFAULT_ACCOUNT: '',
    };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(root, 'cdk/app.ts')], {
      env,
      cwd: folder,
    }).catch((error) => error);
    return stdout + stderr;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the webhook of a deployed project', () => {
  const project = `export default { webhook: { url: 'https://a.test/${MARK}', secret: '${MARK}' } };`;

  test('is refused unless the stack has one of its own in a parameter', async () => {
    const said = await synthesizedBy(project);
    expect(said).toContain('set the option webhookParameter');
    expect(said).not.toContain(MARK);
  });

  test('is in no template if it has', async () => {
    const { template } = synthesized({ webhookParameter: '/strand/webhook' });
    expect(JSON.stringify(template.toJSON())).toContain('/strand/webhook');
    expect(await synthesizedBy(project, 'webhookParameter=/strand/webhook')).not.toContain(MARK);
  });
});
