/** A statement of a file of the site about the use of the content below a path. */
export interface PathStatement {
  readonly signal: 'tdm-reservation' | 'tdm-policy' | 'rsl';
  /** As written: a path with `*` and `$` as in robots.txt (RFC 9309, section 2.2.3). It begins with `/` or `*`. */
  readonly path: string;
  /** In one form for equal statements. */
  readonly value: string;
}

/** More statements of one file are left out. A file with that many states something about nearly each page. */
export const MAX_PATH_STATEMENTS = 1000;
/** A longer path is invalid. */
export const MAX_PATH_CHARS = 2083;
