/**
 * Makes a response's header readable for undici's strict parser, where browsers read it too. Where two readers could
 * disagree about the body's end (RFC 9112, section 6.3: request smuggling begins there), the connection is closed after
 * it; several lengths are refused, as browsers do.
 */
import { KnownFailure } from './failure.ts';

/** A header that was repaired. */
export interface RepairedHead {
  readonly status: number;
  /** The reason phrase as received, with control characters replaced by spaces. */
  readonly reason: string;
  /** {@link framingOf} */
  readonly isChunked: boolean;
  /** The header for the parser: the status line, and the fields that say how the body is framed. */
  readonly bytes: Buffer;
  /** All its fields as received, but with folded lines joined and control characters replaced by spaces. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/**
 * Matches a header that a strict parser reads: nearly all headers. Lines end with CRLF, the reason is ASCII, names are
 * tokens, values have no control characters.
 */
const CLEAN =
  /^HTTP\/1\.[01] [1-9]\d\d(?: [\t\x20-\x7e]*)?\r\n(?:[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
const FRAMING = /\r\n(?:content-length|transfer-encoding):/gi;
const PLAIN_LENGTH = /\r\ncontent-length: ?\d{1,15}\r\n/i;
const CHUNKED = /\r\ntransfer-encoding: ?chunked\r\n/i;

/**
 * Returns whether the body is chunked, if the parser reads the header (Latin-1, with its empty line) as it is, and as
 * browsers do; otherwise undefined.
 */
export function cleanFraming(head: string): { readonly isChunked: boolean } | undefined {
  if (!CLEAN.test(head)) return undefined;
  const count = head.match(FRAMING)?.length ?? 0;
  if (count === 0 || (count === 1 && PLAIN_LENGTH.test(head))) return UNCHUNKED;
  return count === 1 && CHUNKED.test(head) ? IN_CHUNKS : undefined;
}

const UNCHUNKED = { isChunked: false };
const IN_CHUNKS = { isChunked: true };

const VERSION = /^HTTP(?:\/(\d{1,3})(?:\.(\d{1,3}))?)?/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern replaces them
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/g;

/**
 * Repairs a header given as Latin-1 with its empty line. Throws {@link KnownFailure} for a header that must
 * not be interpreted.
 */
export function repairHead(head: string): RepairedHead {
  const [first = '', ...lines] = head
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const statusLine = first.replace(CONTROL, ' ');
  const { version, status, reason } = statusOf(statusLine);
  if (!version || status.length !== 3 || status < '100')
    throw new KnownFailure('malformedResponse', `the response has no status: ${quoted(statusLine)}`);
  const [, major = '1', minor = '0'] = version;
  const fields = fieldsOf(lines);
  const isOld = Number(major) < 1 || (major === '1' && minor === '0');
  const { isChunked, framing } = framingOf(fields);
  const text = [`HTTP/1.${isOld ? 0 : 1} ${status} `, ...framing, '', ''].join('\r\n');
  return {
    status: Number(status),
    reason,
    isChunked,
    bytes: Buffer.from(text, 'latin1'),
    fields,
  };
}

/**
 * Reads the status line as browsers do: any text before the first blank counts as the version, the blank behind the
 * status may be missing, and without a status it is 200.
 */
function statusOf(line: string) {
  const blank = line.search(/[\t ]/);
  const rest = blank < 0 ? '' : trimBlanks(line.slice(blank));
  const digits = /^\d*/.exec(rest)?.[0] as string;
  return {
    version: VERSION.exec(line),
    status: digits || '200',
    reason: trimBlanks(rest.slice(digits.length)),
  };
}

/** The first characters of what came, for a message. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60).replace(/[^\x20-\x7e]/g, '.'));
}

/** Lines that are not fields are left out, as in browsers: without a colon, or without a name. */
function fieldsOf(lines: readonly string[]): [string, string][] {
  const fields: { name: string; parts: string[] }[] = [];
  for (const line of lines) {
    if (line === '') continue;
    if (line.startsWith(' ') || line.startsWith('\t')) {
      fields.at(-1)?.parts.push(line);
      continue;
    }
    const colon = line.indexOf(':');
    const name = trimBlanks(line.slice(0, Math.max(colon, 0)));
    if (/^[\x21-\x7e\x80-\xff]+(?: [\x21-\x7e\x80-\xff]+)*$/.test(name))
      fields.push({ name, parts: [line.slice(colon + 1)] });
    else fields.push({ name: '', parts: [] });
  }
  return fields
    .filter(({ name }) => name !== '')
    .map(({ name, parts }) => [
      name,
      trimBlanks(parts.map((part) => trimBlanks(part.replace(CONTROL, ' '))).join(' ')),
    ]);
}

/**
 * The fields that say where the body ends and whether the connection stays, in a form that can be read in one way only.
 * As in browsers, chunks take precedence over a length (RFC 9112, section 6.3), and other transfer codings do not frame the body
 * (`transfer-codings.ts` undoes those that are known).
 * The connection is closed after both, since a server in between may have gone by the other field.
 */
function framingOf(fields: readonly (readonly [string, string])[]): {
  readonly isChunked: boolean;
  readonly framing: readonly string[];
} {
  const valuesOf = (wanted: string) =>
    fields.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  const codings = valuesOf('transfer-encoding')
    .flatMap((value) => tokensOf(value.toLowerCase()))
    .filter((coding) => coding !== 'identity');
  const lengths = [
    ...new Set(
      valuesOf('content-length')
        .flatMap(tokensOf)
        .map((text) => text.replace(/^0+(?=\d)/, '')),
    ),
  ];
  const [length] = lengths;
  const connection = ['connection', 'keep-alive'].flatMap((name) =>
    valuesOf(name).map((value) => `${name}: ${value}`),
  );
  const isChunked = codings.includes('chunked');
  if (isChunked) {
    const isPlain = length === undefined && codings.every((coding) => coding === 'chunked');
    return {
      isChunked,
      framing: ['transfer-encoding: chunked', ...(isPlain ? connection : ['connection: close'])],
    };
  }
  if (lengths.length > 1)
    throw new KnownFailure(
      'ambiguousLength',
      `the response has several lengths: ${quoted(lengths.join(', '))}`,
    );
  // As browsers do: a length that is not a number is ignored, so the body ends with the connection.
  const isLength = length !== undefined && /^\d{1,15}$/.test(length);
  const isPlain = codings.length === 0 && (isLength || length === undefined);
  return {
    isChunked,
    framing: [
      ...(isPlain ? connection : ['connection: close']),
      ...(isLength ? [`content-length: ${length}`] : []),
    ],
  };
}

const tokensOf = (value: string): string[] => value.split(',').map(trimBlanks);

/**
 * Without spaces and tabs at its ends. `trim` takes a no-break space (0xA0) for a space, too, which no other
 * reader does.
 */
function trimBlanks(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t';
  let begin = 0;
  let end = text.length;
  while (begin < end && isBlank(begin)) begin++;
  while (end > begin && isBlank(end - 1)) end--;
  return text.slice(begin, end);
}
