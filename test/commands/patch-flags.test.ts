import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readsStdin, stepsFrom } from '../../src/change/patch.ts';
import { CliError } from '../../src/model/errors.ts';
import type { Input } from '../../src/model/ports.ts';
import { pointerProblem } from '../../src/model/text.ts';
import { temporaryFolder } from '../helpers/folder.ts';

/** An Input with this text on stdin. */
function inputOf(text = ''): Input {
  return { ends: new AbortController().signal, read: async () => new TextEncoder().encode(text) };
}

/** Writes a file and returns its path. */
async function file(name: string, text: string | Uint8Array): Promise<string> {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, text);
  return path;
}

/** The message of the rejection. */
async function errorOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((cause: unknown) => cause);
  if (!(error instanceof CliError) || error.exitCode !== 2) throw new Error('not refused', { cause: error });
  return error.message;
}

const six = [
  { op: 'test', path: '/taxId', value: 'DE1' },
  { op: 'add', path: '/name/fr', value: 'Grand Hôtel' },
  { op: 'replace', path: '/stars', value: 4 },
  { op: 'remove', path: '/a~1b/c~0d' },
  { op: 'move', from: '/x', path: '/y' },
  { op: 'copy', from: '/y', path: '' },
] as const;

const yaml = `# all six
- { op: test, path: /taxId, value: DE1 }
- op: add
  path: /name/fr
  value: Grand Hôtel
- { op: replace, path: /stars, value: 4 }
- { op: remove, path: /a~1b/c~0d, value: ignored }
- { op: move, from: /x, path: /y }
- { op: copy, from: /y, path: "" }
`;

test.each([
  ['patch.json', JSON.stringify(six)],
  ['patch.yaml', yaml],
  ['patch', yaml],
])('--patch reads the file %s', async (name, text) => {
  const path = await file(name, text);

  expect(await stepsFrom([], { patch: [path] }, inputOf())).toEqual(six);
  expect(await stepsFrom([], { patch: [`@${path}`] }, inputOf())).toEqual(six);
});

test('--patch reads the command line, and takes several patches in their order', async () => {
  const [first, ...others] = six;
  const patch = [JSON.stringify([first]), '-'];

  expect(await stepsFrom([], { patch }, inputOf(JSON.stringify(others)))).toEqual(six);
});

test.each([
  ['-', JSON.stringify(six)],
  ['-', yaml],
  ['@-', yaml],
])('--patch reads stdin (%s)', async (patch, text) => {
  expect(await stepsFrom([], { patch: [patch] }, inputOf(text))).toEqual(six);
});

test('a YAML number that would not round-trip stays a string', async () => {
  const text = ['15:00:00', '01067', '1e3', 'NO', '12', 'true', 'null', '"4"']
    .map((value) => `- { op: add, path: /a, value: ${value} }`)
    .join('\n');

  const steps = await stepsFrom([], { patch: ['-'] }, inputOf(text));

  expect(steps.map((step) => 'value' in step && step.value)).toEqual([
    ...['15:00:00', '01067', '1e3', 'NO'],
    ...[12, true, null, '4'],
  ]);
});

test.each([
  [['-'], true],
  [['@-'], true],
  [['a-', '[]'], false],
  [undefined, false],
])('readsStdin of %j is %s', (patch, expected) => {
  expect(readsStdin(patch === undefined ? {} : { patch })).toBe(expected);
});

test('stdin can be given once', async () => {
  expect(await errorOf(stepsFrom([], { patch: ['-', '@-'] }, inputOf('[]')))).toBe(
    'stdin (-) is given twice; it can be read once.',
  );
});

test.each([
  ['', '"" is not the name of a file'],
  ['@', '"" is not the name of a file'],
  ['/nowhere/at/all', 'Cannot read /nowhere/at/all: there is no such file'],
  ['[{', '--patch is not valid JSON'],
  ['[{"op":"add","path":"/a"}]', '--patch: 1 value: is missing'],
  [`${'['.repeat(5000)}${']'.repeat(5000)}`, '--patch is nested deeper'],
  ['[{"op":"add","path":"/a","value":{"x":1,"x":2}}]', '--patch names "x" twice'],
  ['[{"op":"add","path":"/a","value":1e999}]', '"1e999", which cannot be sent exactly; write it as a text'],
])('--patch %s is rejected', async (patch, message) => {
  expect(await errorOf(stepsFrom([], { patch: [patch] }, inputOf()))).toContain(message);
});

test('numbers that round-trip are accepted', async () => {
  const text = '[1.0, 1e3, 100000000000000000000, 0.1, -0, 2.50]';

  const [step] = await stepsFrom([], { patch: [`[{"op":"add","path":"/e","value":${text}}]`] }, inputOf());

  expect(JSON.stringify(step)).toContain('[1,1000,100000000000000000000,0.1,0,2.5]');
});

