import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, type Home, openHome, root } from './home.ts';

/** The most memory that the program may use for a file that it rejects. */
// Newer Node versions start with more, and collect later.
const MOST_MIB = Number(process.versions.node.split('.')[0]) < 22 ? 150 : 300;

const MIB = 1_048_576;

/** Runs `plan` and measures its peak memory; the command `before` writes its stdin. */
async function plan(home: Home, path: string, before = ':') {
  const peakFile = join(home.folder, 'peak');
  const { exitCode, stderr } = await home.run(
    ['bash', '-c', `${before} | "$0" "$@"`, process.execPath, binary, '--sandbox', 'plan', path],
    { env: { NODE_OPTIONS: `--require ${join(root, 'test/soak/peak.cjs')}`, PEAK_FILE: peakFile } },
  );
  return { exitCode, stderr, peakMiB: Number(await readFile(peakFile, 'utf8')) / 1_024 };
}

test.each(['- ', '[', '? '])(
  '8 MiB of %j in YAML are rejected before the document is composed',
  async (part) => {
    await using home = await openHome();
    await writeFile(join(home.folder, 'x.yaml'), part.repeat((8 * MIB) / part.length));

    const { exitCode, stderr, peakMiB } = await plan(home, 'x.yaml');

    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: x.yaml: is nested deeper than 50\n',
    });
    expect(peakMiB).toBeLessThan(MOST_MIB);
  },
);

test.each(['plan', 'apply --yes', 'properties create --file', 'api POST /inventory/v1/properties --input'])(
  '--timeout ends waiting for a silent stdin: %s -',
  async (line) => {
    await using home = await openHome();
    const command = [process.execPath, binary, '--sandbox', '--timeout', '0.5', ...line.split(' '), '-'];

    // The pipe stays open.
    expect(await home.run(command, { stdio: ['pipe', 'pipe', 'pipe'] })).toEqual({
      exitCode: 7,
      stdout: '',
      stderr:
        'error: Could not read stdin: the time was over before its end came.\n' +
        'hint: Give more time with --timeout.\n',
    });
  },
);
