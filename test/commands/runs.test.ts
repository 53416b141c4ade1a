import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type NewRow, type NewRun, openJournal } from '../../src/seed/journal.ts';
import { journalPath } from '../../src/seed/journal-read.ts';
import { cli, hotelsOfAurora as hotels, type Situation } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { contextAt, rowOf, hotels as run } from '../seed/run.ts';

const ana = '11111111-aaaa-4aaa-8aaa-111111111111';
const ben = '22222222-bbbb-4bbb-8bbb-222222222222';
const now = Date.parse('2025-03-02T10:00:00Z');
const allDone = { done: 1, failed: 0, unknown: 0, not_attempted: 0 };

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'innctl-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const innctl = (line: string, situation: Situation = {}) =>
  cli(line, { folder, env: hotels, now, ...situation });

interface RunOptions {
  readonly path?: string;
  readonly run?: Partial<NewRun>;
  readonly at?: string;
  readonly rows?: readonly NewRow[];
  readonly counts?: typeof allDone;
}

/** Writes the journal of a run: of a killed one, or with counts of a finished one. */
async function writeRun(
  runId: string,
  { at = '2025-03-01T10:00:00Z', rows = [rowOf('BER')], ...left }: RunOptions = {},
) {
  const whole = { ...run, ...left.run };
  const path = left.path ?? journalPath(join(folder, 'state'), whole);
  const journal = await openJournal({ path, runId, run: whole, context: contextAt(() => Date.parse(at)) });
  await journal.writeAll(rows);
  if (left.counts !== undefined) await journal.finish(left.counts);
  await journal.close();
  return path;
}

/** Writes two runs: Ana's, which was killed, and Ben's, a day later, which is complete. */
const writeTwoRuns = async () => ({
  ana: await writeRun(ana),
  ben: await writeRun(ben, {
    at: '2025-03-02T09:00:00Z',
    run: { command: 'people offboard', files: ['/home/ana/hotels.csv'], profile: 'chain' },
    rows: [rowOf('MUC', { state: 'done', id: 'P2' })],
    counts: allDone,
  }),
});

const parsed = (text: string) => JSON.parse(text);

test('at a terminal of 80 columns runs have short ids, and their rows in words', async () => {
  await writeTwoRuns();
  await writeRun('nightly-2025-03-02', {
    at: '2025-03-02T09:30:00Z',
    rows: [rowOf('VIE', { state: 'failed' })],
  });

  const { stdout, stderr } = await innctl('runs list --color never', { columns: 80, answers: [] });

  expect(stdout).toBe(`\
┌────────────────────┬────────────┬───────────┬────────────────┐
│ Run                │ State      │ Rows      │ Started        │
├────────────────────┼────────────┼───────────┼────────────────┤
│ nightly-2025-03-02 │ incomplete │ 1 failed  │ 30 minutes ago │
│ 22222222           │ complete   │ 1 done    │ 1 hour ago     │
│ 11111111           │ incomplete │ 1 unknown │ 1 day ago      │
└────────────────────┴────────────┴───────────┴────────────────┘
`);
  expect(stderr).toBe('3 columns more with -o wide or --fields.\n');
});

test('without runs the list is empty', async () => {
  expect(await innctl('runs list --json')).toEqual(printed('{\n  "count": 0,\n  "items": []\n}\n'));
});

test('runs are listed with their state, newest first', async () => {
  const paths = await writeTwoRuns();

  const { exitCode, stdout } = await innctl('runs list --json');

  const urls = {
    identity_url: 'https://identity.example.com',
    base_url: 'https://api.example.com',
    account: 'account AURORA',
  };
  expect(exitCode).toBe(0);
  expect(parsed(stdout)).toEqual({
    count: 2,
    items: [
      {
        run_id: ben,
        started: '2025-03-02T09:00:00.000Z',
        command: 'people offboard',
        target: 'identity.example.com, api.example.com (account AURORA)',
        state: 'complete',
        done: 1,
        failed: 0,
        unknown: 0,
        not_attempted: 0,
        journal: paths.ben,
        files: ['/home/ana/hotels.csv'],
        ...urls,
        profile: 'chain',
      },
      {
        run_id: ana,
        started: '2025-03-01T10:00:00.000Z',
        command: 'apply',
        target: 'identity.example.com, api.example.com (account AURORA)',
        state: 'incomplete',
        done: 0,
        failed: 0,
        unknown: 1,
        not_attempted: 0,
        journal: paths.ana,
        files: ['/home/ana/hotels.yaml'],
        ...urls,
      },
    ],
  });
});

