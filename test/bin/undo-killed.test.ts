import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { stateOf } from '../helpers/account-state.ts';
import { openKilling } from './killing.ts';
import { setup } from './setup.ts';

const texts = { name: { en: 'Attic' }, description: { en: 'Below the roof' } };
/** What is created and changed: eight writes, since units are sent together. */
const manifest = {
  unit_attributes: [{ name: 'SEA' }],
  unit_groups: [{ property: 'MUC', code: 'ATT', max_persons: 2, ...texts }],
  units: [{ property: 'MUC', names: ['901..903'], group: 'ATT', attributes: ['SEA'] }],
  users: [{ email: 'ben@aurora.example', properties: ['BER'] }],
  invitations: [{ email: 'mia@aurora.example', role: 'Housekeeping', properties: ['BER'] }],
};

beforeAll(setup);

async function openCase() {
  const place = await openKilling('apaleo');
  await writeFile(join(place.folder, 'attic.json'), JSON.stringify(manifest));
  const state = async () => stateOf((await place.service.held()).records);
  const runs = async (): Promise<readonly { run_id: string }[]> =>
    JSON.parse((await place.run('runs list --json')).stdout).items;
  /** The line that undoes the last run, with the names that it asks for. */
  const undoing = async () => {
    const line = `undo ${(await runs())[0]?.run_id} --yes --json`;
    const { exitCode, stderr } = await place.run(line);
    const [, names = ''] = / --confirm ([^\s"]+)/.exec(stderr) ?? [];
    return exitCode === 11 ? `${line} --confirm ${names}` : undefined;
  };
  return { ...place, state, undoing };
}

test.each([
  ...[1, 2, 3, 4, 5, 6, 7].map((write) => ({ moment: 'after the commit' as const, write })),
  ...[1, 3].map((write) => ({ moment: 'before the commit' as const, write })),
])(
  'undo, killed $moment of write $write and repeated, ends as it was before',
  { timeout: 60_000 },
  async (strike) => {
    await using place = await openCase();
    const before = await place.state();
    const applied = await place.run('apply attic.json --yes --json');
    const line = await place.undoing();

    const killed = await place.killed(line ?? '', strike);
    const ended = await place.run(line ?? '');

    expect({ applied: applied.exitCode, killed: killed.exitCode, ...ended }).toMatchObject({
      applied: 0,
      killed: null,
      exitCode: 0,
    });
    expect(await place.state()).toEqual(before);
  },
);
