/** DynamoDB's numbers: decimal texts of up to 38 digits, calculated exactly. */
import { invalid } from './dynamo-errors.ts';

/** `digits` times ten to the power of `exponent`; no trailing zeros. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** Texts that are as DynamoDB gives them, and exact as numbers of the language. */
const PLAIN = /^(?:0|-?[1-9]\d{0,14})$/;
const MAX_DIGITS = 38;
/** Magnitudes beyond 9.9e125 and below 1e-130 are refused (API reference, naming rules and data types). */
const MAX_MAGNITUDE = 125;
const MIN_MAGNITUDE = -130;

/** The number as DynamoDB gives it. Throws for what is none. */
export const normalNumber = (text: string): string => (PLAIN.test(text) ? text : format(parse(text)));

export function addNumbers(a: string, b: string, sign: 1 | -1 = 1): string {
  if (PLAIN.test(a) && PLAIN.test(b)) return String(Number(a) + sign * Number(b));
  const [x, y] = aligned(parse(a), parse(b));
  return format(trimmed(x.digits + BigInt(sign) * y.digits, x.exponent));
}

export function compareNumbers(a: string, b: string): number {
  if (PLAIN.test(a) && PLAIN.test(b)) return Number(a) - Number(b);
  const [x, y] = aligned(parse(a), parse(b));
  return x.digits < y.digits ? -1 : x.digits > y.digits ? 1 : 0;
}

function parse(text: string): Decimal {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (sign === undefined || whole + fraction === '')
    throw invalid(`The parameter cannot be converted to a numeric value: ${text}`);
  return trimmed(
    BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n),
    Number(exponent) - fraction.length,
  );
}

function trimmed(digits: bigint, exponent: number): Decimal {
  if (digits === 0n) return { digits, exponent: 0 };
  let [left, power] = [digits, exponent];
  while (left % 10n === 0n) {
    left /= 10n;
    power++;
  }
  const length = String(left).replace('-', '').length;
  const magnitude = power + length - 1;
  if (length > MAX_DIGITS) throw invalid('Attempting to store more than 38 significant digits in a Number');
  if (magnitude > MAX_MAGNITUDE || magnitude < MIN_MAGNITUDE)
    throw invalid(`Number overflow or underflow: a magnitude of ${magnitude}`);
  return { digits: left, exponent: power };
}

function aligned(a: Decimal, b: Decimal): [Decimal, Decimal] {
  const exponent = Math.min(a.exponent, b.exponent);
  const at = (decimal: Decimal): Decimal => ({
    digits: decimal.digits * 10n ** BigInt(decimal.exponent - exponent),
    exponent,
  });
  return [at(a), at(b)];
}

function format({ digits, exponent }: Decimal): string {
  if (exponent >= 0) return String(digits * 10n ** BigInt(exponent));
  const [sign, text] = digits < 0n ? ['-', String(-digits)] : ['', String(digits)];
  const padded = text.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}
