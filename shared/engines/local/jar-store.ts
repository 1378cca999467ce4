/**
 * Jars in the crawl's database. Their cookies are encrypted, so that nobody else who has the folder can use them, and so is the page
 * on which a login has ended: its path may be what signs in.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { StoredJar } from '../../core/access/stored-jar.ts';
import type { JarKey, JarStore } from '../../crawler/ports/jar-store.ts';
import { ownKey } from './folder-trust.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const NO_COOKIES = '[]';

/**
 * `keyFile`: the key of this user, from which that of the cookies is derived. Without it, or where it cannot be kept, only this
 * object can read the cookies that it has stored.
 */
export function createJarStore(database: DatabaseSync, keyFile: string | undefined): JarStore {
  const ofKey = 'FROM jars WHERE crawl = ? AND domain = ? AND account = ?';
  const select = database.prepare(`SELECT jar, cookies ${ofKey}`);
  const insert = database.prepare(
    `INSERT INTO jars (crawl, domain, account, version, jar, cookies) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare(
    'UPDATE jars SET version = ?, jar = ?, cookies = ? WHERE crawl = ? AND domain = ? AND account = ? AND version = ?',
  );
  const selectAll = database.prepare(
    "SELECT domain, account, jar FROM jars WHERE crawl = ? AND account <> ''",
  );
  let sealing: Buffer | undefined;
  const key = () => {
    sealing ??= sealingKey((keyFile && ownKey(keyFile)) || randomBytes(32));
    return sealing;
  };

  return {
    async load(crawl, { domain, account = '' }) {
      const row = select.get(crawl, domain, account) as { jar: string; cookies: Uint8Array } | undefined;
      if (row === undefined) return undefined;
      const [cookies = NO_COOKIES, landing] = opened(row.cookies, key())?.split('\n') ?? [];
      const { account: state, ...jar } = jarOf(row.jar);
      return { ...jar, ...(state && { account: { ...state, ...(landing && { landing }) } }), cookies };
    },
    async replace(crawl, { domain, account = '' }, { cookies, ...jar }) {
      const { landing = '', ...state } = jar.account ?? {};
      const text = JSON.stringify({ ...jar, ...(jar.account && { account: state }) });
      // No JSON without spaces has a line's end.
      const sealed = seal(`${cookies}\n${landing}`, key());
      const { changes } =
        jar.version === 1
          ? insert.run(crawl, domain, account, jar.version, text, sealed)
          : update.run(jar.version, text, sealed, crawl, domain, account, jar.version - 1);
      return changes === 1;
    },
    async *accounts(crawl) {
      const rows = selectAll.all(crawl) as { domain: string; account: string; jar: string }[];
      for (const { domain, account, jar } of rows) {
        const key: JarKey = account === '' ? { domain } : { domain, account };
        yield { key, jar: jarOf(jar) };
      }
    },
  };
}

const jarOf = (text: string): Omit<StoredJar, 'cookies'> => JSON.parse(text);

const sealingKey = (key: Buffer): Buffer => Buffer.from(hkdfSync('sha256', key, '', 'strand cookies 1', 32));

function seal(text: string, key: Buffer): Uint8Array {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), bytes]);
}

/** Undefined if another key has sealed it. */
function opened(sealed: Uint8Array, key: Buffer): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES));
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)),
      decipher.final(),
    ]).toString();
  } catch {
    return undefined;
  }
}
