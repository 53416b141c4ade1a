import {
  compile,
  getRegisteredFunctions,
  registerFunction,
  TreeInterpreter,
  TYPE_ANY,
} from '@jmespath-community/jmespath';
import { type CliError, invalidInput } from '../cli/errors.ts';
import { isObject } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { prettyJson } from './json.ts';
import { type Style, valueStyle } from './styles.ts';
import { clip, neutralise, neutraliseLine } from './text.ts';

/** Evaluates an expression on a document. @throws {CliError} exit 2 when it fails. */
export type Query = (document: unknown) => unknown;

type Expression = ReturnType<typeof compile>;

type Json = Parameters<typeof TreeInterpreter.search>[1];

/** As in other programs, texts in backticks need no quotes. */
const options = { enable_legacy_literals: true };

/**
 * Compiles a JMESPath expression, in which `<` and its like compare texts too.
 *
 * @throws {CliError} exit 2 naming --query, when it is not one.
 */
export function compileQuery(expression: string): Query {
  if (expression.trim() === '') throw refusal('must not be empty; write items[].id');
  const compiled = attempt('is not a JMESPath expression', expression, () => compile(expression, options));
  const ordered = ordering(compiled, expression);
  // What is printed is JSON.
  return (document) =>
    attempt('cannot be evaluated', expression, () => TreeInterpreter.search(ordered, document as Json));
}

function attempt<Result>(failure: string, expression: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw refusal(`${quote(expression)} ${failure}: ${reasonOf(cause)}`).with({ cause });
  }
}

function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : '';
  return neutraliseLine(clip(message.replace(/^syntax(?: error)?[:,] */i, ''), 300));
}

function refusal(reason: string): CliError {
  return invalidInput([{ field: '--query', reason }], 'innctl help formatting');
}

/** Operators that compare by order, by the parser's names. */
const signs: Readonly<Record<string, string>> = { LT: '<', LTE: '<=', GT: '>', GTE: '>=' };

/**
 * The library compares only numbers: each comparison by order becomes a function that compares texts too.
 *
 * @throws {CliError} for an unknown function: the library notices one only when it comes to it, which may be after a write.
 */
function ordering(compiled: Expression, expression: string): Expression {
  const either = [{ types: [TYPE_ANY] }, { types: [TYPE_ANY] }];
  for (const sign of Object.values(signs))
    registerFunction(sign, ([one, other]) => isInOrder(sign, one, other), either, { override: true });
  const known = getRegisteredFunctions();
  const nodes: unknown[] = [compiled];
  for (const node of nodes) {
    if (!isObject(node) || node['type'] === 'Literal') continue;
    nodes.push(...Object.values(node));
    const name = String(node['name']);
    if (node['type'] === 'Function' && !known.includes(name))
      throw refusal(`${quote(expression)} uses an unknown function: ${quote(name)}`);
    const sign = node['type'] === 'Comparator' ? signs[name] : undefined;
    if (sign !== undefined)
      Object.assign(node, { type: 'Function', name: sign, children: [node['left'], node['right']] });
  }
  return compiled;
}

/** `null` for values without an order, as in JMESPath. */
function isInOrder(sign: string, one: unknown, other: unknown): boolean | null {
  const areTexts = typeof one === 'string' && typeof other === 'string';
  const areNumbers = typeof one === 'number' && typeof other === 'number';
  if (!areTexts && !areNumbers) return null;
  if (one === other) return sign.endsWith('=');
  return sign.startsWith('<') === one < other;
}

/**
 * The result of an expression on the document of --json, as JSON.
 *
 * @param raw prints a text as it is, and a list of texts, numbers and booleans one per line.
 */
export function queryStyle(query: Query, raw: boolean): Style {
  const textOf = raw ? rawText : jsonText;
  return valueStyle((document) => textOf(query(document)));
}

function rawText(found: unknown): string {
  if (typeof found === 'string') return `${neutralise(found)}\n`;
  if (!Array.isArray(found) || !found.every(isPlain)) return jsonText(found);
  return found.map((each) => `${neutraliseLine(String(each))}\n`).join('');
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** An inherited member, such as `constructor`, counts as nothing found. */
function jsonText(found: unknown): string {
  return prettyJson(typeof found === 'function' ? null : (found ?? null));
}
