import {
  compile,
  getRegisteredFunctions,
  registerFunction,
  TreeInterpreter,
  TYPE_ANY,
} from '@jmespath-community/jmespath';
import { type CliError, invalidInput } from '../model/errors.ts';
import { isObject, isRecord, memberOf, onePage, type ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { labelOf } from './labels.ts';
import type { Format, Shape } from './output.ts';
import { factShape, type Style, valueStyle, wholeList } from './styles.ts';
import { clip, neutralise, neutraliseLine, prettyJson } from './text.ts';

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

/** Makes the format of the result; a list of lists has no column names. */
type StyleIn = (format: Format, hasNames: boolean) => Style;

/**
 * The result of an expression on the document of --json: as JSON; in a format of cells as rows, if it is a value, a record, or
 * a list of only texts, lists or records; `raw` as lines with tabs between cells.
 */
export function queryStyle(query: Query, form: Format | 'raw', styleIn: StyleIn): Style {
  const show = async (document: unknown) => {
    const found = query(document);
    if (form === 'raw' && typeof found === 'string') return `${neutralise(found)}\n`;
    if (form === 'table' && isRecord(found)) return styleIn(form, true).record(factShape, found);
    const list: unknown = form !== 'raw' && (isPlain(found) || isRecord(found)) ? [found] : found;
    if (form === 'json' || !Array.isArray(list)) return jsonText(found);
    if (list.every(isPlain) && (form === 'raw' || form === 'table'))
      return list.map((each) => `${neutraliseLine(String(each))}\n`).join('');
    const rows: readonly unknown[] = list.every(isPlain) ? list.map((each) => [each]) : list;
    const isNamed = rows.every(isRecord);
    if (!isNamed && !rows.every((row) => Array.isArray(row))) return jsonText(found);
    return rowsText(rows.filter(isObject), styleIn(form === 'raw' ? 'tsv' : form, isNamed));
  };
  return {
    ...valueStyle(show),
    async *list(shape, pages, beside) {
      const list = await wholeList(pages, beside);
      // As in other programs, which print a bare list.
      if (!shape.ofWrites && query(list) === null && query(list.items) !== null)
        throw refusal('finds nothing in { count, items }; begin it with items: items[].id');
      yield show(list);
    },
  };
}

async function rowsText(rows: readonly ServiceRecord[], style: Style): Promise<string> {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.map((name) => ({
    field: name,
    header: labelOf(name, []),
    value: (row: ServiceRecord) => memberOf(row, name),
  }));
  const shape: Shape = { noun: ['row', 'rows'], columns, isAsked: true };
  const pieces: unknown[] = [];
  for await (const piece of style.list(shape, onePage(rows), {})) pieces.push(piece);
  return rows.length === 0 ? '' : pieces.join('');
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** An inherited member, such as `constructor`, counts as nothing found. */
function jsonText(found: unknown): string {
  return prettyJson(typeof found === 'function' ? null : (found ?? null));
}
