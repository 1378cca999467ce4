import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { CrawlId } from '../../crawl/crawl-id.ts';
import { createLimit } from '../../create-limit.ts';
import { type Head, parseHead } from '../../frontier/head.ts';
import type { LedgerStore } from '../../ports/ledger-store.ts';
import { StaleTurn } from '../../ports/stale-turn.ts';
import type { HostKey } from '../../url/host-key.ts';
import { syncFolder } from './archive/archive-names.ts';
import { inTransaction } from './database.ts';

/** Larger parts are files: SQLite would copy them through its journal, and read them whole for a piece. */
const MAX_ROW_BYTES = 64 * 1024;
/** Files open at once: hundreds of hosts may want theirs in one moment, and descriptors are few. */
const MAX_OPEN_FILES = 4;

/**
 * Heads and parts in SQLite, large parts as files in `folder`. `onCommit` is called for each head that was
 * replaced, so that the crawl's totals need no reading.
 */
export function createLedgerStore(
  database: DatabaseSync,
  folder: string,
  onCommit: (crawl: CrawlId, before: Head | undefined, after: Head) => void = () => {},
): LedgerStore {
  const selectHead = database.prepare('SELECT head FROM heads WHERE crawl = ? AND host = ?');
  const insertHead = database.prepare(
    'INSERT INTO heads (crawl, host, version, due_at, head) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const updateHead = database.prepare(
    'UPDATE heads SET version = ?, due_at = ?, head = ? WHERE crawl = ? AND host = ? AND version = ?',
  );
  const insertPart = database.prepare(
    'INSERT OR REPLACE INTO parts (crawl, host, name, bytes, file) VALUES (?, ?, ?, ?, ?)',
  );
  const selectPart = database.prepare(
    'SELECT bytes, file FROM parts WHERE crawl = ? AND host = ? AND name = ?',
  );
  const deletePart = database.prepare(
    'DELETE FROM parts WHERE crawl = ? AND host = ? AND name = ? RETURNING file',
  );
  const selectNames = database.prepare('SELECT name FROM parts WHERE crawl = ? AND host = ?');
  const selectHosts = database.prepare(
    'SELECT host, head FROM heads WHERE crawl = ? AND host > ? ORDER BY host LIMIT 500',
  );
  const selectDue = database.prepare(
    'SELECT host, version FROM heads WHERE crawl = ? AND (due_at <= ? OR due_at > ?) ORDER BY due_at LIMIT ?',
  );

  const withFile = createLimit(MAX_OPEN_FILES);

  const loadHead = (crawl: CrawlId, host: HostKey): Head | undefined => {
    const row = selectHead.get(crawl, host) as { head: string } | undefined;
    return row && parseHead(row.head);
  };

  return {
    async loadHead(crawl, host) {
      return loadHead(crawl, host);
    },

    async commit(crawl, host, next) {
      const before = loadHead(crawl, host);
      const text = JSON.stringify(next);
      const { changes } =
        next.version === 1
          ? insertHead.run(crawl, host, next.version, next.dueAt ?? null, text)
          : updateHead.run(next.version, next.dueAt ?? null, text, crawl, host, next.version - 1);
      if (changes === 0)
        throw new StaleTurn(
          `${host} is at version ${before?.version}, not ${next.version - 1}: another turn went first`,
        );
      onCommit(crawl, before, next);
    },

    async putPart(crawl, host, name, bytes) {
      if (bytes.length <= MAX_ROW_BYTES) {
        insertPart.run(crawl, host, name, bytes, null);
        return;
      }
      const file = join(hashOf(`${crawl} ${host}`), `${name}`);
      await withFile(() => writeDurably(join(folder, file), bytes));
      insertPart.run(crawl, host, name, null, file);
    },

    async readPart(crawl, host, name, offset = 0, length) {
      const row = selectPart.get(crawl, host, name) as { bytes?: Uint8Array; file?: string } | undefined;
      if (!row) throw new Error(`the part ${name} of ${host}'s ledger is not there`);
      if (row.bytes) return row.bytes.subarray(offset, length === undefined ? undefined : offset + length);
      const path = join(folder, row.file as string);
      return withFile(() =>
        length === undefined && offset === 0 ? readFile(path) : readRange(path, offset, length),
      );
    },

    async listParts(crawl, host) {
      return selectNames.all(crawl, host).map((row) => row.name as string);
    },

    async deleteParts(crawl, host, names) {
      const rows = inTransaction(database, () => names.map((name) => deletePart.get(crawl, host, name)));
      // Commits are synced by checkpoints alone: a head that still names a file must not be found after a
      // loss of power when the file is gone. A checkpoint could be refused, as another thread is at it; a
      // sync cannot.
      if (rows.some((row) => row?.file)) await withFile(() => syncFile(`${database.location()}-wal`));
      for (const row of rows) if (row?.file) await rm(join(folder, row.file as string), { force: true });
    },

    async *hosts(crawl) {
      for (let last = ''; ; ) {
        const rows = selectHosts.all(crawl, last) as { host: string; head: string }[];
        for (const { host, head } of rows) yield { host, head: parseHead(head) };
        if (rows.length === 0) return;
        last = (rows.at(-1) as { host: string }).host;
      }
    },

    async dueHosts(crawl, now, limit, farAfter = Number.MAX_SAFE_INTEGER) {
      return selectDue.all(crawl, now, farAfter, limit) as { host: string; version: number }[];
    },
  };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 24);

/** `path`: in a host's folder in the folder of all ledgers. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const ledgers = dirname(folder);
  await mkdir(folder, { recursive: true });
  // Also where the folders were there: a process that died may have made them and synced nothing. Without
  // changes it is quick.
  await syncFolder(dirname(ledgers));
  await syncFolder(ledgers);
  const file = await open(path, 'w');
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  await syncFolder(folder);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function readRange(path: string, offset: number, length: number | undefined): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const wanted = length ?? (await file.stat()).size - offset;
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