test('a run in progress is listed with its pid', async () => {
  const journal = await openJournal({
    path: journalPath(join(folder, 'state'), run),
    runId: ana,
    run,
    context: contextAt(() => now),
  });
  await journal.write(rowOf('BER', { state: 'planned' }));

  const { stdout } = await innctl('runs list');
  await journal.close();

  expect(stdout).toBe(
    `${ana}\t2025-03-02T10:00:00.000Z\tapply\tidentity.example.com, api.example.com (account AURORA)\trunning\t${process.pid}\t0\t0\t0\t1\n`,
  );
});

test('only the last unfinished run of a locked journal is listed as running', async () => {
  const path = await writeRun('build-1');
  await writeRun('build-2', { path, counts: allDone });
  const journal = await openJournal({ path, runId: 'build-3', run, context: contextAt(() => now) });
  await journal.write(rowOf('BER'));
  const listed = async () =>
    parsed((await innctl('runs list --json')).stdout).items.map(
      (each: { readonly run_id: string; readonly state: string; readonly pid?: number }) => [
        each.run_id,
        each.state,
        each.pid,
      ],
    );

  const under = await listed();
  await journal.finish(allDone);
  const ended = await listed();
  await journal.close();

  const others = [
    ['build-1', 'incomplete', undefined],
    ['build-2', 'complete', undefined],
  ];
  expect(under).toEqual(expect.arrayContaining([['build-3', 'running', process.pid], ...others]));
  expect(ended).toEqual(expect.arrayContaining([['build-3', 'complete', undefined], ...others]));
  expect([under.length, ended.length]).toEqual([3, 3]);
});

test('a journal outside the state folder is listed with --journal', async () => {
  await writeRun(ana);
  await writeRun(ben, { path: join(folder, 'own.ndjson') });

  const listed = async (line: string) =>
    parsed((await innctl(line)).stdout).items.map(({ run_id }: { run_id: string }) => run_id);

  expect(await listed('runs list --json')).toEqual([ana]);
  expect(await listed(`runs list --json --journal ${folder}/own.ndjson`)).toEqual([ben, ana]);
});

test('an unreadable journal does not hide the others', async () => {
  await writeRun(ana);
  const broken = join(folder, 'state', 'runs', `${'0'.repeat(32)}.ndjson`);
  writeFileSync(broken, 'my notes\n');

  const { exitCode, stdout, stderr } = await innctl('runs list');

  expect([exitCode, stdout.startsWith(ana)]).toEqual([0, true]);
  expect(stderr).toBe(`warning: The journal ${broken} cannot be used: line 1: it is not JSON.\n`);
});

test('runs show prints the rows of a run named by an abbreviated id', async () => {
  const path = await writeRun(ana, {
    rows: [
      rowOf('BER', { key: 'key-1' }),
      rowOf('BER', { state: 'done', id: 'P1' }),
      rowOf('ana@example.com', { kind: 'invitation', state: 'failed', error: 'no\u001b[31m such role' }),
    ],
  });

  const shown = await innctl('runs show 111111');

  const at = '2025-03-01T10:00:00.000Z';
  expect(shown).toEqual({
    exitCode: 0,
    stdout:
      `property\tBER\tcreate\tdone\tP1\t${at}\t\ninvitation\tana@example.com\tcreate\tfailed\t\t${at}\tno\\\\u{1b}[31m such role\n`.replace(
        '\\\\u',
        '\\u',
      ),
    stderr: `Run ${ana} at identity.example.com, api.example.com (account AURORA) is incomplete: run the same command again to continue. Its journal is ${path}.\n`,
  });
});

