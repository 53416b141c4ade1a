import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Interruption } from '../../src/model/ports.ts';
import { hotelsYaml, peopleYaml, type Seeding, seeding } from '../helpers/seeding.ts';

const HOTELS = ['HAM', 'KIE', 'LEI'];
const PEOPLE = ['mia@example.com', 'eva@example.com', 'tom@example.com'];

const started = ['BER', 'MUC', 'VIE'];

/** Path and lines of the only journal. */
async function journalOf({ folder }: Seeding) {
  const home = join(folder, 'config', 'state', 'journal');
  const [name = ''] = (await readdir(home)).filter((each) => each.endsWith('.ndjson'));
  const path = join(home, name);
  return { path, lines: (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '') };
}

test('the hint for a manifest from stdin says that it needs the same input', async () => {
  const { innctl } = await seeding('drop-before:operation=createProperty');

  const result = await innctl('apply - --yes', { stdin: hotelsYaml('HAM') });

  expect(result.exitCode).toBe(8);
  expect(result.stderr).toContain(': 1 unknown. The command that settles it needs the same input.\n');
  expect(result.stderr).toContain('\nhint: innctl apply - --yes\n');
});

describe('^C', () => {
  test('ends the run after the rows in progress, and the command in the hint does the rest', async () => {
    const { file, innctl, hotels, invited, writes } = await seeding();
    const path = await file('seed.yaml', hotelsYaml(...HOTELS) + peopleYaml(...PEOPLE));
    const stop = new AbortController();
    const onWrite = () => stop.abort(new Interruption('SIGINT'));

    const line = ['apply', path, '--yes', '--concurrency', '1'];
    const interrupted = await innctl(line, { signal: stop.signal, onWrite });

    expect({ exitCode: interrupted.exitCode, writes: writes.length, hotels: await hotels() }).toEqual({
      exitCode: 130,
      writes: 1,
      hotels: [...started, 'HAM'],
    });
    expect(interrupted.stdout.split('\n').map((row) => row.split('\t')[0])).toEqual([
      'done',
      ...Array.from({ length: 5 }, () => 'not_attempted'),
      '',
    ]);
    expect(interrupted.stderr).toContain(
      `error: Interrupted by SIGINT. 5 of 6 rows were not done: 5 not attempted.\n` +
        `hint: To continue: innctl apply ${path} --yes --concurrency 1\n`,
    );

    expect((await innctl(line)).exitCode).toBe(0);
    expect(await hotels()).toEqual([...started, ...HOTELS]);
    expect(await invited()).toEqual(expect.arrayContaining(PEOPLE));
    expect(writes).toHaveLength(6);
  });

  test('during planning reports that nothing was sent', async () => {
    const { file, innctl, writes } = await seeding();
    const path = await file('people.yaml', peopleYaml(...PEOPLE));
    const stop = new AbortController();
    const onRead = () => stop.abort(new Interruption('SIGINT'));

    const { exitCode, stderr } = await innctl(['apply', path, '--yes'], { signal: stop.signal, onRead });

    expect({ exitCode, stderr, writes }).toEqual({
      exitCode: 130,
      stderr: 'error: Interrupted by SIGINT; nothing was sent.\n',
      writes: [],
    });
  });

  test('during an invitation request waits for the response, so that its outcome is known', async () => {
    const { file, innctl, invited } = await seeding('slow-head:operation=createInvitation,ms=200,nth=1');
    const path = await file('people.yaml', peopleYaml(...PEOPLE));
    const stop = new AbortController();

    const line = ['apply', path, '--yes', '--concurrency', '1'];
    const onWrite = () => stop.abort(new Interruption('SIGTERM'));
    const { exitCode, stdout, stderr } = await innctl(line, { signal: stop.signal, onWrite });

    expect({ exitCode, first: stdout.split('\t')[0] }).toEqual({ exitCode: 143, first: 'done' });
    expect(stderr).toContain('Stopping: waiting for requests in progress; press ^C again to abort.\n');
    expect(await invited()).toContain('mia@example.com');
  });
});

describe('a process that was killed', () => {
  test('before its last answer, with a torn line: the mail may have been sent', async () => {
    const service = await seeding();
    const path = await service.file('people.yaml', peopleYaml('mia@example.com', 'eva@example.com'));
    const line = ['apply', path, '--yes', '--concurrency', '1'];
    await service.innctl(line);
    const { path: journal, lines } = await journalOf(service);
    const sentAt = lines.findIndex((each) => each.includes('"is":"send"'));
    await writeFile(journal, `${lines.slice(0, sentAt + 1).join('\n')}\n{"is":"answ`);
    await service.innctl('invitations delete mia@example.com --yes', {
      env: { INNCTL_CONFIG_DIR: join(service.folder, 'another') },
    });

    const again = await service.innctl(line);

    expect([again.exitCode, again.stdout.split('\n').map((row) => row.split('\t')[0])]).toEqual([
      8,
      ['unknown', 'done', ''],
    ]);
    expect((await service.innctl('invitations resend mia@example.com --yes')).exitCode).toBe(0);
    expect(await service.invited()).toContain('mia@example.com');
  });
});

test.each([
  ['invitations', peopleYaml(...Array.from({ length: 13 }, (_, index) => `p${index}@example.com`))],
])(
  'ten forbidden %s in a row end the run with exit 5, and the hint names the missing permission',
  async (_, yaml) => {
    const { file, innctl, writes } = await seeding('answer:method=POST,status=403');
    const path = await file('seed.yaml', yaml);

    const { exitCode, stdout, stderr } = await innctl(['apply', path, '--yes', '--concurrency', '1']);

    expect({ exitCode, writes: writes.length }).toEqual({ exitCode: 5, writes: 10 });
    const outcomes = stdout.split('\n').map((row) => row.split('\t')[0]);
    expect(outcomes).toEqual([...Array(10).fill('failed'), ...Array(3).fill('not_attempted'), '']);
    expect(stderr).toContain('error: 13 of 13 rows were not done: 10 failed, 3 not attempted.\n');
    expect(stderr).toContain(`To continue: innctl apply ${path} --yes --concurrency 1\n`);
    expect(stderr).toContain('Ask for the missing right or scope');
  },
);

test('a rejected token ends the run with exit 4', async () => {
  const { file, innctl } = await seeding();
  const path = await file('seed.yaml', hotelsYaml(...HOTELS));

  const { exitCode, stdout } = await innctl(['apply', path, '--yes', '--concurrency', '1'], {
    onWrite: (request) => {
      Object.assign(request, { headers: { authorization: 'Bearer another' } });
    },
  });

  expect({ exitCode, outcomes: stdout.split('\n').map((row) => row.split('\t')[0]) }).toEqual({
    exitCode: 4,
    outcomes: ['failed', 'not_attempted', 'not_attempted', ''],
  });
});

test('a closed stdout does not hide an unknown outcome', async () => {
  const { file, innctl } = await seeding('500:operation=createInvitation');
  const path = await file('people.yaml', peopleYaml('mia@example.com'));

  expect((await innctl(['apply', path, '--yes'], { closesAfter: 0 })).exitCode).toBe(8);
});
