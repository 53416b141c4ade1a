import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hotelEntry, hotelsYaml, peopleYaml, type Seeding, seeding } from '../helpers/seeding.ts';

/** Truncates the only journal after the last line with this text, as if the run had been killed there. */
async function killedAfter(text: string, { folder }: Seeding): Promise<void> {
  const runs = join(folder, 'config', 'state', 'runs');
  const [name = ''] = (await readdir(runs)).filter((each) => each.endsWith('.ndjson'));
  const path = join(runs, name);
  const lines = (await readFile(path, 'utf8')).split('\n');
  const last = lines.findLastIndex((line) => line.includes(text));
  await writeFile(path, `${lines.slice(0, last + 1).join('\n')}\n`);
}

test('an invitation in progress when a run is killed is planned and applied alike, and a saved plan stays valid', async () => {
  const service = await seeding();
  const path = await service.file('people.yaml', peopleYaml('mia@example.com'));
  await service.innctl(['apply', path, '--yes']);
  await killedAfter('"state":"sent"', service);
  await service.innctl('invitations delete mia@example.com --yes');

  const planned = await service.innctl(['plan', path, '--resend-unknown', '--json']);
  const saved = await service.file('plan.json', planned.stdout);
  const applied = await service.innctl(['apply', path, '--plan', saved, '--yes', '--resend-unknown']);

  expect(JSON.parse(planned.stdout)).toMatchObject({ summary: { create: 1 } });
  expect([applied.exitCode, await service.invited()]).toEqual([
    0,
    expect.arrayContaining(['mia@example.com']),
  ]);
});

test('a recently created and then deleted property counts as not yet visible, in plan and apply', async () => {
  const service = await seeding();
  const path = await service.file('hotels.yaml', hotelsYaml('HAM', 'KIE'));
  await service.innctl(['apply', path, '--yes', '--concurrency', '1']);
  await killedAfter('"state":"done"', service);
  await service.innctl('properties delete HAM --confirm HAM');
  const before = service.writes.length;

  const planned = await service.innctl(['plan', path]);
  const dryRun = await service.innctl(['apply', path, '--dry-run']);
  const applied = await service.innctl(['apply', path, '--yes']);

  const notVisible = /^cannot_tell\tproperty\tHAM\tnot visible yet: created as HAM at /;
  expect([planned.stdout, dryRun.stdout]).toEqual([
    expect.stringMatching(notVisible),
    expect.stringMatching(notVisible),
  ]);
  expect({ exitCode: applied.exitCode, writes: service.writes.length - before }).toEqual({
    exitCode: 8,
    writes: 0,
  });
  expect(planned.stderr + dryRun.stderr).not.toMatch(/--assume-new|--run-id|checking again/);
});

test('another run id does not recreate what is not visible yet', async () => {
  const service = await seeding();
  const path = await service.file('hotels.yaml', hotelsYaml('HAM'));
  await service.innctl(['apply', path, '--yes']);
  await killedAfter('"state":"done"', service);
  await service.innctl('properties delete HAM --confirm HAM');

  const { stdout } = await service.innctl(['plan', path, '--run-id', 'build-2']);

  expect(stdout).toMatch(/^cannot_tell\tproperty\tHAM\tnot visible yet: /);
});

describe('an invitation in progress when a run is killed', () => {
  const interruptedRun = async () => {
    const service = await seeding();
    const path = await service.file('people.yaml', peopleYaml('mia@example.com'));
    await service.innctl(['apply', path, '--yes']);
    await killedAfter('"state":"sent"', service);
    await service.innctl('invitations delete mia@example.com --yes');
    return { ...service, path, before: service.writes.length };
  };

  test('is not waited for beyond --timeout, and nothing is sent', async () => {
    const { innctl, path, writes, before } = await interruptedRun();

    const { exitCode, stderr } = await innctl(['apply', path, '--yes', '--timeout', '10'], {
      now: Date.now(),
    });

    expect({ exitCode, stderr, writes: writes.length }).toEqual({
      exitCode: 7,
      stderr:
        'error: Requests of an earlier run may still be in progress, or their effect not visible yet: checking again takes 15 s, ' +
        'which is more than the time left; nothing was sent.\nhint: Give at least 15 s more with --timeout.\n',
      writes: before,
    });
  });

  test('is not waited for in a dry run', async () => {
    const { innctl, path } = await interruptedRun();

    const { exitCode, stdout, stderr } = await innctl(['apply', path, '--dry-run', '--timeout', '10']);

    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^cannot_tell\tinvitation\tmia@example\.com\tnot visible yet: /),
    ]);
    expect(stderr).not.toContain('checking again');
  });
});

test('a failed row is compared with the saved plan and the current state again', async () => {
  const service = await seeding('429:operation=updateProperty,nth=1');
  const path = await service.file('hotels.yaml', `properties:\n${hotelEntry('HAM')}${hotelEntry('KIE')}`);
  await service.innctl(['apply', path, '--yes']);
  await service.file('hotels.yaml', `properties:\n${hotelEntry('HAM', 'S')}${hotelEntry('KIE', 'S')}`);
  const saved = await service.file('plan.json', (await service.innctl(['plan', path, '--json'])).stdout);
  const line = ['apply', path, '--plan', saved, '--yes', '--concurrency', '1', '--max-attempts', '1'];
  const first = await service.innctl(line);
  await service.innctl([
    'properties',
    'update',
    'HAM',
    '--patch',
    '[{"op":"add","path":"/description","value":{"en":"Sea"}}]',
  ]);

  const again = await service.innctl(line);

  expect([first.exitCode, again.exitCode]).toEqual([7, 6]);
  expect(again.stderr).toContain('  property "HAM": is shown otherwise by the service now\n');
  expect(again.stderr).not.toContain('KIE');
});
