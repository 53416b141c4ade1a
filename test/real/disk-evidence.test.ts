import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { verifyEvidence } from '../../src/people/evidence.ts';
import { binary, type Ended, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { openService } from '../soak/service.ts';

const leavers = ['clara@aurora.example', 'david@aurora.example'];

beforeAll(setup);

async function openCase() {
  const home = await openHome();
  const service = await openService({ folder: home.folder, holds: 'people' });
  const line = [
    'people',
    'offboard',
    ...leavers,
    '--confirm',
    leavers.join(','),
    '--evidence',
    'evidence/',
    '--json',
  ];
  return {
    gateway: service.gateway,
    evidence: join(home.folder, 'evidence'),
    /** @param inject what strace does to system calls. */
    offboard: (inject: readonly string[] = []) => {
      const under = inject.length === 0 ? [] : ['strace', '-f', '-qq', '-o', '/dev/null', ...inject];
      return home.run([...under, process.execPath, binary, ...line], { env: service.env });
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

function errorIn({ stderr }: Ended) {
  const line = stderr.split('\n').find((each) => each.startsWith('{"error"')) ?? '{}';
  const { error }: { readonly error?: { readonly code: string; readonly message: string } } =
    JSON.parse(line);
  return error;
}

/** A chain in which nothing was begun. */
const EMPTY = { documents: 0, open: { size: 0 } };

/** From this call on, fsync fails: the evidence makes the first three. */
const fullFrom = (call: number) => ['-e', 'trace=fsync', '-e', `inject=fsync:error=ENOSPC:when=${call}+`];

describe('nothing is sent', () => {
  test.each([
    ['is full at once', fullFrom(1)],
    ['is full for what is known before', fullFrom(3)],
    // The journal makes the first one.
    ['is read-only', ['-e', 'trace=rename', '-e', 'inject=rename:error=EROFS:when=2+']],
  ])('if the evidence folder %s', async (_, inject) => {
    await using place = await openCase();

    const ended = await place.offboard(inject);

    expect({ exitCode: ended.exitCode, stdout: ended.stdout, error: errorIn(ended)?.code }).toEqual({
      exitCode: 1,
      stdout: '',
      error: 'evidence_failed',
    });
    expect(errorIn(ended)?.message).toMatch(
      /^Could not keep evidence in .*: (the disk is full \(ENOSPC\)|the file system is read-only \(EROFS\))\. Nothing was sent\.$/,
    );
    expect(place.gateway.writes).toBe(0);
    expect(
      readdirSync(place.evidence).includes('evidence.ndjson') ? verifyEvidence(place.evidence) : EMPTY,
    ).toMatchObject(EMPTY);
  });
});

test('a disk that is full after the first write ends the run, and the repeated command completes the evidence', async () => {
  await using place = await openCase();

  const failed = await place.offboard(fullFrom(7));
  const { documents, open } = verifyEvidence(place.evidence);
  const ended = await place.offboard();

  expect({ exitCode: failed.exitCode, error: errorIn(failed)?.code }).toEqual({
    exitCode: 1,
    error: 'evidence_failed',
  });
  expect({ documents, open: open.size }).toEqual({ documents: 0, open: 2 });
  expect(ended.exitCode).toBe(0);
  expect(verifyEvidence(place.evidence)).toMatchObject({ documents: 2, open: { size: 0 } });
  expect(place.gateway.writes).toBe(2);
});
