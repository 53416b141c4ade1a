import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/sandbox/store.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const BEN = 'ben@aurora.example';
const EMMA = 'emma@aurora.example';
const KARL = 'karl@aurora.example';
const ANA = 'ana@aurora.example';

/** Runs a line, then reads the user's state, in a sandbox of its own. */
async function inSandbox(line: string, who: string, situation: Situation) {
  const folder = await temporaryFolder();
  const innctl = (words: string, more: Situation = {}) =>
    cli(`--sandbox ${words}`, { folder, connect: connectUndici, now: 1_793_000_000_000, ...more });
  const { exitCode, ...written } = await innctl(line, situation);
  const withoutPort = (text: string) => text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1');
  // Not by a command: the caller may be disabled now.
  const { read } = await openStore({
    folder: join(folder, 'state', 'sandbox'),
    seed: 'small',
    now: Date.now,
  });
  const user = [...read().records.users.values()].find(({ email }) => email === who);
  return {
    exitCode,
    stdout: withoutPort(written.stdout),
    stderr: withoutPort(written.stderr),
    enabled: user?.enabled,
  };
}

test.each<
  [able: string, words: string, who: string, situation: Situation, exitCode: number, enabled: boolean]
>([
  ['disable', BEN, BEN, {}, 11, true],
  ['disable', `${BEN} --confirm ${BEN}`, BEN, {}, 0, false],
  ['disable', BEN, BEN, { answers: [BEN] }, 0, false],
  ['disable', `${BEN} --confirm ${BEN} --no-verify --json`, BEN, {}, 0, false],
  ['disable', `${BEN} --dry-run --json`, BEN, {}, 0, true],
  ['disable', KARL, KARL, {}, 0, false],
  ['disable', `${ANA} --confirm ${ANA}`, ANA, {}, 11, true],
  ['disable', `${ANA} --confirm ${ANA} --allow-lockout ${ANA}`, ANA, {}, 0, false],
  ['disable', 'nobody@aurora.example', BEN, {}, 3, true],
  ['disable', 'a/b', BEN, {}, 2, true],
  ['disable', `${BEN} ${EMMA} --confirm ${BEN}`, BEN, {}, 11, true],
  ['disable', `${BEN} ${EMMA} --confirm ${BEN},${EMMA} --json`, BEN, {}, 0, false],
  ['enable', KARL, KARL, {}, 0, true],
  ['enable', `${KARL} ${BEN} --json --yes`, KARL, {}, 0, true],
  ['enable', `${KARL} --dry-run`, KARL, {}, 0, false],
  ['enable', `${BEN} --json`, BEN, {}, 0, true],
  ['enable', KARL, KARL, { env: { INNCTL_PROTECT: KARL } }, 11, false],
])('users %s %s does what users update does', async (able, words, who, situation, exitCode, enabled) => {
  const done = await inSandbox(`users ${able} ${words}`, who, situation);
  const updated = await inSandbox(`users update --${able} ${words}`, who, situation);

  expect({ exitCode: done.exitCode, enabled: done.enabled }).toEqual({ exitCode, enabled });
  expect(done).toEqual({
    ...updated,
    stderr: updated.stderr.replace(`users update --${able} `, `users ${able} `),
  });
});
