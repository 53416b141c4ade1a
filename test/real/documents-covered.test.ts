import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { camelCase } from '../../src/model/fields.ts';
import { type Field, type Filter, type Kind, kindTable } from '../../src/model/kinds.ts';
import { groupBy, isRecord } from '../../src/model/records.ts';
import { allOf, type CommandModel } from '../../src/reference/model.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { kindOf, type OperationId, operations } from '../../src/service/operations.ts';
import { commandModel } from '../reference/tree.ts';
import { modelsIn, openDescriptions, operationOf } from './prism-documents.ts';
import { lines } from './prism-lines.ts';

type Json = Readonly<Record<string, unknown>>;

const descriptions = openDescriptions();
const described = descriptions.flatMap((each) => each.operations);
const definitions: Readonly<Record<string, Json>> = Object.assign(
  {},
  ...descriptions.map((each) => each.definitions),
);
const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const commands = allOf(await commandModel());

/** What the documents have beside the fields and filters of a kind, and the flag or argument that gives it. */
const beside: Readonly<Record<string, string>> = {
  ...{ pageNumber: '--page-number', pageSize: '--page-size', sort: '--sort', languages: '--languages' },
  ...{ unitIds: '<id>', istemplate: '--is-template' },
};

/** Fields and filters that a command takes otherwise than by a flag of their name. */
const otherFlags: Readonly<Record<string, string>> = {
  ...{ 'createInvitation email': '<email>', 'createUnits name': '--names' },
  ...{ 'updateUser enabled': '--enable', 'updateUser properties': '--set-properties' },
  ...{ 'updateUnit attributes': '--add-attribute', 'updateUnits attributes': '--add-attribute' },
};

/** The role list of the account says which roles there are. */
const open: ReadonlySet<string> = new Set(['role', 'roles']);

// The keys of the table are the ids.
const ids = Object.keys(operations) as OperationId[];

/** The rows of the page's table of what no command line has, by operation. */
const excused = new Map(
  ids.map((id) => {
    const request = `${operations[id].method} ${apaleo.path(id)}`;
    const names = [...page.matchAll(/^\| `(.+?)` \| (.+?) \| (.+?) \|$/gm)]
      .filter(([, operation = '', , why = '']) => operation === request && why.length > 20)
      .flatMap(([, , cell = '']) => [...cell.matchAll(/`(.+?)`/g)].map(([, name = '']) => name));
    return [id, names];
  }),
);

test('every operation of both documents is one of ours', () => {
  const ours = ids.map((id) => operationOf(described, operations[id].method, apaleo.path(id)));

  expect(described).toHaveLength(43);
  expect(new Set(ours)).toEqual(new Set(described));
});

