import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ended } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { type Program, withProgram } from '../soak/program.ts';
import type { Shape } from '../soak/seed.ts';
import { journalIn, problemsAfter } from '../soak/verify.ts';

const shape: Shape = { created: 250, changed: 10, invited: 30, users: 10 };

beforeAll(setup);

describe('writes of the journal fail', () => {
  test.each(['ENOSPC', 'EIO', 'EROFS'])(
    'at the first line with %s: no write request is sent',
    async (error) => {
      await withProgram(
        async (program) => {
          const ended = await program.apply(injecting(program, `pwrite64:error=${error}:when=1+`));

          expect({ exitCode: ended.exitCode, error: errorIn(ended) }).toEqual({
            exitCode: 1,
            error: 'journal_failed',
          });
          expect(program.service.gateway.writes).toBe(0);
        },
        { shape },
      );
    },
  );

  test.each([
    ['a full disk', 'pwrite64:error=ENOSPC:when=10+'],
    ['a broken disk', 'fdatasync:error=EIO:when=10+'],
  ])(
    '%s in the middle: the run ends with its results so far, and repeating the command finishes it',
    async (_, inject) => {
      await withProgram(
        async (program) => {
          const { gateway } = program.service;
          const failed = await program.apply(injecting(program, inject));
          const created = new Set(gateway.ledger.creations.keys());
          const recorded = await recordedIn(program);
          const reported = new Set(reportedIds(failed));
          await gateway.quiet();

          const ended = await program.apply();

          expect({ exitCode: failed.exitCode, error: errorIn(failed) }).toEqual({
            exitCode: 1,
            error: 'journal_failed',
          });
          expect([...created].filter((code) => !recorded.has(code))).toEqual([]);
          expect(reported).toEqual(created);
          expect(reported.size).toBeLessThan(shape.created);
          expect(await problemsAfter(program, ended)).toEqual([]);
        },
        { shape },
      );
    },
  );
});

/** Injects a fault into system calls on the journal. With one thread the count of calls is deterministic. */
function injecting({ home }: Program, inject: string) {
  const [name = ''] = inject.split(':');
  const trace = ['-e', `trace=${name}`, '-e', `inject=${inject}`];
  const under = ['strace', '-f', '-qq', '-o', join(home.folder, 'trace'), ...trace];
  return { under, env: { UV_THREADPOOL_SIZE: '1' } };
}

/** The rows that the journal marks as sent; no other may be sent. */
async function recordedIn({ journal }: Program): Promise<ReadonlySet<string>> {
  const lines = (await journalIn(journal)).split('\n').filter((each) => each.endsWith('}'));
  const sent = lines.map((each): Entry => JSON.parse(each)).filter(({ is }) => is === 'send');
  return new Set(sent.flatMap(({ rows = [] }) => rows.map(({ name }) => name)));
}

interface Entry {
  readonly is: string;
  readonly rows?: readonly { readonly name: string }[];
}

function errorIn({ stderr }: Ended): string | undefined {
  const line = stderr.split('\n').find((each) => each.startsWith('{"error"')) ?? '{}';
  const { error }: { readonly error?: { readonly code: string } } = JSON.parse(line);
  return error?.code;
}

/** The ids of the properties that the run reports as created. */
function reportedIds({ stdout }: Ended): readonly string[] {
  const { items }: { readonly items: readonly Row[] } = JSON.parse(stdout);
  const created = items.filter(({ kind, action }) => kind === 'property' && action === 'create');
  return created.flatMap(({ outcome, id }) => (outcome === 'done' && id !== undefined ? [id] : []));
}

interface Row {
  readonly kind: string;
  readonly action: string;
  readonly outcome: string;
  readonly id?: string;
}
