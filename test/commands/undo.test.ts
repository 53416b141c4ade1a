import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claimName } from '../../src/fs/lock.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { writeRun } from '../helpers/journal.ts';

const BEN = 'ben@aurora.example';

/** Runs lines in one sandbox, each as a run of its own, the dialect being that of the public service. */
async function sandbox() {
  const folder = await temporaryFolder();
  let runs = 0;
  return async (line: string) => {
    runs += 1;
    const uuid = `${runs}0000000-0000-4000-8000-000000000000`;
    return cli(line, { folder, uuid, connect: connectUndici, env: { INNCTL_DIALECT: 'apaleo' } });
  };
}

test('an invitation that was accepted is not withdrawn, and the line that disables the user is shown', async () => {
  const innctl = await sandbox();
  await innctl('--sandbox invite mia@aurora.example --role Auditor BER');
  await innctl('sandbox accept mia@aurora.example');

  const { exitCode, stderr } = await innctl('--sandbox undo 100000 --yes');

  expect(exitCode).toBe(9);
  expect(stderr).toContain('was accepted; to disable the user: innctl people offboard mia@aurora.example');
});

test('an invitation that people sync replaced gives again what it gave before', async () => {
  const innctl = await sandbox();
  const folder = await temporaryFolder();
  const [hr, jobs] = [join(folder, 'hr.csv'), join(folder, 'jobs.yaml')];
  await writeFile(hr, 'Mail,Job,At\njonas.keller@aurora.example,Audit,"BER,VIE"\n');
  const rules = 'jobs: [{ when: { Job: Audit }, role: Auditor }]';
  await writeFile(jobs, `version: 1\ndomains: [aurora.example]\nemail: Mail\nproperty: At\n${rules}\n`);
  await innctl(`--sandbox people sync ${hr} --jobs ${jobs} --max-leavers 20 --yes`);

  const { exitCode } = await innctl('--sandbox undo 100000 --yes');

  const { items } = JSON.parse((await innctl('--sandbox invitations list --json')).stdout);
  const jonas = items.find(({ email = '' }) => email.startsWith('jonas'));
  expect({ exitCode, jonas }).toMatchObject({
    exitCode: 0,
    jonas: { roles: ['Housekeeping'], properties: ['BER'] },
  });
});

test('what others changed of the properties of a user stays, and the roles that were lost are named', async () => {
  const innctl = await sandbox();
  await innctl(`--sandbox users update ${BEN} --set-properties VIE --yes`);
  await innctl(`--sandbox users grant ${BEN} MUC`);

  const { stdout, stderr } = await innctl('--sandbox undo 100000 --yes --json');

  expect(JSON.parse(stdout)).toMatchObject({
    undoes: '10000000-0000-4000-8000-000000000000',
    does_not_come_back: [{ kind: 'user', name: BEN, reason: 'the roles at BER do not come back' }],
    items: [{ kind: 'user', name: BEN, action: 'change', outcome: 'done', added: ['BER'], removed: ['VIE'] }],
  });
  expect(stderr).toContain(`warning: user ${BEN}: the roles at BER do not come back.\n`);
  const user = JSON.parse((await innctl(`--sandbox users get ${BEN} --json`)).stdout);
  expect(user.properties).toEqual(['MUC', 'BER']);
});

test('what a run created, changed, and others changed since is not deleted', async () => {
  const innctl = await sandbox();
  const file = join(await temporaryFolder(), 'rooms.json');
  for (const description of ['Pool', 'Sea']) {
    await writeFile(file, JSON.stringify({ unit_attributes: [{ name: 'SEA', description }] }));
    await innctl(`--sandbox apply ${file} --yes --run-id night`);
  }
  const { items } = JSON.parse((await innctl('--sandbox unit-attributes list --json')).stdout);
  const { id } = items.find(({ name = '' }) => name === 'SEA');
  await innctl(`--sandbox unit-attributes update ${id} --description Lake`);

  const { exitCode, stderr } = await innctl('--sandbox undo night --yes');

  expect({ exitCode, stderr }).toEqual({
    exitCode: 9,
    stderr: expect.stringContaining('was changed since: description'),
  });
});

test('what api changed without reading it before is a conflict', async () => {
  const innctl = await sandbox();
  await innctl('--sandbox api PUT /inventory/v1/property-actions/BER/archive --confirm BER');

  const { exitCode, stderr } = await innctl('--sandbox undo 100000 --yes');

  expect({ exitCode, stderr }).toEqual({
    exitCode: 9,
    stderr: expect.stringContaining('the journal does not know what it was before'),
  });
});

test.each(['set-live', 'reset'])('%s is said to stay, and nothing is sent', async (verb) => {
  const innctl = await sandbox();
  await innctl(`--sandbox properties ${verb} MUC --confirm MUC`);

  const { exitCode, stderr } = await innctl('--sandbox undo 100000');

  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `warning: property MUC: ${verb} cannot be undone.\nThere is nothing to do: 1 not changeable here.\n`,
  });
});

test('one row in a dry run and a request by its id: shown, and not sent', async () => {
  const innctl = await sandbox();
  await innctl(`--sandbox users disable ${BEN} --confirm ${BEN}`);
  const { items } = JSON.parse((await innctl('history --json')).stdout);

  const { exitCode, stdout } = await innctl(`--sandbox undo ${items[0].id} --dry-run`);

  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: `change\tuser\t${BEN}\tenabled: false -> true\t\n`,
  });
  expect(JSON.parse((await innctl('history --json')).stdout).count).toBe(1);
});

test.each([
  ['undo run-9', 3, 'There is no run or request "run-9"; the newest is run-1.'],
  [
    'undo run-1',
    2,
    'run-1 was sent to identity.example.com, api.example.com (account AURORA), and not with these credentials.\nhint: innctl --profile chain undo run-1\n',
  ],
  ['undo run-1 --allow-lockout x@', 2, '--allow-lockout: '],
])('%s exits with %i', async (line, code, message) => {
  const folder = await temporaryFolder();
  writeRun(folder, { profile: 'chain', sent: [{ answer: {} }] });

  const { exitCode, stderr } = await cli(line, { folder, env: hotels });

  expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringContaining(message) });
});

test('a run that is still running is not undone', async () => {
  const folder = await temporaryFolder();
  writeRun(folder, {
    identity_url: 'sandbox',
    base_url: 'sandbox',
    account: 'sandbox',
    sent: [{ by: claimName() }],
  });

  const { exitCode, stderr } = await cli('--sandbox undo run-1', { folder, connect: connectUndici });

  expect({ exitCode, stderr }).toEqual({
    exitCode: 6,
    stderr: expect.stringContaining('It is still running'),
  });
});
