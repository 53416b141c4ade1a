import { describe, expect, test } from 'vitest';
import { Interruption } from '../../src/model/ports.ts';
import { hotelsYaml, peopleYaml, seeding } from '../helpers/seeding.ts';

const HOTELS = ['HAM', 'KIE', 'LEI'];
const PEOPLE = ['mia@example.com', 'eva@example.com', 'tom@example.com'];

const started = ['BER', 'MUC', 'VIE'];

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
