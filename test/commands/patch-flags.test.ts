import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import type { Input } from '../../src/cli/ports.ts';
import { readsStdin, stepsFrom } from '../../src/commands/patch-flags.ts';
import { pointerProblem } from '../../src/model/segment.ts';

/** An Input with this text on stdin. */
function inputOf(text = ''): Input {
  return { ends: new AbortController().signal, read: async () => new TextEncoder().encode(text) };
}

/** A folder that is removed after the test. */
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'innctl-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** Writes a file and returns its path. */
async function file(name: string, text: string | Uint8Array): Promise<string> {
  const path = join(await folder(), name);
  await writeFile(path, text);
  return path;
}

/** The message of the rejection. */
async function errorOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((cause: unknown) => cause);
  if (!(error instanceof CliError) || error.exitCode !== 2) throw new Error('not refused', { cause: error });
  return error.message;
}

test('--set, --add and --remove come before the operations of the file', async () => {
  const steps = await stepsFrom(
    ['/a'],
    {
      remove: ['/d'],
      add: ['/c={"x":[1,"y",null,true]}'],
      set: ['/b="B"', '/b2=-0.5'],
      patch: '-',
    },
    inputOf('[{"op":"test","path":"/a","value":1}]'),
  );

  expect(steps).toEqual([
    { op: 'replace', path: '/b', value: 'B' },
    { op: 'replace', path: '/b2', value: -0.5 },
    { op: 'add', path: '/c', value: { x: [1, 'y', null, true] } },
    { op: 'remove', path: '/d' },
    { op: 'test', path: '/a', value: 1 },
  ]);
});

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

  expect(await stepsFrom([], { patch: path }, inputOf())).toEqual(six);
  expect(await stepsFrom([], { patch: `@${path}` }, inputOf())).toEqual(six);
});

test.each([
  ['-', JSON.stringify(six)],
  ['-', yaml],
  ['@-', yaml],
])('--patch reads stdin (%s)', async (patch, text) => {
  expect(await stepsFrom([], { patch }, inputOf(text))).toEqual(six);
});

test('a YAML number that would not round-trip stays a string', async () => {
  const text = ['15:00:00', '01067', '1e3', 'NO', '12', 'true', 'null', '"4"']
    .map((value) => `- { op: add, path: /a, value: ${value} }`)
    .join('\n');

  const steps = await stepsFrom([], { patch: '-' }, inputOf(text));

  expect(steps.map((step) => 'value' in step && step.value)).toEqual([
    ...['15:00:00', '01067', '1e3', 'NO'],
    ...[12, true, null, '4'],
  ]);
});

test('a value is read from a file or from stdin', async () => {
  const path = await file('name.json', '{"de":"Grandhotel"}');

  expect(await stepsFrom([], { set: [`/name=@${path}`], add: ['/stars=@-'] }, inputOf(' 4\n'))).toEqual([
    { op: 'replace', path: '/name', value: { de: 'Grandhotel' } },
    { op: 'add', path: '/stars', value: 4 },
  ]);
});

test.each([
  [{ set: ['/a=@-'] }, true],
  [{ add: ['/a=@-'] }, true],
  [{ patch: '-' }, true],
  [{ patch: '@-' }, true],
  [{ set: ['/a="x=@-"', '/a=@x'], patch: 'a-' }, false],
  [{ remove: ['/-'] }, false],
  [{}, false],
])('readsStdin of %j is %s', (flags, expected) => {
  expect(readsStdin(flags)).toBe(expected);
});

test.each([
  [{ set: ['/a=@-'], add: ['/b=@-'] }],
  [{ set: ['/a=@-', '/b=@-'] }],
  [{ set: ['/a=@-'], patch: '-' }],
  [{ add: ['/a=@-'], patch: '@-' }],
])('only one flag can read stdin: %j', async (flags) => {
  expect(await errorOf(stepsFrom([], flags, inputOf('1')))).toBe('Only one flag can read stdin.');
});

const digits = '12345678901234567890';
const inexact = 'cannot be sent exactly as a number; write it as a text: "..."';

