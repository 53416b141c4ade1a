import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connect } from '../../src/model/ports.ts';
import { cli, hotels } from '../helpers/cli.ts';

const BOM = '\ufeff';
const DEEP = 20_000;

/** Invalid input files and the expected part of the error message. */
const files: Readonly<Record<string, readonly [content: string | Uint8Array, reason: string]>> = {
  'empty.yaml': ['', 'is empty'],
  'mark.yaml': [BOM, 'is empty'],
  'blank.json': [`${BOM} \r\n\t`, 'is empty'],
  'comment.yaml': ['# code: BER\n', 'is empty'],
  'utf16.yaml': [Buffer.from('code: BER\n', 'utf16le'), 'is not UTF-8 text'],
  'utf16-marked.json': [Buffer.from(`${BOM}{"code":`, 'utf16le'), 'is not valid JSON'],
  'utf16-other-order.yaml': [Buffer.from(`${BOM}code: [\n`, 'utf16le').swap16(), 'is not valid YAML'],
  'latin1.yaml': [Buffer.from('city: K\xf6ln\n', 'latin1'), 'is not UTF-8 text'],
  'overlong.json': [Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'is not UTF-8 text'],
  'nul.yaml': ['code: B\0R\n', 'is not UTF-8 text'],
  'image.json': [Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'is not UTF-8 text'],
  'deep.json': ['['.repeat(DEEP) + ']'.repeat(DEEP), 'is nested deeper than 50'],
  'deep-open.json': ['{"a":'.repeat(DEEP), 'is nested deeper than 50'],
  'deep.yaml': ['- '.repeat(DEEP), 'is nested deeper than 50'],
  'deep-flow.yaml': ['{a: '.repeat(10_000), 'is nested deeper than 50'],
  'bomb.yaml': [bomb(), 'uses aliases (*) of one anchor (&) more than 100 times'],
  'tag.yaml': ['code: !!js/function "x"\n', 'is not valid YAML: Unresolved tag'],
  'twice.yaml': ['code: BER\ncode: MUC\n', 'twice'],
  'twice.json': ['{"code":"BER",\n"code":"MUC"}', 'twice'],
  'trailing.json': ['{"code":"BER"}\n x', 'is not valid JSON'],
  'comment.json': ['{"code":"BER" /* x */}', 'is not valid JSON'],
  'comma.json': ['{"code":"BER",}', 'is not valid JSON'],
  'not-a-number.json': ['{"code":NaN}', 'is not valid JSON'],
  'control.json': ['{"code":"a\u0007"}', 'is not valid JSON'],
  'infinite.json': ['{"code":1e999}', 'has the number "1e999"'],
  'beyond.json': ['{"code":9007199254740993}', 'has the number "9007199254740993"'],
};

