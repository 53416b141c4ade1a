import { lstatSync } from 'node:fs';
import { hiddenFlag, pathProblem } from '../../change/flags.ts';
import { writeReasonOf } from '../../fs/read.ts';
import { replaceFile, writeNew } from '../../fs/replace.ts';
import { CliError, codeOf, invalidInput, refuseInvalid, usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { onePage } from '../../model/records.ts';
import { counted, heldEmailProblem, idProblem, quote, textProblem } from '../../model/text.ts';
import type { AccessDocument } from '../../people/access-document.ts';
import { selectFacts, summaryOf } from '../../people/facts.ts';
import type { Judged } from '../../people/policy-rules.ts';
import { sameCommand } from '../../print/text.ts';
import { collectList, serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { entryProblems } from '../options.ts';
import { readAccess } from './gather.ts';
import { reviewShape, shapeOf } from './shape.ts';

/**
 * `access report`: who can do what, as one fact for each person and property.
 *
 * GET of all users, invitations and properties, and users/me; a user whose properties or roles the list does not show is read
 * alone. The contract does not define the fields of users and invitations: what is not shown is said.
 */
export function reportAccess(context: Context) {
  return serviceCommand('report', 'reads', [
    'access report',
    'access report --property BER',
    'access report --user hanna@example.com',
    'access report -o csv > access.csv',
    'access report --json > march.json',
    'access report --for-review -o csv > review.csv',
    'access report --html access.html --policy policy.yaml',
  ])
    .exitsWith('notFound')
    .summary('report who can do what')
    .description(
      'Report who can do what: a table of people and properties at a terminal, and one row for each person and property elsewhere.',
    )
    .option('--property <ids>', 'only who reaches these properties: BER,VIE', collectList)
    .option('--user <address>', 'only what this person may do')
    .option(
      '--invitation-days <n>',
      'days after which an invitation counts as expired (default: 30 in dialect apaleo)',
    )
    .option('--for-review', 'with an id, a decision, a reviewer and a comment in each row, to fill in')
    .option('--html <path>', 'write the report as a page for a browser')
    .option('--policy <path>', 'with --html: show on the page what is against this policy')
    .option(...hiddenFlag)
    .option('--force', 'with --html: replace a file')
    .action(
      withSession(context, async (session, flags) => {
        const { property, user, invitationDays: days, forReview } = flags;
        refuseInvalid([
          ...entryProblems('--property', property, nameProblem),
          ...entryProblems('--user', user, user?.includes('@') ? heldEmailProblem : nameProblem),
          ...entryProblems('--invitation-days', days, daysProblem),
        ]);
        const page = await openPage(flags, session);
        const whole = await readAccess(session, days === undefined ? undefined : Number(days));
        const document = selectFacts(whole, { properties: property, user });
        const print = page ?? (forReview === true ? printReview : printReport);
        await print(document, session);
        const { unknown } = document.access;
        if (unknown === 0) return;
        const rows = counted(unknown, 'entry', 'entries');
        await session.out.warn(`The service does not show the whole access of ${rows}.`);
      }),
    );
}

/** Somebody may type a name, which has blanks and no slash. */
const nameProblem = (text: string) => textProblem(text) ?? idProblem(text.replaceAll(' ', ''));

const daysProblem = (text: string) =>
  /^[1-9]\d{0,4}$/.test(text) ? undefined : `${quote(text)} is not a whole number of days`;

type Flags = ReturnType<ReturnType<typeof reportAccess>['opts']>;

/**
 * Checks where the page goes, and reads the policy that judges the report.
 *
 * @returns writes the page; `undefined` without --html.
 * @throws {CliError} exit 2 for flags that do not go together; like `checkPage` and `openPolicy`.
 */
async function openPage(flags: Flags, session: Session) {
  const { html, policy, force = false, property, user, forReview, hidden } = flags;
  const needing = Object.entries({ policy, hidden, force: force || undefined });
  const [alone] = needing.filter(([, value]) => value !== undefined);
  if (html === undefined && alone !== undefined) throw usageError(`--${alone[0]} needs --html.`);
  if (html === undefined) return undefined;
  if (session.globals.profiles !== undefined)
    throw usageError('--html writes a page about one account: use it without --profiles.');
  if (forReview === true) throw usageError('--for-review makes a table, and --html a page: use one of them.');
  if (policy !== undefined && (property !== undefined || user !== undefined))
    throw usageError('--policy judges the whole account: leave out --property and --user.');
  checkPage(html, force, session);
  const { openPolicy, judgeAccess } = await import('./check.ts');
  const opened = policy === undefined ? undefined : await openPolicy(policy, session, hidden);
  return async (document: AccessDocument) => {
    const judged = opened && (await judgeAccess(opened, document, session));
    await writePage(html, { document, judged, force }, session);
  };
}

async function printReview({ access, items }: AccessDocument, { out }: Session): Promise<void> {
  const { reviewRows } = await import('../../people/review.ts');
  await out.records(reviewShape, onePage(reviewRows(items)), { access });
}

async function printReport(document: AccessDocument, { out, context }: Session): Promise<void> {
  const { access, items } = document;
  await out.records(shapeOf(document), onePage(items), { access });
  if (context.stderr.isTerminal && !context.presentation.json) await out.note(summaryOf(items));
}

/** @throws {CliError} exit 2 for a link and whatever else is no plain file; for a file, without --force. */
function checkPage(path: string, force: boolean, session: Session): void {
  const found = pathProblem(path) === undefined ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
  const isOther = found?.isFile() === false;
  const problem = pathProblem(path) ?? (isOther ? `${path} is a link, or not a file` : undefined);
  if (problem !== undefined) throw invalidInput([{ field: '--html', reason: problem }]);
  if (!force && found !== undefined) throw existing(path, session);
}

function existing(path: string, { context }: Session): CliError {
  return invalidInput([{ field: '--html', reason: `${path} exists` }], sameCommand(context.argv, '--force'));
}

/** Writes a report as a page that only its owner may read. */
async function writePage(
  path: string,
  { document, judged, force }: { document: AccessDocument; judged: Judged | undefined; force: boolean },
  session: Session,
): Promise<void> {
  const { context, out } = session;
  const masked = <Value>(value: Value): Value => JSON.parse(context.redactor.text(JSON.stringify(value)));
  const { accessPage } = await import('../../people/page.ts');
  const page = accessPage(masked(document), judged && masked(judged));
  try {
    if (force) replaceFile(path, page, { lasting: true });
    else writeNew(path, page, true);
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') throw existing(path, session);
    throw new CliError('page_not_written', `Could not write ${path}: ${writeReasonOf(cause)}.`, { cause });
  }
  const facts = { html: path, count: document.count, ...(judged && { findings: judged.findings.length }) };
  await out.done(`Wrote ${path}, which only you may read.`, facts);
}
