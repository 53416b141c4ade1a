type Key = string | number;

/** What stands between the two sides, by the name that the parser gives it. */
export const orderSigns: ReadonlyMap<unknown, string> = new Map([
  ['LT', '<'],
  ['LTE', '<='],
  ['GT', '>'],
  ['GTE', '>='],
]);

/**
 * Whether two values stand in an order: texts by code point, numbers by size; `null` where one of them is `null`.
 *
 * @throws {Error} where two other values are compared: they have no order.
 */
export function isInOrder(sign: string, one: unknown, other: unknown): boolean | null {
  if (one === null || other === null) return null;
  if (!isKey(one) || typeof one !== typeof other) {
    const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
    throw new Error(`${left} ${sign} ${right}: only two texts, or two numbers, have an order`);
  }
  // Both are of the same type, and that is one that has an order.
  const order = compare(one, other as Key);
  if (order === 0) return sign.endsWith('=');
  return sign.startsWith('<') === order < 0;
}

/**
 * The values in the order of their keys; those of equal keys keep theirs.
 *
 * @param name of the function, for the error.
 * @throws {Error} where the keys are not all texts, or all numbers.
 */
export function sorted<Value>(
  name: string,
  values: readonly Value[],
  keyOf: (value: Value) => unknown,
): Value[] {
  const keyed = values.map((value) => ({ value, key: keyOf(value) }));
  const wrong = keyed.find(({ key }) => !isKey(key) || typeof key !== typeof keyed[0]?.key);
  if (wrong !== undefined) {
    throw new Error(`${name}() takes texts alone, or numbers alone, and met ${JSON.stringify(wrong.key)}`);
  }
  // Every key was looked at.
  return keyed.sort((one, other) => compare(one.key as Key, other.key as Key)).map(({ value }) => value);
}

function isKey(value: unknown): value is Key {
  return typeof value === 'string' || typeof value === 'number';
}

/** Bytes of UTF-8 have the order of the code points. */
function compare(one: Key, other: Key): number {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