test.each<[Parameters<typeof stepsFrom>[1], string]>([
  [{ set: ['/a'] }, '--set: "/a" is not path=json'],
  [{ set: [''] }, '--set: "" is not path=json'],
  [{ set: ['="x"'] }, '--set: "" is not a JSON Pointer such as /name/de (~ is written ~0, / in a name ~1)'],
  [{ set: ['name/de="x"'] }, 'such as /name/de (~ is written ~0, / in a name ~1): write /name/de'],
  [{ add: ['/a~2="x"'] }, '--add: "/a~2" is not a JSON Pointer'],
  [{ add: ['/a~="x"'] }, '--add: "/a~" is not a JSON Pointer'],
  [{ add: ['/a=x'] }, `--add: "x" is not JSON; a text is written in quotes: '"..."'`],
  [{ add: ['/a='] }, '--add: "" is not JSON'],
  [{ set: ["/a='x'"] }, '--set: "\'x\'" is not JSON'],
  [{ set: ['/a=NaN'] }, '--set: "NaN" is not JSON'],
  [{ set: ['/a={"x":1,"x":2}'] }, '--set names "x" twice'],
  [{ set: [`/a=${digits}`] }, `--set: "${digits}" ${inexact}`],
  [{ set: [`/a={"b":[${digits}]}`] }, `--set: "${digits}" ${inexact}`],
  [{ add: ['/a=1e999'] }, `--add: "1e999" ${inexact}`],
  [{ add: ['/a=0.30000000000000001'] }, `--add: "0.30000000000000001" ${inexact}`],
  [{ remove: [''] }, '--remove: "" is not a JSON Pointer'],
  [{ remove: ['a'] }, '--remove: "a" is not a JSON Pointer'],
  [{ set: ['/a=@'] }, '"" is not the name of a file'],
  [{ set: ['/a=@/nowhere/at/all'] }, 'Cannot read /nowhere/at/all: there is no such file'],
  [{ patch: '' }, '"" is not the name of a file'],
  [{ patch: '@' }, '"" is not the name of a file'],
  [{ patch: '/nowhere/at/all' }, 'Cannot read /nowhere/at/all: there is no such file'],
  [{ set: ['/a=1', '/a=2'] }, '/a: is changed by two flags'],
  [{ set: ['/a=1'], remove: ['/a/b'] }, '/a/b: is changed by two flags'],
  [{ add: ['/location={}'], set: ['/location/city="x"'] }, '/location: is changed by two flags'],
  [{ set: ['/companyName="x"'], add: ['/company_name="x"'] }, '/company_name: is changed by two flags'],
  [{ add: ['/location={}'], set: ['/Location/city="x"'] }, '/location: is changed by two flags'],
  [{ set: ['/COMPANYNAME="x"'], remove: ['/company_name'] }, '/company_name: is changed by two flags'],
])('%j is rejected', async (flags, message) => {
  expect(await errorOf(stepsFrom([], flags, inputOf()))).toContain(message);
});

test('numbers that round-trip are accepted', async () => {
  const flags = { set: ['/a=1.0', '/b=1e3', '/c=100000000000000000000'], add: ['/d=[0.1,-0]'], patch: '-' };

  const steps = await stepsFrom([], flags, inputOf('[{"op":"add","path":"/e","value":2.50}]'));

  expect(JSON.stringify(steps.map((step) => 'value' in step && step.value))).toBe(
    '[1,1000,100000000000000000000,[0.1,0],2.5]',
  );
});

test('an inexact number in a value file is rejected like one on the command line', async () => {
  const path = await file('value.json', '{"a":[1,1e999]}');

  expect(await errorOf(stepsFrom([], { set: [`/a=@${path}`] }, inputOf()))).toBe(
    `${path} has the number "1e999", which cannot be sent exactly; write it as a text at line 1, column 9.`,
  );
});

