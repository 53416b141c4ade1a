import { parsePlanFlags, withReadingFlags } from '../../change/flags.ts';
import type { Item } from '../../change/item.ts';
import { listingOf } from '../../change/listing.ts';
import { mapEach, READERS } from '../../change/workers.ts';
import { readText } from '../../fs/read.ts';
import { Concluded, detailsFor, ExitCode, usageError } from '../../model/errors.ts';
import { isPerson, type Kind, kindText } from '../../model/kinds.ts';
import type { Context } from '../../model/ports.ts';
import { pagesOf } from '../../model/records.ts';
import { choiceProblem } from '../../model/text.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';

/**
 * `drift <files...>`: what the service has that the files do not say, and the other way round.
 *
 * Reads what `plan` reads, then the whole lists of what is in scope; of people what `access report` reads.
 */
export function driftCommand(context: Context) {
  const command = serviceCommand('drift', 'reads', [
    'drift hotels/ --exit-code',
    'drift hotels/ people.csv --scope all -o md > drift.md',
    'drift hotels/ --policy policy.yaml --ignore accepted.yaml',
  ])
    .exitsWith('pending', 'unknown')
    .summary('show how the service differs from files')
    .description(
      'Show how the service differs from files: what is changed, missing, or in no file (unmanaged). Looks at the properties ' +
        'that the files name, and at the kinds that they have: files of hotels alone say nothing of people.',
    )
    .argument('<files...>', 'manifests (YAML, JSON, NDJSON, CSV, .xlsx) or folders; - for stdin')
    .option('--scope <scope>', 'files: what the files name, the default; all: the whole account')
    .option('--exit-code', 'exit with 10 if anything differs')
    .option('--ignore <path>', 'leave out the differences in this file (YAML) until their days')
    .option('--policy <path>', 'do not count the employees of this policy as unmanaged');
  return withReadingFlags(command).action(
    withSession(context, async (session, files, { exitCode, scope = 'files', ignore, policy, ...typed }) => {
      const flags = parsePlanFlags(typed, detailsFor('--scope', choiceProblem(scope, ['files', 'all'])));
      if ([...files, ignore, policy].filter((path) => path === '-').length > 1)
        throw usageError('Only one file can come from stdin.');
      const { openEmployees } = await import('../access/check.ts');
      const { readPlan } = await import('../apply/run.ts');
      const drift = await import('../../change/drift.ts');
      const ignored = ignore === undefined ? [] : await openIgnored(ignore, session);
      const isNamed = policy === undefined ? undefined : await openEmployees(policy, session, flags.hidden);
      const { items } = await readPlan(session, files, flags, false);
      for (const { kind, name, error } of items)
        if (error !== undefined) throw error.with({ message: `${kindText(kind)} ${name}: ${error.message}` });
      const listed = await readListed(items, scope === 'all', isNamed !== undefined, session);
      const all = drift.differencesIn(items, listed, isNamed);
      const now = context.clock.now();
      const { differences, warnings } = drift.withoutIgnored(all, ignored, now);
      for (const warning of warnings) await session.out.warn(warning);
      const same = items.filter(({ action }) => action === 'same').length;
      const counts = { same, ignored: all.length - differences.length };
      const facts = { drift: { made: new Date(now).toISOString(), scope, complete: true, ...counts } };
      const rows = pagesOf(differences, drift.driftRecord);
      const shape = drift.driftShape(differences.length, counts);
      await session.out.records(shape, rows, facts, drift.driftOutline(differences));
      if (exitCode === true && differences.length > 0) throw new Concluded(ExitCode.pending);
    }),
  );
}

async function openIgnored(path: string, { context }: Session) {
  const { name, text } = await readText(path, context.stdin);
  return (await import('../../people/policy.ts')).readIgnored(text, name);
}

/** Reads the whole lists of what may be unmanaged. @throws {CliError} `incomplete_list`. */
async function readListed(items: readonly Item[], isAll: boolean, withPeople: boolean, session: Session) {
  const { api } = session;
  const drift = await import('../../change/drift.ts');
  const isBeyond = api.dialect.further.listUnits !== undefined;
  const has = (kind: Kind) => (isAll && isBeyond) || items.some((item) => item.kind === kind);
  const hotels = await listingOf('property', '', api);
  const homes = drift.homesIn(items, isAll, hotels);
  const lists = (['unit_attribute', 'unit_group', 'unit'] as const)
    .filter(has)
    .flatMap((kind) => (kind === 'unit_attribute' ? [undefined] : homes).map((home) => ({ kind, home })));
  const rented = await mapEach(lists, READERS, async ({ kind, home }) =>
    drift.listedOf(kind, await listingOf(kind, home?.id ?? '', api), true, home),
  );
  const { readAccess } = await import('../access/gather.ts');
  const people =
    isAll || withPeople || items.some(({ kind }) => isPerson(kind))
      ? drift.listedPeople(await readAccess(session), isAll ? undefined : homes)
      : [];
  return [...drift.listedOf('property', hotels, isAll), ...rented.flat(), ...people];
}