describe('--patch with other flags', () => {
  test.each([
    [['/enabled'], '{"op":"replace","path":"/enabled","value":false}', '/enabled'],
    [['/enabled'], '{"op":"remove","path":""}', 'the whole record'],
    [['/properties'], '{"op":"remove","path":"/Properties/0"}', '/Properties/0'],
    [['/properties'], '{"op":"move","from":"/properties","path":"/x"}', '/properties'],
    [['/location'], '{"op":"add","path":"/Location/city","value":1}', '/Location/city'],
    [['/company_name'], '{"op":"copy","from":"/a","path":"/companyName"}', '/companyName'],
  ])('%j: the operation %s is rejected', async (own, step, path) => {
    const work = stepsFrom(own, { patch: [`[${step}]`] }, inputOf());

    expect(await errorOf(work)).toBe(`${path}: is changed by two flags`);
  });

  test.each([
    '{"op":"test","path":"/enabled","value":false}',
    '{"op":"copy","from":"/enabled","path":"/was"}',
    '{"op":"remove","path":"/enabl"}',
    '{"op":"replace","path":"/a","value":1},{"op":"replace","path":"/a","value":2}',
  ])('accepts operations that do not conflict: %s', async (steps) => {
    expect(await stepsFrom(['/enabled'], { patch: ['-'] }, inputOf(`[${steps}]`))).toEqual(
      JSON.parse(`[${steps}]`),
    );
  });
});

test('files and stdin are not read if a flag is invalid', async () => {
  const stdin: Input = {
    ends: new AbortController().signal,
    read: async () => {
      throw new Error('nobody may read');
    },
  };

  const work = stepsFrom([], { patch: ['/nowhere', '-'] }, stdin, [
    { field: 'id', reason: 'must not be empty' },
  ]);

  expect(await errorOf(work)).toBe('id: must not be empty');
});

test.each<[string, string, string, string]>([
  ['an object instead of a list', 'p.json', '{"op":"add"}', 'p.json is not a list of operations (RFC 6902).'],
  ['null', 'p.json', 'null', 'is not a list of operations'],
  ['a string instead of a list', 'p.yaml', 'hello', 'is not a list of operations'],
  ['no operations', 'p.json', '[]', 'p.json contains no operations.'],
  ['a string as an operation', 'p.json', '["add"]', 'p.json: 1: is not an operation with op and path'],
  ['no op', 'p.json', '[{"path":"/a"}]', 'p.json: 1 op: is missing'],
  ['a misspelt op', 'p.json', '[{"op":"replac","path":"/a"}]', '"replac" is not one of add, remove, replace'],
  [
    'a misspelt op and a suggestion',
    'p.json',
    '[{"op":"replac","path":"/a"}]',
    'test; did you mean replace?',
  ],
  [
    'an op that is no string',
    'p.json',
    '[{"op":{"toString":1,"valueOf":1},"path":"/a"}]',
    '1 op: "{\\"toString\\":1,\\"valueOf\\":1}" is not one of add',
  ],
  ['no path', 'p.json', '[{"op":"remove"}]', '1 path: is missing'],
  ['an invalid path', 'p.json', '[{"op":"remove","path":"a"}]', '1 path: is not a JSON Pointer'],
  ['a path that is no string', 'p.json', '[{"op":"remove","path":["a"]}]', '1 path: is not a JSON Pointer'],
  ['a bare ~', 'p.json', '[{"op":"remove","path":"/a~b"}]', '1 path: is not a JSON Pointer'],
  ['no from', 'p.json', '[{"op":"move","path":"/a"}]', '1 from: is missing'],
  ['an invalid from', 'p.json', '[{"op":"copy","path":"/a","from":"b"}]', '1 from: is not a JSON Pointer'],
  ['no value', 'p.json', '[{"op":"add","path":"/a"}]', '1 value: is missing'],
  ['no value to test', 'p.json', '[{"op":"test","path":"/a"}]', '1 value: is missing'],
  ['a misspelt member', 'p.json', '[{"op":"add","path":"/a","vale":1}]', '1 value: is missing'],
  ['several documents', 'p.yaml', '- a\n---\n- b', 'contains several documents'],
])('a patch file with %s is rejected', async (_, name, text, message) => {
  const patch = await file(name, text);

  expect(await errorOf(stepsFrom([], { patch: [patch] }, inputOf()))).toContain(message);
});

test('a pointer as long as the size limit is validated quickly', async () => {
  const stdin = JSON.stringify([{ op: 'remove', path: `${'/a'.repeat(500_000)}~` }]);

  expect(await errorOf(stepsFrom([], { patch: ['-'] }, inputOf(stdin)))).toContain(
    '1 path: is not a JSON Pointer',
  );
});

test.each<[string, string]>([
  ['/name\u0007', 'has control or invisible characters'],
  ['/na\u202eme', 'has control or invisible characters'],
  ['/a/__proto__/b', 'names what no record has'],
  [`/${'a'.repeat(1_000)}`, 'is longer than 1000 characters'],
])('%j is not a valid pointer: %s', (path, reason) => {
  expect(pointerProblem(path)).toBe(reason);
});

test.each(['/name/de', '/a~0b~1c', '/', '//', '/ ', '/name/-', '/ä/0'])('%j is a valid pointer', (path) => {
  expect(pointerProblem(path)).toBeUndefined();
});