describe('--patch with other flags', () => {
  test.each([
    [['/enabled'], {}, '{"op":"replace","path":"/enabled","value":false}', '/enabled'],
    [['/enabled'], {}, '{"op":"remove","path":""}', 'the whole record'],
    [['/properties'], {}, '{"op":"remove","path":"/Properties/0"}', '/Properties/0'],
    [['/properties'], {}, '{"op":"move","from":"/properties","path":"/x"}', '/properties'],
    [[], { set: ['/location={}'] }, '{"op":"add","path":"/Location/city","value":1}', '/Location/city'],
    [[], { remove: ['/company_name'] }, '{"op":"copy","from":"/a","path":"/companyName"}', '/companyName'],
  ])('%j and %j: the operation %s is rejected', async (own, flags, step, path) => {
    const work = stepsFrom(own, { ...flags, patch: '-' }, inputOf(`[${step}]`));

    expect(await errorOf(work)).toBe(`${path}: is changed by two flags`);
  });

  test.each([
    '{"op":"test","path":"/enabled","value":false}',
    '{"op":"copy","from":"/enabled","path":"/was"}',
    '{"op":"replace","path":"/a","value":1},{"op":"replace","path":"/a","value":2}',
  ])('accepts operations that do not conflict: %s', async (steps) => {
    expect(await stepsFrom(['/enabled'], { patch: '-' }, inputOf(`[${steps}]`))).toEqual(
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
  const flags = { set: ['/a=@/nowhere', '/b=x'], patch: '-' };

  const work = stepsFrom([], flags, stdin);

  expect(await errorOf(work)).toContain('--set: "x" is not JSON');
});

test('a deeply nested value is rejected', async () => {
  const flags = { set: [`/a=${'['.repeat(5000)}${']'.repeat(5000)}`] };

  expect(await errorOf(stepsFrom([], flags, inputOf()))).toMatch(/^--set is/);
});

test('paths with a common string prefix do not conflict', async () => {
  const flags = { set: ['/name/de="x"'], add: ['/name/de-AT="y"'], remove: ['/nam'] };

  expect(await stepsFrom([], flags, inputOf())).toHaveLength(3);
});

test('all errors are reported at once, including earlier ones', async () => {
  const flags = { set: ['a=1', '/b=x'], add: ['/c'], remove: ['d'] };

  const message = await errorOf(
    stepsFrom([], flags, inputOf(), [{ field: 'id', reason: 'must not be empty' }]),
  );

  expect(message).toContain('5 values are not valid:\n  id: must not be empty\n  --set: "a"');
});

test.each<[string, string, string, string]>([
  ['an object instead of a list', 'p.json', '{"op":"add"}', 'p.json is not a list of operations (RFC 6902).'],
  ['null', 'p.json', 'null', 'is not a list of operations'],
  ['a string instead of a list', 'p.yaml', 'hello', 'is not a list of operations'],
  ['no operations', 'p.json', '[]', 'p.json contains no operations.'],
  ['no content', 'p.yaml', ' ', 'p.yaml is empty.'],
  ['broken JSON', 'p.json', '[{', 'is not valid JSON'],
  ['broken YAML', 'p.yaml', '- {', 'is not valid YAML'],
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
  [
    'an inexact number',
    'p.json',
    `[{"op":"add","path":"/a","value":[${digits}]}]`,
    `p.json has the number "${digits}", which cannot be sent exactly; write it as a text at line 1`,
  ],
  ['a misspelt member', 'p.json', '[{"op":"add","path":"/a","vale":1}]', '1 value: is missing'],
  ['NUL bytes', 'p.yaml', '- \0', 'has NUL bytes'],
  ['several documents', 'p.yaml', '- a\n---\n- b', 'contains several documents'],
  ['a tag', 'p.yaml', '- !!binary aGFt', 'has a tag'],
])('a patch file with %s is rejected', async (_, name, text, message) => {
  const patch = await file(name, text);

  expect(await errorOf(stepsFrom([], { patch }, inputOf()))).toContain(message);
});

test('an oversized patch file or value and a folder are rejected', async () => {
  const large = await file('large.json', `["${'x'.repeat(1_048_577)}"]`);
  const path = await folder();

  expect(await errorOf(stepsFrom([], { patch: large }, inputOf()))).toContain('is larger than 1 MiB');
  expect(await errorOf(stepsFrom([], { set: [`/a=@${large}`] }, inputOf()))).toContain('is larger than');
  expect(await errorOf(stepsFrom([], { patch: path }, inputOf()))).toContain('it is a folder');
});

test('a pointer as long as the size limit is validated quickly', async () => {
  const stdin = JSON.stringify([{ op: 'remove', path: `${'/a'.repeat(500_000)}~` }]);

  expect(await errorOf(stepsFrom([], { patch: '-' }, inputOf(stdin)))).toContain(
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
