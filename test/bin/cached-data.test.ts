import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Home, openHome, root } from './home.ts';

const list = ['--sandbox', 'properties', 'list', '--output', 'table'];

/** A package as it is installed, in a home. */
async function install(home: Home) {
  const folder = join(home.folder, 'package');
  for (const name of ['bin', 'dist', 'completions', 'package.json']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  const dist = join(folder, 'dist');
  const code = (await readdir(dist)).find((name) => name.endsWith('.bin')) ?? 'none';
  const run = (args = list, options = {}) =>
    home.run([
      process.execPath,
      ...((options as { flags?: string[] }).flags ?? []),
      join(folder, 'bin/innctl.js'),
      ...args,
    ]);
  return { folder, dist, code: join(dist, code), run };
}

/** Flips the bits of some bytes in every 4 KiB. */
function spoilt(bytes: Buffer, from: number): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = from; at < copy.length; at += 4_096) {
    for (let each = at; each < Math.min(at + 1_024, copy.length); each += 1) copy[each] = ~(copy[each] ?? 0);
  }
  return copy;
}

test.each([
  { what: 'is missing', change: (path: string) => rm(path) },
  { what: 'is empty', change: (path: string) => writeFile(path, '') },
  {
    what: 'is cut short',
    change: async (path: string) => writeFile(path, (await readFile(path)).subarray(0, 99_999)),
  },
  { what: 'is garbage', change: async (path: string) => writeFile(path, spoilt(await readFile(path), 0)) },
  {
    what: 'is garbage behind its head',
    change: async (path: string) => writeFile(path, spoilt(await readFile(path), 1_024)),
  },
  { what: 'is a folder', change: (path: string) => rm(path).then(() => mkdir(path)) },
])('the program is the same where its cached data $what', async ({ change }) => {
  await using home = await openHome();
  const { code, run } = await install(home);
  const usual = await run();

  await change(code);

  expect(await run()).toEqual(usual);
  expect(usual).toMatchObject({ exitCode: 0, stderr: '' });
});

test('cached data of another V8 is left alone', async () => {
  await using home = await openHome();
  const { code, run } = await install(home);
  const usual = await run();
  const bytes = await readFile(code);
  const parts: Record<string, [number, number, string, number]> = JSON.parse(
    bytes.subarray(0, 1_024).toString(),
  );

  // The second word of each part is V8's hash of its version, which the sum of samples does not look at.
  for (const [offset] of Object.values(parts))
    bytes.writeUInt32LE((bytes.readUInt32LE(offset + 4) ^ 1) >>> 0, offset + 4);
  await writeFile(code, bytes);

  expect(await run()).toEqual(usual);
});

test.each(['--max-lazy', '--no-opt', '--stress-lazy-source-positions'])(
  'a Node with %s compiles the program itself',
  async (flag) => {
    await using home = await openHome();
    const { run } = await install(home);

    expect(await run(list, { flags: [flag] })).toEqual(await run());
  },
);

test('a Node of before process.getBuiltinModule runs the program', async () => {
  await using home = await openHome();
  const { folder, run } = await install(home);
  const older = join(folder, 'older.cjs');
  await writeFile(older, 'process.getBuiltinModule = undefined;');

  expect(await run(list, { flags: ['--require', older] })).toEqual(await run());
});

test('a changed file runs as it is, not as it was built', async () => {
  await using home = await openHome();
  const { dist, run } = await install(home);
  const core = join(dist, 'core.js');
  const text = await readFile(core, 'utf8');
  const [stamp = ''] = /[0-9a-f]{16}$/.exec(text) ?? [];
  const version = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version;
  const other = version.replace(/\d/g, '9');

  await writeFile(
    core,
    text.replace(`\`${version}\``, `\`${other}\``).replace(stamp, stamp.replace(/./g, 'f')),
  );

  expect(await run(['--no-input', '--version'])).toEqual({ exitCode: 0, stdout: `${other}\n`, stderr: '' });
});

test('no run writes into the package, and it may be read-only', async () => {
  await using home = await openHome();
  const { dist, code, run } = await install(home);
  const before = await readFile(code);
  const names = await readdir(dist);
  await chmod(dist, 0o500);

  const ended = await run();

  await chmod(dist, 0o700);
  expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  expect({ names: await readdir(dist), isSame: before.equals(await readFile(code)) }).toEqual({
    names,
    isSame: true,
  });
});

test('the program says the same without the texts that were made for it', async () => {
  await using home = await openHome();
  const { dist, run } = await install(home);
  const lines = [['--help'], ['properties'], ['help', 'users', 'list'], ['invite', 'new', '-h']];
  const printed = await Promise.all(lines.map((line) => run(line)));

  await rm(join(dist, 'help.txt'));

  expect(await Promise.all(lines.map((line) => run(line)))).toEqual(printed);
});

test.each(['bash', 'zsh', 'fish', 'powershell'])('completion %s is the same by both ways', async (shell) => {
  await using home = await openHome();
  const { run } = await install(home);

  expect(await run(['completion', shell])).toEqual(await run(['--no-input', 'completion', shell]));
});
