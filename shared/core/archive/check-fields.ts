/** Checks a record's named fields against the standard (ISO 28500:2017, sections 5 and 6). */
import { parseDigest } from './digest.ts';
import { fieldOf, type WarcRecordHead } from './read-warc.ts';

/** `error`: the record breaks the standard, or is not what it says. `warning`: a reader may trip over it. */
export type Severity = 'error' | 'warning';
export type NoteFault = (severity: Severity, message: string) => void;

const TYPES = [
  'warcinfo',
  'response',
  'resource',
  'request',
  'metadata',
  'revisit',
  'conversion',
  'continuation',
];

const WITH_TARGET = ['response', 'resource', 'request', 'revisit', 'conversion', 'continuation'];
const ID_FIELDS = ['WARC-Record-ID', 'WARC-Concurrent-To', 'WARC-Refers-To', 'WARC-Warcinfo-ID'];
const DIGEST_FIELDS = ['WARC-Block-Digest', 'WARC-Payload-Digest'];

const ID = /^<[A-Za-z][A-Za-z0-9+.-]*:[^<>\s]+>$/;
const DATE_1_0 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
/** Section 5.4: as exact as is known, from the year to the nanosecond. */
const DATE_1_1 = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z)?)?)?$/;
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f.]*:[0-9a-f:.]*)$/i;
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*$/;

const PROFILES = /^https?:\/\/netpreserve\.org\/warc\/1\.[01]\/revisit\/([a-z-]+)$/;
const DIGEST_LABEL = /^(?:md5|sha-?1|sha-?256|sha-?512):/i;

/** Notes the faults of the fields. */
export function checkFields(record: WarcRecordHead, note: NoteFault): void {
  const type = fieldOf(record, 'WARC-Type');
  const has = (name: string) => Boolean(fieldOf(record, name));
  for (const name of ['WARC-Type', 'WARC-Record-ID', 'WARC-Date'])
    if (!has(name)) note('error', `expected ${name}, got none`);
  if (type && !TYPES.includes(type)) note('warning', `WARC-Type ${quote(type)} is none of the standard's`);
  checkRepeats(record, note);
  checkForms(record, note);
  if (type && WITH_TARGET.includes(type) && !has('WARC-Target-URI'))
    note('error', `expected WARC-Target-URI in a ${type} record, got none`);
  if (type === 'warcinfo' && has('WARC-Target-URI')) note('error', 'expected no WARC-Target-URI in warcinfo');
  if (record.blockLength > 0 && type !== 'continuation' && !has('Content-Type'))
    note('warning', 'expected Content-Type of a block that is not empty, got none');
  if (type === 'continuation' && !(has('WARC-Segment-Origin-ID') && has('WARC-Segment-Number')))
    note('error', 'expected WARC-Segment-Origin-ID and WARC-Segment-Number in a continuation record');
  if (type === 'revisit') checkRevisit(record, note);
}

/** Section 5.7, and a field that is newer than the standard. */
const REPEATABLE: ReadonlySet<string> = new Set(['warc-concurrent-to', 'warc-protocol']);

function checkRepeats({ fields }: WarcRecordHead, note: NoteFault): void {
  const seen = new Set<string>();
  for (const [name] of fields) {
    const key = name.toLowerCase();
    if (seen.has(key) && key.startsWith('warc-') && !REPEATABLE.has(key))
      note('error', `expected ${name} once`);
    if (seen.has(key) && key === 'content-length') note('error', 'expected Content-Length once');
    seen.add(key);
  }
}

function checkForms(record: WarcRecordHead, note: NoteFault): void {
  const check = (name: string, isRight: (value: string) => boolean, expected: string) => {
    const value = fieldOf(record, name);
    if (value && !isRight(value)) note('error', `${name}: expected ${expected}, got ${quote(value)}`);
  };
  for (const name of ID_FIELDS) check(name, (value) => ID.test(value), 'a URI in <>');
  const date = record.version === '1.0' ? DATE_1_0 : DATE_1_1;
  for (const name of ['WARC-Date', 'WARC-Refers-To-Date'])
    check(name, (value) => date.test(value) && isDay(value), `a UTC time as of WARC/${record.version}`);
  // WARC 1.0 put target URIs in <>, against the practice of all tools.
  check('WARC-Target-URI', (value) => URI.test(value.replace(/^<(.*)>$/, '$1')), 'a URI');
  check('WARC-IP-Address', (value) => IP_ADDRESS.test(value), 'an IP address');
  for (const name of DIGEST_FIELDS) {
    const value = fieldOf(record, name);
    if (!value || parseDigest(value)) continue;
    if (DIGEST_LABEL.test(value)) note('error', `${name}: expected a whole digest, got ${quote(value)}`);
    else note('warning', `${name} ${quote(value)} is of an algorithm that cannot be checked here`);
  }
}

/** Whether the time's month, day and hour exist. */
function isDay(value: string): boolean {
  const given = value.replace(/(?:\.\d+)?Z$/, '');
  const whole = `${given}${'0000-01-01T00:00:00Z'.slice(given.length)}`;
  const at = Date.parse(whole);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 19) === whole.slice(0, 19);
}

function checkRevisit(record: WarcRecordHead, note: NoteFault): void {
  const profile = fieldOf(record, 'WARC-Profile');
  const name = PROFILES.exec(profile ?? '')?.[1];
  if (!profile) note('error', 'expected WARC-Profile in a revisit record, got none');
  if (name === 'identical-payload-digest' && !fieldOf(record, 'WARC-Payload-Digest'))
    note('error', 'expected WARC-Payload-Digest in a revisit of an identical payload, got none');
  if (profile && name !== 'identical-payload-digest' && name !== 'server-not-modified')
    note('warning', `WARC-Profile ${quote(profile)} is none of the standard's`);
  if (!fieldOf(record, 'WARC-Refers-To') && !fieldOf(record, 'WARC-Refers-To-Target-URI'))
    note('warning', 'expected WARC-Refers-To or WARC-Refers-To-Target-URI in a revisit record, got neither');
}

export const quote = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}...` : text);
