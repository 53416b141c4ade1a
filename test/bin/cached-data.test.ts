import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Home, openHome, root } from './home.ts';

const list = ['--sandbox', 'properties', 'list', '--output', 'table'];

/** Copies the package into a home, as an installation does. */
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

/** Inverts some bytes in every 4 KiB. */
function corrupted(bytes: Buffer, from: number): Buffer {
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
    what: 'is truncated',
    change: async (path: string) => writeFile(path, (await readFile(path)).subarray(0, 99_999)),
  },
  { what: 'is garbage', change: async (path: string) => writeFile(path, corrupted(await readFile(path), 0)) },
  {
    what: 'is garbage after its header',
    change: async (path: string) => writeFile(path, corrupted(await readFile(path), 1_024)),
  },
  { what: 'is a folder', change: (path: string) => rm(path).then(() => mkdir(path)) },
])('the output is the same if the cached data $what', async ({ change }) => {
  await using home = await openHome();
  const { code, run } = await install(home);
  const expected = await run();

  await change(code);

  expect(await run()).toEqual(expected);
  expect(expected).toMatchObject({ exitCode: 0, stderr: '' });
});

test('cached data of another V8 version is ignored', async () => {
  await using home = await openHome();
  const { code, run } = await install(home);
  const expected = await run();
  const bytes = await readFile(code);
  const parts: Record<string, [number, number, string, number]> = JSON.parse(
    bytes.subarray(0, 1_024).toString(),
  );

  // The second word of each part is V8's version hash, which the checksum of samples does not cover.
  for (const [offset] of Object.values(parts))
    bytes.writeUInt32LE((bytes.readUInt32LE(offset + 4) ^ 1) >>> 0, offset + 4);
  await writeFile(code, bytes);

  expect(await run()).toEqual(expected);
});

test.each(['--max-lazy', '--no-opt', '--stress-lazy-source-positions'])(
  'with %s Node compiles the program without cached data',
  async (flag) => {
    await using home = await openHome();
    const { run } = await install(home);

    expect(await run(list, { flags: [flag] })).toEqual(await run());
  },
);

test('the program runs on Node without process.getBuiltinModule', async () => {
  await using home = await openHome();
  const { folder, run } = await install(home);
  const older = join(folder, 'older.cjs');
  await writeFile(older, 'process.getBuiltinModule = undefined;');

  expect(await run(list, { flags: ['--require', older] })).toEqual(await run());
});

test('cached data of a modified file is ignored', async () => {
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

test('a run writes nothing into the package, which may be read-only', async () => {
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

test('help is the same without the prebuilt help pages', async () => {
  await using home = await openHome();
  const { dist, run } = await install(home);
  const lines = [['--help'], ['properties'], ['help', 'users', 'list'], ['invite', 'new', '-h']];
  const printed = await Promise.all(lines.map((line) => run(line)));

  await rm(join(dist, 'help.txt'));

  expect(await Promise.all(lines.map((line) => run(line)))).toEqual(printed);
});

test.each(['bash', 'zsh', 'fish', 'powershell'])(
  'completion %s is the same from the prebuilt file and from the program',
  async (shell) => {
    await using home = await openHome();
    const { run } = await install(home);

    expect(await run(['completion', shell])).toEqual(await run(['--no-input', 'completion', shell]));
  },
);