test('every operation is in the page with its command, which exists', () => {
  const rows = [...page.matchAll(/^\| `([^`]+)` \| `(\S+) \{\w+\}(\S+)`(?:; dialect apaleo: `(\S+)`)? \|/gm)];
  const listed = rows.map(([, usage = '', method, path, other = path]) => [
    `${method} ${other}`,
    commandOf(usage),
  ]);

  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries(
      ids.map((id) => [`${operations[id].method} ${apaleo.path(id)}`, commandFor(id).path.join(' ')]),
    ),
  );
});

describe.each(ids.filter((id) => kindOf(id) !== ''))('%s', (id) => {
  // Of an operation on records.
  const kind = kindOf(id) as Kind;
  const command = commandFor(id);
  const filters = new Map(kindTable[kind].filters.map((each) => [camelCase(each.parameter), each]));
  const fields = new Map(fieldsOf(kind).flatMap((field) => sentNames(field).map((name) => [name, field])));
  const isKnown = (name: string) => !excused.get(id)?.includes(name) && beside[name] === undefined;
  const flags = (all: readonly (readonly [string, Field | Filter])[]) =>
    all.flatMap(([, row]) =>
      takes(command, otherFlags[`${id} ${nameOf(row)}`] ?? `--${row.flag}`) ? [] : [row],
    );

  test('the query is that of the table, and each parameter has a flag', () => {
    const documented = new Map(parametersIn(id, 'query').map((each) => [String(each['name']), each]));
    const { expand, ...others } = Object.fromEntries(documented);
    const known = Object.entries(others).filter(([name]) => isKnown(name));
    const values = isRecord(expand) && isRecord(expand['items']) ? expand['items']['enum'] : [];

    expect(known.map(([name, schema]) => [name, formOf(schema)]).toSorted()).toEqual(
      [...(known.length === 0 ? [] : filters)].map(([name, row]) => [name, formOfFilter(row)]).toSorted(),
    );
    expect(values).toEqual(expand === undefined ? [] : kindTable[kind].expansions);
    expect(flags(known.length === 0 ? [] : [...filters])).toEqual([]);
    expect(expand === undefined || takes(command, '--expand')).toBe(true);
    expect([...documented.keys()].filter((name) => beside[name] && !takes(command, beside[name]))).toEqual(
      [],
    );
  });

  const documented = bodyFields(id);

  if (documented.length > 0)
    test('the body is that of the table, and each field has a flag', () => {
      const isReplaced = operations[id].method === 'PUT';
      const known = documented.filter(({ name }) => isKnown(name));
      const taken = [...fields].filter(([name, field]) => isKnown(name) && !(isReplaced && field.isFixed));

      expect(known.map(({ name, schema }) => [name, formOf(schema, name)]).toSorted()).toEqual(
        taken.map(([name, field]) => [name, formOfField(field, name)]).toSorted(),
      );
      // What is not given in a replacement stays.
      expect(isReplaced ? [] : known.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual(
        isReplaced ? [] : known.map(({ name }) => name).filter((name) => !fields.get(name)?.isOptional),
      );
      expect(known.flatMap(({ name, schema }) => limitProblems(name, schema, fields.get(name)))).toEqual([]);
      expect(flags(taken)).toEqual([]);
    });

  const steps = new Map([...stepsOf(id)].filter(([name]) => isKnown(name)));

  if (steps.size > 0)
    test('a patch changes what the table lets change', () => {
      const outer = groupBy(fieldsOf(kind), ({ sentAs, path: [name] }) =>
        camelCase(sentAs ?? name).toLowerCase(),
      );
      const isKept = ({ isFixed, name }: Field) =>
        isFixed || (kind === 'property' && apaleo.fixedFields.includes(name));
      const changed = [...outer].filter(([, all]) => !all.every(isKept));
      const isRemoved = ([, all]: (typeof changed)[number]) => all.every(({ isOptional }) => isOptional);
      const removed = changed.filter(isRemoved).map(([name]) => name);

      expect([...steps.keys()].toSorted()).toEqual(changed.map(([name]) => name).toSorted());
      // Access and places of others are set, never removed.
      if (kind === 'property' || kind === 'unit_attribute')
        expect(removed.toSorted()).toEqual(
          [...steps].flatMap(([name, verbs]) => (verbs.includes('remove') ? [name] : [])).toSorted(),
        );
      expect(
        flags(changed.flatMap(([name, all]) => all.filter((f) => !isKept(f)).map((f) => [name, f] as const))),
      ).toEqual([]);
    });
});

/** The command that sends an operation: that of the line with which the tests send it. */
function commandFor(id: OperationId): CommandModel {
  const [noun, verb] = lines[id].split(' ');
  const found = commands.find(({ path }) => path.length === 2 && path[0] === noun && path[1] === verb);
  if (found === undefined) throw new Error(`There is no command for ${id}: ${lines[id]}`);
  return found;
}

/** Whether a command has a flag or an argument. */
function takes({ flags, arguments: values }: CommandModel, word: string): boolean {
  return [...flags.map(({ long }) => long), ...values.map(({ name }) => `<${name}>`)].includes(word);
}

/** `units get [id...]` is `units get`. */
function commandOf(usage: string): string {
  return usage.replace(/ [<[].*$/, '');
}

function nameOf(row: Field | Filter): string {
  return 'path' in row ? row.name : row.parameter;
}

/** Names of several units make several bodies. */
function fieldsOf(kind: Kind): readonly Field[] {
  const fields = kind === 'property' ? apaleo.propertyFields : kindTable[kind].fields;
  return fields.filter(({ type }) => type !== 'names');
}

/** The names of a field in a body of the public service. */
function sentNames({ sentAs, path, sentUnder, type }: Field): readonly string[] {
  const names = (sentAs === undefined ? path : [sentAs]).map(camelCase);
  const inner = [sentUnder ?? [], type === 'counts' ? 'member_count' : []].flat().map(camelCase);
  return inner.length === 0 ? [names.join('.')] : inner.map((each) => [...names, each].join('.'));
}

/** What is typed for a value, and the values that it may have. */
type Form = readonly [type: string, choices: readonly unknown[]];

function formOfFilter({ value, choices = [] }: Filter): Form {
  const types: Readonly<Record<string, string>> = { names: 'array', 'true|false': 'boolean' };
  return [types[value] ?? 'string', choices];
}

function formOfField({ type, choices = [], sentUnder }: Field, name: string): Form {
  const types: Readonly<Record<string, string>> = {
    ...{ languages: 'object', whole: 'integer', truth: 'boolean', list: 'array', roles: 'array' },
    counts: name.endsWith('memberCount') ? 'integer' : 'string',
  };
  return [type === 'list' && sentUnder ? 'string' : (types[type] ?? 'string'), choices];
}

function formOf({ type, enum: own, items }: Json, name = ''): Form {
  const choices = own ?? (isRecord(items) ? items['enum'] : undefined);
  return [String(type), Array.isArray(choices) && !open.has(name) ? choices : []];
}

/** Limits of the documents that a field does not keep to: the last value that is accepted, and the first that is not. */
function limitProblems(name: string, schema: Json, field: Field | undefined): readonly string[] {
  const { minimum, maximum, minLength, maxLength } = schema;
  const isRefused = (text: string) => field?.check(text) !== undefined;
  const ofLength = (length: number) => [
    'A'.repeat(length),
    length === 1 ? (field?.example ?? '') : 'DE-BYZ'.slice(0, length),
  ];
  const judged = (limit: unknown, beyond: number, valuesOf: (limit: number) => readonly string[]) => {
    if (typeof limit !== 'number') return [];
    const isKept =
      valuesOf(limit).some((text) => !isRefused(text)) && isRefused(valuesOf(limit + beyond)[0] ?? '');
    return isKept ? [] : [`${name}: ${limit}`];
  };
  // How many of a group there are is part of the value of a flag.
  if (field?.type === 'counts') return [];
  const text = (value: number) => [String(value)];
  return [
    ...[...judged(minimum, -1, text), ...judged(maximum, 1, text)],
    ...[...judged(minLength, -1, ofLength), ...judged(maxLength, 1, ofLength)],
  ];
}

function documentedOf(id: OperationId) {
  const operation = operationOf(described, operations[id].method, apaleo.path(id));
  if (operation === undefined) throw new Error(`no document has ${id}`);
  return operation;
}

function parametersIn(id: OperationId, place: string): readonly Json[] {
  return documentedOf(id).parameters.filter((each) => each['in'] === place);
}

function stepsOf(id: OperationId): ReadonlyMap<string, readonly string[]> {
  return documentedOf(id).steps;
}

/** A field of a body that has no fields itself. */
interface Described {
  /** With dots between names. */
  readonly name: string;
  readonly schema: Json;
  /** In all objects that it is in. */
  readonly isRequired: boolean;
}

/** The fields of the body that is no patch; of bodies of several records those of one. */
function bodyFields(id: OperationId): readonly Described[] {
  if (operations[id].method === 'PATCH') return [];
  const all = parametersIn(id, 'body').flatMap(({ schema }) => fieldsIn(schema));
  return all.map((each) => ({ ...each, name: each.name.replace(/^units\./, '') }));
}

function fieldsIn(schema: unknown): readonly Described[] {
  if (!isRecord(schema)) return [];
  const [model] = schema['$ref'] === undefined ? [] : modelsIn({ $ref: schema['$ref'] });
  if (model !== undefined) return fieldsIn(definitions[model]);
  if (schema['type'] === 'array') return fieldsIn(schema['items']);
  const { properties, allOf: parts, required } = schema;
  const own = isRecord(properties) ? Object.entries(properties) : [];
  return [
    ...(Array.isArray(parts) ? parts.flatMap(fieldsIn) : []),
    ...own.flatMap(([name, each]) => {
      const isRequired = Array.isArray(required) && required.includes(name);
      const inner = fieldsIn(each).map((field) => ({
        ...{ ...field, name: `${name}.${field.name}`, isRequired: isRequired && field.isRequired },
      }));
      return inner.length > 0 || !isRecord(each) ? inner : [{ name, schema: each, isRequired }];
    }),
  ];
}
