import { serviceCommand } from '../../cli/described-command.ts';
import { Concluded, usageError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, withLocalSession, withSession } from '../../cli/session.ts';
import { groupBy, pagesOf } from '../../model/records.ts';
import { firstOf } from '../../model/text.ts';
import { type AccessDocument, type Fact, readDocument } from '../../people/access-document.ts';
import {
  type ComparedField,
  compared,
  differencesOf,
  type FactDifference,
  fieldsBetween,
  newAccessJudge,
} from '../../people/differences.ts';
import { placeText } from '../../people/facts.ts';
import { columnsOf } from '../../print/labels.ts';
import type { OutlineLine } from '../../print/outline.ts';
import type { Shape } from '../../print/output.ts';

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
      const { readAccess } = await import('./gather.ts');
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
  const { hinting, readText } = await import('../../fs/read.ts');
  const read = async () => {
    const { name, text } = await readText(path, context.stdin, LARGEST);
    return { ...(await readDocument(text, name)), name };
  };
  return read().catch(hinting('innctl access report --json > access.json makes one.'));
}

async function compareReports(
  old: Report,
  later: Report,
  flags: Flags,
  { out }: LocalSession,
): Promise<void> {
  for (const warning of warningsAbout(old, later)) await out.warn(warning);
  const found = differencesOf(old.items, later.items);
  const isNew = newAccessJudge(old.items);
  const counts = { ...countsOf(found), new_access: found.filter(isNew).length };
  const about = { version: 1, old: old.access.made, new: later.access.made, ...counts };
  const pages = pagesOf(found, (each) => recordOf(each, isNew(each)));
  await out.records(shape, pages, { diff: about }, outlineOf(found));
  await out.note(summaryOf(counts));
  const isPending = flags.exitCode === true && found.length > 0;
  if (isPending || (!flags.newAccess && counts.new_access > 0)) throw new Concluded(ExitCode.pending);
}

function* warningsAbout(old: Report, later: Report): Generator<string> {
  const [one, other] = [old.access, later.access];
  const fields = ['identity_url', 'base_url'] as const;
  const changed = fields.filter((field) => one[field] !== other[field]);
  yield* new Set(
    changed.map((field) => `${old.name} is about ${one[field]}, and ${later.name} about ${other[field]}.`),
  );
  if (Date.parse(one.made) > Date.parse(other.made))
    yield `${old.name} (${one.made}) is later than ${later.name} (${other.made}): what was gained is shown as lost.`;
}

function countsOf(found: readonly FactDifference[]) {
  const count = (change: FactDifference['change']) => found.filter((each) => each.change === change).length;
  return { gained: count('gained'), lost: count('lost'), changed: count('changed') };
}

type Counts = ReturnType<typeof countsOf> & { readonly new_access: number };

/** `3 gained, 1 lost; 2 with new access.` */
function summaryOf({ gained, lost, changed, new_access: fresh }: Counts): string {
  const found = Object.entries({ gained, lost, changed }).filter(([, count]) => count > 0);
  if (found.length === 0) return 'Nothing has changed.';
  const parts = found.map(([word, count]) => `${count} ${word}`).join(', ');
  return `${parts}; ${fresh === 0 ? 'no new access' : `${fresh} with new access`}.`;
}

/** One row for each person and property; its columns are public. */
const shape: Shape = {
  noun: ['difference', 'differences'],
  columns: [
    ...columnsOf('change new_access email name source property property_name fields'),
    ...(['state', 'account_admin', 'roles', 'mfa', 'passkeys'] as const).flatMap((field) => [
      { field: `before.${field}`, header: `${field} before` },
      { field: `after.${field}`, header: `${field} after` },
    ]),
  ],
  id: 'email',
  others: ['subject_id', 'before', 'after'],
};

function recordOf(difference: FactDifference, isNew: boolean) {
  const { change, before, after } = difference;
  const { email, name, subject_id, source, property, property_name } = factIn(difference);
  const fields = change === 'changed' ? fieldsBetween(before, after) : [];
  return {
    ...{ change, new_access: isNew, email, name },
    ...(subject_id === undefined ? {} : { subject_id }),
    ...{ source, property, property_name, fields, before: contentOf(before), after: contentOf(after) },
  };
}

/** The later fact, else the earlier one. */
function factIn({ before, after }: FactDifference): Fact {
  // One of them is there.
  return (after ?? before) as Fact;
}

function contentOf(fact: Fact | undefined) {
  return fact === undefined ? null : Object.fromEntries(compared.map((field) => [field, fact[field]]));
}

/** Places that a line names. */
const MOST_PLACES = 6;

const signs = {
  gained: { sign: '+', tone: 'good' },
  lost: { sign: '-', tone: 'error' },
  changed: { sign: '~', tone: 'warning' },
} as const satisfies Readonly<Record<FactDifference['change'], OutlineLine | object>>;

/** A line for each person and change, with the properties where it is the same. */
function* outlineOf(found: readonly FactDifference[]): Generator<OutlineLine> {
  const keyOf = (each: FactDifference) => JSON.stringify([each.change, whoIn(each), whatIn(each)]);
  for (const alike of groupBy(found, keyOf).values()) {
    const [first] = alike;
    const places = alike.map((each) => placeText(factIn(each).property));
    const where = factIn(first).property === null ? '' : ` at ${firstOf(places, MOST_PLACES).join(', ')}`;
    const text = `${whoIn(first)}${where}: ${whatIn(first)}`;
    yield { ...signs[first.change], text };
  }
}

function whoIn(difference: FactDifference): string {
  const { email, name, source } = factIn(difference);
  if (source === 'invitation') return `invitation of ${email}`;
  return name === '' ? email : `${email} (${name})`;
}

function whatIn({ change, before, after }: FactDifference): string {
  if (change === 'changed')
    return fieldsBetween(before, after)
      .map((field) => `${labelOf(field)} ${wordOf(before[field])} → ${wordOf(after[field])}`)
      .join('; ');
  const { property, roles, state, account_admin: isAdmin } = after ?? before;
  const given = roles?.length === 0 ? (property === null ? 'no property' : 'no role') : wordOf(roles);
  const isWhole = isAdmin && roles?.length === 0;
  return [isAdmin && 'account admin', !isWhole && given, state !== 'active' && state]
    .filter(Boolean)
    .join(', ');
}

function labelOf(field: ComparedField): string {
  return field === 'mfa' ? 'MFA' : field.replaceAll('_', ' ');
}

function wordOf(value: Fact[ComparedField]): string {
  if (value === null || value === undefined) return 'not shown';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return (typeof value === 'string' ? value : value.join(', ')) || 'none';
}
