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
import { isObject } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { prettyJson } from './json.ts';
import { type Style, valueStyle } from './styles.ts';
import { clip, neutralise, neutraliseLine } from './text.ts';

type Key = string | number;

/** Operators that compare by order, by the parser's names. */
const orderSigns: Readonly<Record<string, string>> = { LT: '<', LTE: '<=', GT: '>', GTE: '>=' };
const signs = Object.values(orderSigns);

/**
 * Compares two values: texts by code point, numbers by size; `null` where one of them is `null`.
 *
 * @throws {Error} for any other two values: they have no order.
 */
function isInOrder(sign: string, one: unknown, other: unknown): boolean | null {
  if (one === null || other === null) return null;
  if (!isKey(one) || typeof one !== typeof other) {
    const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
    throw new Error(`${left} ${sign} ${right}: only two texts, or two numbers, have an order`);
  }
  // Both have the same type, which was just checked to be one with an order.
  const order = compare(one, other as Key);
  if (order === 0) return sign.endsWith('=');
  return sign.startsWith('<') === order < 0;
}

/**
 * Sorts values by key, stably.
 *
 * @param name of the function, for the error.
 * @throws {Error} where the keys are neither all texts nor all numbers.
 */
function sorted<Value>(name: string, values: readonly Value[], keyOf: (value: Value) => unknown): Value[] {
  const keyed = values.map((value) => ({ value, key: keyOf(value) }));
  const wrong = keyed.find(({ key }) => !isKey(key) || typeof key !== typeof keyed[0]?.key);
  if (wrong !== undefined) {
    throw new Error(`${name}() takes only texts, or only numbers, not ${JSON.stringify(wrong.key)}`);
  }
  // All keys were just checked.
  return keyed.sort((one, other) => compare(one.key as Key, other.key as Key)).map(({ value }) => value);
}

function isKey(value: unknown): value is Key {
  return typeof value === 'string' || typeof value === 'number';
}

/** Bytes of UTF-8 sort like code points. */
function compare(one: Key, other: Key): number {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

type Expression = ReturnType<typeof compile>;

type Json = Parameters<typeof TreeInterpreter.search>[1];

/**
 * The result of an expression on the document of --json, as JSON.
 *
 * @param raw prints a text as it is, and a list of texts, numbers and booleans one per line.
 */
export function queryStyle(query: Query, raw: boolean): Style {
  const textOf = raw ? rawText : jsonText;
  return valueStyle((document) => bounded(() => textOf(query(document))));
}

function rawText(found: unknown): string {
  if (typeof found === 'string') return `${neutralise(found)}\n`;
  if (!Array.isArray(found) || !found.every(isPlain)) return jsonText(found);
  return found.map((each) => `${neutraliseLine(String(each))}\n`).join('');
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** The value of `&name` alone: an expression for functions to use, as the library represents it. */
function isReference(value: unknown): boolean {
  return isObject(value) && value['expref'] === true && typeof value['type'] === 'string';
}

/** A result that is not JSON, such as an inherited member, counts as nothing found. */
function jsonText(found: unknown): string {
  const isJson = found !== undefined && typeof found !== 'function' && !isReference(found);
  return prettyJson(isJson ? found : null);
}

/** Evaluates an expression on a document. @throws {CliError} exit 2 when it fails. */
export type Query = (document: unknown) => unknown;

/** As in other programs, texts in backticks need no quotes. */
const options = { enable_legacy_literals: true };

/**
 * Compiles a JMESPath expression.
 *
 * @throws {CliError} exit 2 naming --query, when it is not one, or uses an unknown function.
 */
export function compileQuery(expression: string): Query {
  registerOrder();
  if (expression.trim() === '') throw refusal('must not be empty; write items[].id');
  const compiled = compiledOf(expression);
  const known = getRegisteredFunctions();
  for (const { type, name } of nodesOf(compiled)) {
    const word = String(name);
    if (type !== 'Function' || known.includes(word)) continue;
    const offered = known.filter((each) => !signs.includes(each));
    throw refusal(`${quote(expression)} uses an unknown function: ${quote(word)}${guess(word, offered)}`);
  }
  const query = (document: unknown) => {
    try {
      // The copy is JSON.
      return TreeInterpreter.search(compiled, plainCopy(document) as Json);
    } catch (cause) {
      throw cause instanceof Error ? evaluationError(expression, cause) : cause;
    }
  };
  orderTexts(compiled);
  bounded(() => refuseEarly(query));
  return query;
}

/** Reports mistakes that need no document before anything is sent. */
function refuseEarly(query: Query): void {
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

function evaluationError(expression: string, cause: Error): CliError {
  const reason = cause instanceof RangeError ? 'it is too complex' : clip(cause.message, 300);
  return refusal(`${quote(expression)} cannot be evaluated: ${reason}`).with({ cause });
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

/** What the parser reports. */
function mistakeIn(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : '';
  if (cause instanceof RangeError) return 'it is nested too deeply';
  if (/EOF|end of/.test(message)) return 'something is missing at its end';
  return neutraliseLine(clip(message.replace(/^syntax(?: error)?[:,] */i, ''), 100));
}

/** What each function returns of a list; of equal values the first. */
const picks = {
  sort: (all: Json[], order: (some: Json[]) => Json[]) => order(all),
  min: (all: Json[], order: (some: Json[]) => Json[]) => order(all)[0] ?? null,
  max: (all: Json[], order: (some: Json[]) => Json[]) => order([...all].reverse()).at(-1) ?? null,
};

/** Replaces the library's functions that sort: it sorts equal texts, and numbers, wrongly. */
function registerOrder(): void {
  const override = { override: true };
  const any = { types: [TYPE_ANY] };
  for (const sign of signs) {
    registerFunction(sign, ([one, other]) => isInOrder(sign, one, other), [any, any], override);
  }
  const list = { types: [TYPE_ARRAY] };
  for (const [name, pick] of Object.entries(picks)) {
    // The signature fixes the types of these values.
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

/** Replaces each comparison by order with a function of ours: the library compares only numbers. */
function orderTexts(expression: Expression): void {
  for (const node of nodesOf(expression)) {
    const sign = node['type'] === 'Comparator' ? orderSigns[String(node['name'])] : undefined;
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

/** The document as printed, in objects without a prototype: `constructor` is not a field. */
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
 * Runs synchronous work that a person wrote with a limit: ^C and 5 s stop it. The engine can stop a script, and with it
 * whatever the script calls.
 *
 * @throws {CliError} exit 2 when it takes too long, 130 after ^C.
 */
export function bounded<Value>(work: () => Value): Value {
  try {
    // A script returns the value of its last expression.
    return runInNewContext('work()', { work }, { timeout: LONGEST_MS, breakOnSigint: true }) as Value;
  } catch (cause) {
    // The engine's own errors come from another realm, where no `instanceof` knows them.
    const code = isObject(cause) ? cause['code'] : undefined;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new CliError('invalid_input', `--query took longer than ${LONGEST_MS / 1_000} s.`, {
        exitCode: ExitCode.usage,
        hint: 'innctl help formatting',
        cause,
      });
    }
    if (code !== 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw cause;
    throw new CliError('interrupted', '--query was interrupted.', { exitCode: ExitCode.interrupted, cause });
  }
}
