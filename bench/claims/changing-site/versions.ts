/** A site in several versions, whose differences are known: pages change, come, go and move; some have a clock. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import type { BenchDocument } from '../../harness/documents.ts';

export type Kind = 'new' | 'changed' | 'gone' | 'moved';

export interface TrueChange {
  readonly change: Kind;
  readonly path: string;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly location?: string;
}

export interface Versions {
  /** Pages of the folder. */
  readonly count: number;
  /** The answer of the site in that version. Undefined: it has no such page. */
  answer(version: number, path: string): Answer | undefined;
  /** The changes since the version before. */
  changesOf(version: number): TrueChange[];
  /** Paths of pages that are there in each version. */
  steady(): string[];
  /** A page that is another one in each version, and a word of each. */
  readonly always: { readonly path: string; readonly words: readonly string[] };
}

/** A page of a hundred does that in a version, about. */
const SHARES: Readonly<Record<'changed' | 'gone' | 'moved' | 'new', number>> = {
  changed: 12,
  gone: 4,
  moved: 3,
  new: 4,
};
const ALWAYS = '/always.html';
const NAME = 'documentation';

export function createVersions(documents: readonly BenchDocument[], count: number): Versions {
  const pages = documents.map(({ url, bytes }, i) => {
    const life = lifeOf(i, count);
    const { pathname } = new URL(url);
    // Other pages link to it: a page that is missing first is looked for only after a week.
    const path = life.from > 0 ? `/new${pathname}` : pathname;
    return { path, html: bytes.toString('utf8'), ...life };
  });
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const isThere = ({ from, until }: Life, version: number) => version >= from && version < until;
  const pathsIn = (version: number): string[] => [
    ...pages.flatMap((page) => {
      if (isThere(page, version)) return page.path;
      return page.movesAt !== undefined && version >= page.movesAt ? movedPath(page.path) : [];
    }),
    ALWAYS,
  ];
  const textOf = (path: string, page: Life & { readonly html: string }, version: number): string => {
    const edits = page.edits.filter((edit) => edit <= version);
    // A clock and a counter, which are no change.
    const clock = `<p>Printed at 12:${10 + version}:${30 + version}, visitor ${1000 * version + 7}.</p>`;
    const added = edits.map(
      (edit) => `<p>Since then ${wordOf(path, edit)} and ${wordOf(`${path}?`, edit)} hold.</p>`,
    );
    return `${page.html}\n${added.join('\n')}${page.hasClock ? clock : ''}`;
  };
  const always = Array.from({ length: count }, (_, version) => wordOf(ALWAYS, version));

  return {
    count: pages.length,
    answer(version, path) {
      if (path === '/') {
        const items = pathsIn(version).map((each) => `<li><a href="${each}">${each}</a>`);
        return { status: 200, body: `<!doctype html><title>${NAME}</title><ul>${items.join('\n')}</ul>` };
      }
      if (path === ALWAYS)
        return { status: 200, body: `<title>always</title><p>It says ${always[version]} today.</p>` };
      const page = byPath.get(path);
      if (page && isThere(page, version)) return { status: 200, body: textOf(path, page, version) };
      if (page?.movesAt !== undefined && version >= page.movesAt)
        return { status: 301, body: 'moved', location: movedPath(path) };
      const old = byPath.get(path.replace(/^\/moved/, ''));
      if (path.startsWith('/moved/') && old?.movesAt !== undefined && version >= old.movesAt)
        return { status: 200, body: textOf(old.path, { ...old, edits: [], hasClock: false }, version) };
      return undefined;
    },
    changesOf(version) {
      const changes: TrueChange[] = [{ change: version === 0 ? 'new' : 'changed', path: ALWAYS }];
      // The list of all pages: its text has the paths, which are addresses and so no text.
      if (version === 0) changes.push({ change: 'new', path: '/' });
      for (const page of pages) {
        const { path, from, until, movesAt, edits } = page;
        if (version === from) changes.push({ change: 'new', path });
        else if (version === movesAt)
          changes.push({ change: 'moved', path }, { change: 'new', path: movedPath(path) });
        else if (version === until) changes.push({ change: 'gone', path });
        else if (isThere(page, version) && edits.includes(version)) changes.push({ change: 'changed', path });
      }
      return changes;
    },
    steady: () => pages.filter(({ from, until }) => from === 0 && until >= count).map(({ path }) => path),
    always: { path: ALWAYS, words: always },
  };
}

/** In which versions a page is there, and in which it changes. */
interface Life {
  readonly from: number;
  /** The first version without it. */
  readonly until: number;
  readonly movesAt?: number;
  readonly edits: readonly number[];
  readonly hasClock: boolean;
}

function lifeOf(page: number, count: number): Life {
  const draw = (n: number) => mixHash(page * 31 + n) % 100;
  const at = 1 + (mixHash(page * 7 + 1) % (count - 1));
  const { gone, moved } = SHARES;
  const lot = draw(1);
  const isNew = lot >= 100 - SHARES.new;
  const isMoved = lot >= gone && lot < gone + moved;
  const from = isNew ? at : 0;
  const edits = Array.from({ length: count }, (_, version) => version).filter(
    (version) => version > from && draw(2 + version) < SHARES.changed,
  );
  return {
    from,
    until: lot < gone + moved ? at : count,
    ...(isMoved && { movesAt: at }),
    edits,
    hasClock: draw(50) < 30,
  };
}

const movedPath = (path: string): string => `/moved${path}`;

/** Letters alone: digits do not count as text. */
const wordOf = (path: string, version: number): string => {
  let hash = version + 1;
  for (let at = 0; at < path.length; at++) hash = mixHash(hash * 31 + path.charCodeAt(at));
  return `w${hash.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)}`;
};

export interface VersionedSite extends Pick<Versions, 'always'> {
  readonly url: string;
  readonly log: readonly { readonly path: string; readonly status: number }[];
  /** The version that is served from now on. */
  show(version: number): void;
  close(): Promise<void>;
}

/** Serves the versions on a loopback address. Pages have an ETag each second page, so that some are answered by 304. */
export async function serveVersions(versions: Versions): Promise<VersionedSite> {
  const log: { path: string; status: number }[] = [];
  let version = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const { status, body, location } = versions.answer(version, path) ?? {
      status: 404,
      body: 'There is no such page.',
    };
    const etag = mixHash(path.length) % 2 === 0 && status === 200 ? `"${mixHash(hashOf(body))}"` : undefined;
    const isKnown = etag !== undefined && request.headers['if-none-match'] === etag;
    log.push({ path, status: isKnown ? 304 : status });
    response.writeHead(isKnown ? 304 : status, {
      ...(etag !== undefined && { etag }),
      ...(location !== undefined && { location }),
      ...(!isKnown && { 'content-type': 'text/html; charset=utf-8' }),
    });
    response.end(isKnown ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.61.0.1', resolve));
  return {
    always: versions.always,
    url: `http://127.61.0.1:${(server.address() as AddressInfo).port}`,
    log,
    show(next) {
      version = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
