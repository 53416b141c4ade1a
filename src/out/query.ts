import { runInNewContext } from 'node:vm';
import {
  compile,
  getRegisteredFunctions,
  registerFunction,
  TreeInterpreter,
  TYPE_ANY,
  TYPE_ARRAY,
  TYPE_EXPREF,
} from '@jmespath-community/jmespath';
import { CliError, invalidInput } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { guess } from '../model/names.ts';
import { quote } from '../model/text.ts';
import { isObject } from './paths.ts';
import { clip, neutraliseLine } from './text.ts';

type Key = string | number;

/** What stands between the two sides, by the name that the parser gives it. */
const orderSigns: ReadonlyMap<unknown, string> = new Map([
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
function isInOrder(sign: string, one: unknown, other: unknown): boolean | null {
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
function sorted<Value>(name: string, values: readonly Value[], keyOf: (value: Value) => unknown): Value[] {
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

type Expression = ReturnType<typeof compile>;
const signs = [...orderSigns.values()];

type Json = Parameters<typeof TreeInterpreter.search>[1];

/** Works out an expression on a document. @throws {CliError} exit 2 when it cannot be done. */
export type Query = (document: unknown) => unknown;

/** Characters. */
const LONGEST = 10_000;

/** As in other programs, texts may stand between backticks without quotes. */
const options = { enable_legacy_literals: true };

/**
 * A JMESPath expression, ready to be worked out.
 *
 * @throws {CliError} exit 2 naming --query and the place, when it is none, or uses a function that there is not.
 */
export function compileQuery(expression: string): Query {
  registerOrder();
  if (expression.trim() === '') throw refusal('must not be empty; write items[].id');
  if (expression.length > LONGEST) throw refusal(`is longer than ${LONGEST} characters`);
  const compiled = compiledOf(expression);
  const missing = functionsOf(compiled).find((name) => !getRegisteredFunctions().includes(name));
  if (missing !== undefined) throw refusal(`${quote(expression)} uses ${unknownFunction(missing)}`);
  const query = (document: unknown) => {
    try {
      // The type says JSON, and that is what the copy is.
      return TreeInterpreter.search(compiled, plainCopy(document) as Json);
    } catch (cause) {
      throw cause instanceof Error ? unworkable(expression, cause) : cause;
    }
  };
  orderTexts(compiled);
  bounded('--query', () => refuseWhatNeverWorks(query));
  return query;
}

/** Mistakes that show without any document are told before something is sent. */
function refuseWhatNeverWorks(query: Query): void {
  try {
    query(null);
  } catch (error) {
    if (error instanceof CliError && isOfExpression(error.cause)) throw error;
  }
}

function isOfExpression(cause: unknown): boolean {
  if (cause instanceof RangeError) return true;
  return cause instanceof Error && /^(?:Invalid arity|Error referencing)/.test(cause.message);
}

function unworkable(expression: string, cause: Error): CliError {
  const reason = cause instanceof RangeError ? 'it asks for too much' : clip(cause.message, 300);
  const { message, details, hint, exitCode } = refusal(
    `${quote(expression)} cannot be worked out: ${reason}`,
  );
  return new CliError('invalid_input', message, { details, hint, exitCode, cause });
}

function refusal(reason: string) {
  return invalidInput([{ field: '--query', reason }], 'innctl help formatting');
}

/** @throws {CliError} for every failure of the parser: a mistake in the expression, or one nested too deeply. */
function compiledOf(expression: string): Expression {
  try {
    return compile(expression, options);
  } catch (cause) {
    throw refusal(`${quote(expression)} is not a JMESPath expression: ${mistakeIn(cause)}`);
  }
}

/** The parser's words, where they can be read. */
function mistakeIn(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : '';
  if (cause instanceof RangeError) return 'it is nested too deeply';
  if (/EOF|end of/.test(message)) return 'something is missing at its end';
  return neutraliseLine(clip(message.replace(/^syntax(?: error)?[:,] */i, ''), 100));
}

/** What of a list in its order each function gives; of equal ones the first. */
const picks = {
  sort: (all: Json[], order: (some: Json[]) => Json[]) => order(all),
  min: (all: Json[], order: (some: Json[]) => Json[]) => order(all)[0] ?? null,
  max: (all: Json[], order: (some: Json[]) => Json[]) => order([...all].reverse()).at(-1) ?? null,
};

/** Functions that put things in order, in place of the library's: it orders equal texts, and numbers, wrongly. */
function registerOrder(): void {
  const override = { override: true };
  const any = { types: [TYPE_ANY] };
  for (const sign of signs) {
    registerFunction(sign, ([one, other]) => isInOrder(sign, one, other), [any, any], override);
  }
  const list = { types: [TYPE_ARRAY] };
  for (const [name, pick] of Object.entries(picks)) {
    // The signature says which values these are.
    const ofAll = ([all]: unknown[]) => pick(all as Json[], (some) => sorted(name, some, (each) => each));
    registerFunction(name, ofAll, [list], override);
    const by = `${name}_by`;
    const byKey = ([all, key]: unknown[]) =>
      pick(all as Json[], (some) =>
        sorted(by, some, (each) => TreeInterpreter.visit(key as Expression, each)),
      );
    registerFunction(by, byKey, [list, { types: [TYPE_EXPREF] }], override);
  }
}

/** The names of all functions that the expression uses. */
function functionsOf(expression: Expression): readonly string[] {
  return [...nodesOf(expression)].flatMap(({ type, name }) => (type === 'Function' ? [String(name)] : []));
}

/** Makes each comparison of order a function of ours: the library orders numbers alone. */
function orderTexts(expression: Expression): void {
  for (const node of nodesOf(expression)) {
    const sign = node['type'] === 'Comparator' ? orderSigns.get(node['name']) : undefined;
    if (sign === undefined) continue;
    Object.assign(node, { type: 'Function', name: sign, children: [node['left'], node['right']] });
  }
}

function* nodesOf(expression: Expression): Generator<Readonly<Record<string, unknown>>> {
  const left: unknown[] = [expression];
  while (left.length > 0) {
    const node = left.pop();
    if (!isObject(node) || node['type'] === 'Literal') continue;
    left.push(...Object.values(node));
    yield node;
  }
}

function unknownFunction(name: string): string {
  return `a function that there is not: ${quote(name)}${guess(
    name,
    getRegisteredFunctions().filter((each) => !signs.includes(each)),
  )}`;
}

/** What printing would write, in objects that inherit nothing: `constructor` is nobody's field. */
function plainCopy(document: unknown): unknown {
  const text = JSON.stringify(document);
  if (text === undefined) return null;
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.setPrototypeOf(value, null)
      : value,
  );
}

/** Milliseconds. */
const LONGEST_MS = 5_000;

/**
 * Does work that holds everything else up, and that a person wrote: it ends by itself, by ^C, or after 5 s. The engine can
 * stop a script, and with it whatever the script calls.
 *
 * @param what begins the sentence of the error: `--query`.
 * @throws {CliError} exit 2 when it takes too long, 130 after ^C.
 */
export function bounded<Value>(what: string, work: () => Value): Value {
  try {
    // A script gives back what its last expression gives: that of the work.
    return runInNewContext('work()', { work }, { timeout: LONGEST_MS, breakOnSigint: true }) as Value;
  } catch (cause) {
    // The engine's own errors come from another realm, where no `instanceof` knows them.
    const code = isObject(cause) ? cause['code'] : undefined;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new CliError(
        'invalid_input',
        `${what} takes longer than ${LONGEST_MS / 1_000} s: it asks for too much.`,
        {
          exitCode: ExitCode.usage,
          hint: 'innctl help formatting',
          cause,
        },
      );
    }
    if (code !== 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw cause;
    throw new CliError('interrupted', `${what} was interrupted.`, { exitCode: ExitCode.interrupted, cause });
  }
}