test('runs show --json has all fields of the journal', async () => {
  const path = await writeRun(ana, {
    rows: [rowOf('BER', { key: 'key-1' }), rowOf('BER', { state: 'done', id: 'P1' })],
  });

  const { stdout } = await innctl('runs show 111111 --json');

  expect(parsed(stdout)).toMatchObject({
    run_id: ana,
    state: 'incomplete',
    journal: path,
    count: 1,
    items: [
      {
        kind: 'property',
        name: 'BER',
        action: 'create',
        state: 'done',
        hash: 'hash of BER',
        key: 'key-1',
        id: 'P1',
        at: '2025-03-01T10:00:00.000Z',
      },
    ],
  });
});

test('an unknown run id is reported', async () => {
  await writeRun(ana);

  const { exitCode, stdout, stderr } = await innctl('runs show 333333');

  expect({ exitCode, stdout, stderr }).toEqual(
    ended(3, 'error: No journal here has a run 333333.\nhint: innctl runs list\n'),
  );
});

test('an unknown run id with --journal names the journal and the command that lists its runs', async () => {
  const path = await writeRun(ana);

  expect(await innctl(`runs show 333333 --journal ${path}`)).toEqual(
    ended(3, `error: ${path} has no run 333333.\nhint: innctl runs list --journal ${path}\n`),
  );
});

test('an abbreviated id of fewer than six characters is rejected', async () => {
  await writeRun(ana);

  const { exitCode, stderr } = await innctl('runs show 11111');

  expect(exitCode).toBe(3);
  expect(stderr).toContain('An abbreviated id needs 6 characters.');
});

test('an invalid run id is rejected', async () => {
  const refusals = await Promise.all(
    ['', '  ', 'a b', 'a\u001b[2J', 'a\u202eb', 'é', 'a'.repeat(129)].map((id) =>
      cli(['runs', 'show', id], { folder, env: hotels }),
    ),
  );

  expect(refusals.map(({ exitCode }) => exitCode)).toEqual(refusals.map(() => 2));
  expect(refusals[3]).toEqual(
    ended(
      2,
      String.raw`error: run-id: "a\u001b[2J" must be 1 to 128 visible ASCII characters without blanks` +
        '\nhint: innctl runs list\n',
    ),
  );
});

test('a short full id matches exactly and not as the prefix of another', async () => {
  await writeRun('7', { counts: allDone });
  await writeRun('build-7', { counts: allDone });
  await writeRun('build-77', { counts: allDone });

  const ids = await Promise.all(
    ['7', 'build-7'].map(async (id) => parsed((await innctl(`runs show ${id} --json`)).stdout).run_id),
  );

  expect(ids).toEqual(['7', 'build-7']);
});

test('an ambiguous prefix of two ids is rejected', async () => {
  await writeRun('build-71', { counts: allDone });
  await writeRun('build-72', { counts: allDone });

  const { exitCode, stderr } = await innctl('runs show build-7');

  expect([exitCode, stderr]).toEqual([
    12,
    'error: 2 runs begin with build-7: build-72, build-71.\nhint: Type more of the id.\n',
  ]);
});

test('an id in two journals requires --journal', async () => {
  const own = join(folder, 'own.ndjson');
  await writeRun('build-7', { counts: allDone });
  await writeRun('build-7', {
    path: join(folder, 'state', 'runs', `${'f'.repeat(32)}.ndjson`),
    counts: allDone,
  });
  await writeRun('build-7', { path: own, counts: allDone });

  const { exitCode } = await innctl('runs show build-7');
  const named = await innctl(`runs show build-7 --json --journal ${own}`);

  expect([exitCode, named.exitCode, parsed(named.stdout).journal]).toEqual([12, 0, own]);
});

test.each(['list', 'show 111111'])('runs %s reports a missing journal file', async (words) => {
  const { exitCode, stderr } = await innctl(`runs ${words} --journal ${folder}/none.ndjson`);

  expect([exitCode, stderr]).toEqual([2, `error: There is no journal at ${folder}/none.ndjson.\n`]);
});

test('a folder is rejected as a journal', async () => {
  mkdirSync(join(folder, 'own.ndjson'));

  const { exitCode, stderr } = await innctl(`runs list --journal ${folder}/own.ndjson`);

  expect([exitCode, stderr]).toEqual([
    2,
    `error: ${folder}/own.ndjson cannot be a journal: it is not a regular file.\nhint: Name the file itself, or another one, with --journal.\n`,
  ]);
});
