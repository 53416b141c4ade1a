import { jsonTokens } from '../json-text.ts';

/** As long as the largest number is when it is written out, and longer than any that a person types. */
const LONGEST = 400;

/**
 * The first number that would be sent with another value than the one that is written, or `undefined`: those that no
 * double holds (12345678901234567890, 0.30000000000000001, 1e999). How a value is written does not matter (1.0, 1e3).
 *
 * @param json well-formed.
 */
export function inexactNumber(json: string): string | undefined {
  for (const { kind, start, end } of jsonTokens(json)) {
    if (kind !== 'number') continue;
    const number = json.slice(start, end);
    if (!isExact(number)) return number;
  }
  return undefined;
}

function isExact(text: string): boolean {
  const number = Number(text);
  if (text.length > LONGEST || !Number.isFinite(number)) return false;
  return decimalOf(text) === decimalOf(String(number));
}

/** One spelling for each value: the digits that count, and a power of ten. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const counting = digits.replace(/0+$/, '');
  if (counting === '') return '0';
  return `${sign}${counting}e${Number(exponent) - fraction.length + digits.length - counting.length}`;
}
