import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { claimName } from '../../src/fs/lock.ts';
import { journalFolder, journalPath } from '../../src/journal/journal.ts';
import { cli, hotelsOfAurora as hotels, type Situation } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { aurora, type WrittenRun, writeRun as writeJournal } from '../helpers/journal.ts';

const ana = '11111111-aaaa-4aaa-8aaa-111111111111';
const ben = '22222222-bbbb-4bbb-8bbb-222222222222';
const now = Date.parse('2025-03-02T10:00:00Z');
const allDone = { done: 1, failed: 0, unknown: 0, not_attempted: 0 };
let folder = '';

beforeEach(async () => {
  folder = await temporaryFolder();
});

const innctl = (line: string, situation: Situation = {}) =>
  cli(line, { folder, env: hotels, now, ...situation });

const journal = () => journalPath(join(folder, 'state'), aurora);

/** A request for one record, and how it ended; without an outcome it is open. */
type Row = Pick<NonNullable<WrittenRun['sent']>[number], 'kind' | 'by' | 'key'> & {
  readonly name: string;
  readonly outcome?: 'done' | 'failed' | 'unknown';
  readonly made?: string;
  readonly error?: string;
};

/** Adds a run to the journal: one that was killed, or one that ended. */
function writeRun(run: string, rows: readonly Row[] = [{ name: 'BER' }], more: Partial<WrittenRun> = {}) {
  const sent = rows.map(({ name, outcome, made, error, ...send }) => ({
    ...send,
    rows: [{ name, hash: `hash of ${name}` }],
    ...(outcome === undefined ? {} : { answer: { outcome, id: made, error } }),
  }));
  return writeJournal(folder, { run, sent, ...more });
}

/** Writes two runs: Ana's, which was killed, and Ben's, a day later, which is complete. */
function writeTwoRuns() {
  writeRun(ana);
  writeRun(ben, [{ name: 'MUC', outcome: 'done', made: 'P2' }], {
    ...{ at: '2025-03-02T09:00:00Z', command: 'people offboard', files: ['/home/ana/hotels.csv'] },
    ...{ profile: 'chain', end: allDone },
  });
}

const parsed = (text: string) => JSON.parse(text);

test('at a terminal of 80 columns runs have short ids, and counts of their rows', async () => {
  writeTwoRuns();
  writeRun('nightly-2025-03-02', [{ name: 'VIE', outcome: 'failed' }], { at: '2025-03-02T09:30:00Z' });

  const { stdout, stderr } = await innctl('runs list --color never', { columns: 80, answers: [] });

  expect(stdout).toBe(`\
┌────────────────────┬────────────┬──────┬────────┬─────────┬────────────────┐
│ Run                │ State      │ Done │ Failed │ Unknown │ Started        │
├────────────────────┼────────────┼──────┼────────┼─────────┼────────────────┤
│ nightly-2025-03-02 │ incomplete │ 0    │ 1      │ 0       │ 30 minutes ago │
│ 22222222           │ complete   │ 1    │ 0      │ 0       │ 1 hour ago     │
│ 11111111           │ incomplete │ 0    │ 0      │ 1       │ 1 day ago      │
└────────────────────┴────────────┴──────┴────────┴─────────┴────────────────┘
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
        ...aurora,
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
        ...aurora,
      },
    ],
  });
});

test('a run whose process lives is listed with its pid', async () => {
  writeRun(ana, [{ name: 'BER', by: claimName() }], { at: '2025-03-02T10:00:00Z' });
  writeRun(ben, [{ name: 'BER', by: claimName(), outcome: 'done' }], { end: allDone });

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
  writeRun(ana, [
    { name: 'BER', outcome: 'done', made: 'P1' },
    { name: 'ana@example.com', kind: 'invitation', outcome: 'failed', error: 'no\u001b[31m such role' },
  ]);

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
  writeRun('7', undefined, { end: allDone });
  writeRun('build-7', undefined, { end: allDone });
  writeRun('build-77', undefined, { end: allDone });

  const ids = await Promise.all(
    ['7', 'build-7'].map(async (id) => parsed((await innctl(`runs show ${id} --json`)).stdout).run_id),
  );

  expect(ids).toEqual(['7', 'build-7']);
});

test('an id in two journals is ambiguous', async () => {
  writeRun('build-7');
  writeRun('build-7', undefined, { account: 'account BOREAL' });

  expect((await innctl('runs show build-7')).exitCode).toBe(12);
});