function bomb(): string {
  const levels = [...'bcdefghi'].map(
    (name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(',')}]`,
  );
  return `a: &a [x]\n${levels.join('\n')}\n`;
}

/** Every command that reads an input file, by flag or argument. */
const commands: Readonly<Record<string, (file: string) => readonly string[]>> = {
  'properties create': (file) => ['properties', 'create', '--file', file],
  'invitations create': (file) => ['invitations', 'create', '--file', file],
  'users update': (file) => ['users', 'update', 'u-1', '--patch', file],
  'properties update': (file) => ['properties', 'update', 'BER', '--patch', file],
  plan: (file) => ['plan', file],
  apply: (file) => ['apply', file, '--yes'],
};

let folder = '';
let sent = 0;

/** Roles and properties of files that can be read are looked up. */
const counting: Connect = async () => ({
  request: async ({ method }) => {
    if (method !== 'GET') sent += 1;
    return { status: 401, headers: {}, bytes: new Uint8Array() };
  },
  close: async () => {},
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  for (const [name, [content]] of Object.entries(files)) await writeFile(join(folder, name), content);
  await symlink('circle.yaml', join(folder, 'circle.yaml'));
  await symlink('/nowhere/hotel.yaml', join(folder, 'dangling.yaml'));
  await mkdir(join(folder, 'folder.yaml'));
  await writeFile(join(folder, 'sparse.yaml'), '');
  await truncate(join(folder, 'sparse.yaml'), 2 ** 40);
});

afterAll(() => rm(folder, { recursive: true }));

/** Runs a command line that must be rejected without a write, and returns its JSON error. */
async function errorOf(words: readonly string[]): Promise<{ message: string; stack?: string }> {
  sent = 0;
  const { exitCode, stdout, stderr } = await cli([...words, '--json'], { env: hotels, connect: counting });
  expect({ exitCode, stdout, sent }).toEqual({ exitCode: 2, stdout: '', sent: 0 });
  return JSON.parse(stderr).error;
}

describe('an invalid file is rejected by name, without a write', () => {
  const cases = Object.entries(commands).flatMap(([command, words]) =>
    Object.entries(files).map(([name, [, reason]]) => ({ command, words, name, reason })),
  );

  test.each(cases)('$command $name', async ({ words, name, reason }) => {
    const { message, stack } = await errorOf(words(join(folder, name)));

    expect(message).toContain(join(folder, name));
    expect(message).toContain(reason);
    expect(message.length).toBeLessThan(1_000);
    expect(stack).toBeUndefined();
  });
});

describe('a path that is not a readable file is rejected with the system error or the size', () => {
  const cases = Object.entries(commands).flatMap(([command, words]) =>
    (
      [
        ['circle.yaml', 'its path is a circle of links (ELOOP)'],
        ['dangling.yaml', 'there is no such file (ENOENT)'],
        ['folder.yaml', command === 'plan' || command === 'apply' ? 'has no files' : 'it is a folder'],
        ['sparse.yaml', 'is larger than'],
        ['/dev/zero', 'is larger than'],
        ['/dev/full', 'is larger than'],
        ['/dev/null', 'is empty'],
        ['/proc/self/mem', 'cannot be read|Cannot read'],
        [' ', '" " is not the name of a file|" ": is not the name of a file'],
        ['x'.repeat(5_000), 'is too long for the name of a file'],
      ] as const
    ).map(([path, reason]) => ({ command, words, path, reason })),
  );

  test.each(cases)('$command $path', async ({ words, path, reason }) => {
    const { message } = await errorOf(words(/^[ /x]/.test(path) ? path : join(folder, path)));

    expect(message).toMatch(new RegExp(reason.replaceAll(/[()]/g, '\\$&')));
    expect(message.length).toBeLessThan(400);
  });
});

test.each([
  ['JSON', 'many.json', `{${manyFields((name) => `"${name}":1`, ',')}}`],
  ['YAML', 'many.yaml', manyFields((name) => `${name}: 1`, '\n')],
])('many unknown fields are counted, and the first hundred are listed: %s', async (_, name, text) => {
  const file = join(folder, name);
  await writeFile(file, text);

  const { message } = await errorOf(['invitations', 'create', '--file', file]);

  expect(message.split('\n')).toHaveLength(102);
  expect(message).toMatch(/^[\d,]+ values are not valid:\n/);
  expect(message).toMatch(/\n {2}and [\d,]+ more$/);
});

/** As many fields as a file allows: duplicate detection must not take quadratic time. */
function manyFields(field: (name: string) => string, separator: string): string {
  return Array.from({ length: 20_000 }, (_, index) => field(`k${index}`)).join(separator);
}

test('a very long field name is truncated', async () => {
  const file = join(folder, 'endless.json');
  await writeFile(file, `{"${'k'.repeat(500_000)}":1,"email":"ana@example.com"}`);

  const { message } = await errorOf(['invitations', 'create', '--file', file]);

  expect(message).toBe(`${file}: "${'k'.repeat(59)}…": is not a field of an invitation`);
});

test('CR line endings are accepted', async () => {
  const file = join(folder, 'mac.yaml');
  await writeFile(file, 'email: ben\rrole: Housekeeping\r');

  expect(await errorOf(['invitations', 'create', '--file', file])).toMatchObject({
    details: [{ field: `${file}: email`, reason: '"ben" is not an e-mail address' }],
  });
});

describe('an invalid table is rejected with the row', () => {
  test.each([
    ['a row with too many cells', 'email,role\nana@example.com\nben@example.com,Housekeeping,x,y\n', 'row 3'],
    ['an unterminated quote', 'email,role\n"ana@example.com,x\nben@example.com,y\n', 'row 2'],
    ['a stray quote in a cell', 'email,role\nan"a@example.com,x\n', 'row 2'],
    ['a cell over 1 MiB', `email,role\nana@example.com,${'x'.repeat(1_048_577)}\n`, 'row 2'],
    ['a duplicate column', 'email,email\nana@example.com,ben@example.com\n', 'row 1'],
    ['a column called __proto__', '__proto__,email\nx,ana@example.com\n', 'row 1'],
    ['a NUL byte', 'email\nana\0@example.com\n', 'UTF-8'],
    ['another encoding', Buffer.from('email,role\nana@example.com,K\xfcche\n', 'latin1'), 'UTF-8'],
  ])('%s', async (_, content, place) => {
    const file = join(folder, 'people.csv');
    await writeFile(file, content);

    const { message } = await errorOf(['plan', file]);

    expect(message).toContain(file);
    expect(message).toContain(place);
    expect(message.length).toBeLessThan(1_000);
  });
});
