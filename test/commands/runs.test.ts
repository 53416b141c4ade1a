import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journalFolder, journalPath } from '../../src/change/journal/journal.ts';
import {
  lineText,
  type NewLine,
  type RunCounts,
  type SendLine,
  type StartLine,
} from '../../src/change/journal/line.ts';
import { claimName } from '../../src/fs/lock.ts';
import { cli, hotelsOfAurora as hotels, type Situation } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';

const ana = '11111111-aaaa-4aaa-8aaa-111111111111';
const ben = '22222222-bbbb-4bbb-8bbb-222222222222';
const now = Date.parse('2025-03-02T10:00:00Z');
const allDone = { done: 1, failed: 0, unknown: 0, not_attempted: 0 };
const urls = {
  identity_url: 'https://identity.example.com',
  base_url: 'https://api.example.com',
  account: 'account AURORA',
};

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'innctl-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const innctl = (line: string, situation: Situation = {}) =>
  cli(line, { folder, env: hotels, now, ...situation });

/** A request for one record, and how it ended; without an outcome it is open. */
type Row = Partial<SendLine> & {
  readonly name: string;
  readonly outcome?: 'done' | 'failed' | 'unknown';
  readonly made?: string;
  readonly error?: string;
};

interface RunOptions {
  readonly start?: Partial<StartLine>;
  readonly at?: string;
  readonly rows?: readonly Row[];
  readonly counts?: RunCounts;
}

const journal = () => journalPath(join(folder, 'state'), urls);

/** Adds a run to the journal: one that was killed, or with counts one that ended. */
function writeRun(
  run: string,
  { at = '2025-03-01T10:00:00Z', rows = [{ name: 'BER' }], ...more }: RunOptions = {},
  path = journal(),
) {
  const base = { at: Date.parse(at), run };
  const head = {
    is: 'start',
    version: 2,
    command: 'apply',
    files: ['/home/ana/hotels.yaml'],
    ...urls,
  } as const;
  const lines = rows.flatMap(({ name, outcome, made, error, ...send }, index): NewLine[] => {
    const id = `${run}-${index}`;
    const about = { kind: 'property', action: 'create', does: `create ${name}`, by: 'x.1.y' } as const;
    const answer = { is: 'answer', ...base, of: id, id: made, error } as const;
    return [
      { is: 'send', ...base, id, ...about, rows: [{ name, hash: `hash of ${name}` }], ...send },
      ...(outcome === undefined ? [] : [{ ...answer, outcome }]),
    ];
  });
  const end = more.counts === undefined ? [] : [{ is: 'end', ...base, ...more.counts } as const];
  const all = [{ ...head, ...base, ...more.start }, ...lines, ...end];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, all.map((line) => lineText(line, (text) => text)).join(''), { flag: 'a' });
}

/** Writes two runs: Ana's, which was killed, and Ben's, a day later, which is complete. */
function writeTwoRuns() {
  writeRun(ana);
  writeRun(ben, {
    at: '2025-03-02T09:00:00Z',
    start: { command: 'people offboard', files: ['/home/ana/hotels.csv'], profile: 'chain' },
    rows: [{ name: 'MUC', outcome: 'done', made: 'P2' }],
    counts: allDone,
  });
}

const parsed = (text: string) => JSON.parse(text);

test('at a terminal of 80 columns runs have short ids, and their rows in words', async () => {
  writeTwoRuns();
  writeRun('nightly-2025-03-02', {
    at: '2025-03-02T09:30:00Z',
    rows: [{ name: 'VIE', outcome: 'failed' }],
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
  writeTwoRuns();

  const { exitCode, stdout } = await innctl('runs list --json');

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
        journal: journal(),
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
        journal: journal(),
        files: ['/home/ana/hotels.yaml'],
        ...urls,
      },
    ],
  });
});

test('a run whose process lives is listed with its pid', async () => {
  writeRun(ana, { at: '2025-03-02T10:00:00Z', rows: [{ name: 'BER', by: claimName() }] });
  writeRun(ben, { rows: [{ name: 'BER', by: claimName(), outcome: 'done' }], counts: allDone });

  const { stdout } = await innctl('runs list');

  expect(stdout.split('\n').map((line) => line.split('\t').slice(0, 6))).toEqual([
    [ana, '2025-03-02T10:00:00.000Z', 'apply', expect.any(String), 'running', String(process.pid)],
    [ben, '2025-03-01T10:00:00.000Z', 'apply', expect.any(String), 'complete', ''],
    [''],
  ]);
});

test('an unreadable journal does not hide the others', async () => {
  writeRun(ana);
  const broken = join(journalFolder(join(folder, 'state')), `${'0'.repeat(32)}.ndjson`);
  writeFileSync(broken, 'my notes\n');

  const { exitCode, stdout, stderr } = await innctl('runs list');

  expect([exitCode, stdout.startsWith(ana)]).toEqual([0, true]);
  expect(stderr).toBe(`warning: The journal ${broken} cannot be used: line 1: it is not JSON.\n`);
});

test('runs show prints the rows of a run named by an abbreviated id', async () => {
  writeRun(ana, {
    rows: [
      { name: 'BER', outcome: 'done', made: 'P1' },
      { name: 'ana@example.com', kind: 'invitation', outcome: 'failed', error: 'no\u001b[31m such role' },
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
    stderr: `Run ${ana} at identity.example.com, api.example.com (account AURORA) is incomplete: run the same command again to continue. Its journal is ${journal()}.\n`,
  });
});

test('runs show --json has all fields of the journal', async () => {
  writeRun(ana, { rows: [{ name: 'BER', key: 'key-1', outcome: 'done', made: 'P1' }] });

  const { stdout } = await innctl('runs show 111111 --json');

  expect(parsed(stdout)).toMatchObject({
    run_id: ana,
    state: 'incomplete',
    journal: journal(),
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
  writeRun(ana);

  const { exitCode, stdout, stderr } = await innctl('runs show 333333');

  expect({ exitCode, stdout, stderr }).toEqual(
    ended(3, 'error: No journal here has a run 333333.\nhint: innctl runs list\n'),
  );
});

test('an abbreviated id of fewer than six characters is rejected', async () => {
  writeRun(ana);

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
  writeRun('7', { counts: allDone });
  writeRun('build-7', { counts: allDone });
  writeRun('build-77', { counts: allDone });

  const ids = await Promise.all(
    ['7', 'build-7'].map(async (id) => parsed((await innctl(`runs show ${id} --json`)).stdout).run_id),
  );

  expect(ids).toEqual(['7', 'build-7']);
});

test('an ambiguous prefix of two ids is rejected', async () => {
  writeRun('build-71', { counts: allDone });
  writeRun('build-72', { counts: allDone });

  const { exitCode, stderr } = await innctl('runs show build-7');

  expect([exitCode, stderr]).toEqual([
    12,
    'error: 2 runs begin with build-7: build-71, build-72.\nhint: Type more of the id.\n',
  ]);
});

test('an id in two journals is ambiguous', async () => {
  writeRun('build-7', { counts: allDone });
  const other = join(journalFolder(join(folder, 'state')), `${'f'.repeat(32)}.ndjson`);
  writeRun('build-7', { counts: allDone }, other);

  expect((await innctl('runs show build-7')).exitCode).toBe(12);
});
