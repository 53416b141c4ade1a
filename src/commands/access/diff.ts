import { hinting, readText } from '../../fs/read.ts';
import { Concluded, ExitCode, usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { pagesOf, withoutHoles } from '../../model/records.ts';
import { type AccessDocument, type Fact, readDocument } from '../../people/access-document.ts';
import {
  type ComparedField,
  compared,
  differencesOf,
  type FactDifference,
  fieldsBetween,
  newAccessJudge,
} from '../../people/differences.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Shape } from '../../print/output.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type LocalSession, withLocalSession, withSession } from '../../session/session.ts';
import { readAccess } from './gather.ts';

/** Bytes of a saved report: that of 1,000 people at 200 properties each has less. */
const LARGEST = 128 * 1_048_576;

/**
 * `access diff <old> [new]`: compare a saved report with another one, or with the account as it is now.
 *
 * With two files nothing is sent. With one it reads what `access report` reads.
 */
export function diffAccess(context: Context) {
  const compareFiles = withLocalSession(
    context,
    async (session, old: string, later: string, flags: Flags, _command: unknown) => {
      if (old === '-' && later === '-') throw usageError('Only one of the two reports can come from stdin.');
      const reports = [await savedReport(old, session), await savedReport(later, session)] as const;
      await compareReports(...reports, flags, session);
    },
  );
  const compareWithNow = withSession(
    context,
    async (session, old: string, flags: Flags, _command: unknown) => {
      const report = await savedReport(old, session);
      await compareReports(report, { name: 'the account', ...(await readAccess(session)) }, flags, session);
    },
  );
  return serviceCommand('diff', 'reads', [
    'access diff march.json',
    'access diff march.json september.json --json',
    'access diff reviewed.json --no-new-access',
  ])
    .exitsWith('pending')
    .summary('compare a saved report with a later one, or with now')
    .description(
      'Compare a report saved with --json with a later one, or with the account as it is now: access that was gained, lost and changed.',
    )
    .argument('<old>', 'the earlier report; - for stdin')
    .argument('[new]', 'the later report (default: the account as it is now)')
    .option('--exit-code', 'exit with 10 if there are differences')
    .option('--no-new-access', 'exit with 10 if somebody may do more than the earlier report shows')
    .action((old, later, flags, command) =>
      later === undefined ? compareWithNow(old, flags, command) : compareFiles(old, later, flags, command),
    );
}

interface Flags {
  readonly exitCode?: true | undefined;
  /** `false` with --no-new-access. */
  readonly newAccess: boolean;
}

/** A report, and how sentences name it. */
type Report = AccessDocument & { readonly name: string };

async function savedReport(path: string, { context }: LocalSession): Promise<Report> {
  const read = async () => {
    const { name, text } = await readText(path, context.stdin, LARGEST);
    return { ...(await readDocument(text, name)), name };
  };
  return read().catch(hinting('innctl access report --json > access.json makes one.'));
}

async function compareReports(old: Report, later: Report, flags: Flags, { out }: LocalSession) {
  for (const warning of warningsAbout(old, later)) await out.warn(warning);
  const found = differencesOf(old.items, later.items);
  const isNew = newAccessJudge(old.items);
  const count = (wanted: FactDifference['change']) => found.filter(({ change }) => change === wanted).length;
  const counts = { gained: count('gained'), lost: count('lost'), changed: count('changed') };
  const fresh = found.filter(isNew).length;
  const about = { version: 1, old: old.access.made, new: later.access.made, ...counts, new_access: fresh };
  const pages = pagesOf(found, (each) => recordOf(each, isNew(each)));
  await out.records(shape, pages, { diff: about });
  const parts = Object.entries(counts).flatMap(([word, many]) => (many === 0 ? [] : `${many} ${word}`));
  const access = fresh === 0 ? 'no new access' : `${fresh} with new access`;
  await out.note(parts.length === 0 ? 'Nothing has changed.' : `${parts.join(', ')}; ${access}.`);
  const isPending = flags.exitCode === true && found.length > 0;
  if (isPending || (!flags.newAccess && fresh > 0)) throw new Concluded(ExitCode.pending);
}

function* warningsAbout(old: Report, later: Report): Generator<string> {
  const [one, other] = [old.access, later.access];
  const fields = ['identity_url', 'base_url'] as const;
  const changed = fields.filter((field) => one[field] !== other[field]);
  yield* new Set(
    changed.map((field) => `${old.name} is about ${one[field]}, and ${later.name} about ${other[field]}.`),
  );
}

const bothOf = (...fields: readonly ComparedField[]) =>
  fields.flatMap((field) => [
    { field: `before.${field}`, header: `${field} before` },
    { field: `after.${field}`, header: `${field} after` },
  ]);

/** One row for each person and property; its columns are public. */
const shape: Shape = {
  noun: ['difference', 'differences'],
  columns: [
    ...columnsOf('change new_access email name source property property_name fields'),
    ...bothOf('state', 'account_admin', 'roles', 'mfa', 'passkeys'),
  ],
  table: [
    ...columnsOf('change email property'),
    ...bothOf('roles'),
    ...columnsOf('fields'),
    ...bothOf('state'),
  ],
  id: 'email',
  others: ['subject_id', 'before', 'after'],
};

function recordOf(difference: FactDifference, isNew: boolean) {
  const { change, before, after } = difference;
  // One of them is there.
  const { email, name, subject_id, source, property, property_name } = (after ?? before) as Fact;
  const fields = change === 'changed' ? fieldsBetween(before, after) : [];
  const who = { email, name, ...withoutHoles({ subject_id }), source, property, property_name };
  return { change, new_access: isNew, ...who, fields, before: contentOf(before), after: contentOf(after) };
}

function contentOf(fact: Fact | undefined) {
  return fact === undefined ? null : Object.fromEntries(compared.map((field) => [field, fact[field]]));
}
