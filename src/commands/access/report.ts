import { serviceCommand } from '../../cli/described-command.ts';
import { refuseInvalid, usageError } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { pagesOf } from '../../model/records.ts';
import { heldEmailProblem } from '../../model/segment.ts';
import { counted, quote, textProblem } from '../../model/text.ts';
import type { AccessDocument, Fact } from '../../people/access-document.ts';
import { byHolder, summaryOf } from '../../people/facts.ts';
import { selectFacts } from '../../people/selection.ts';
import { neutraliseLine } from '../../print/text.ts';
import { idProblem } from '../../service/path.ts';
import { serviceLine } from '../lines.ts';
import { entryProblems } from '../options.ts';
import { hiddenFlag } from '../plan/flags.ts';
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
        const { property, user, invitationDays, forReview } = flags;
        refuseInvalid([
          ...entryProblems('--property', property, nameProblem),
          ...entryProblems('--user', user, user?.includes('@') ? heldEmailProblem : nameProblem),
          ...entryProblems('--invitation-days', invitationDays, daysProblem),
        ]);
        const page = await openPage(flags, session);
        const whole = await readAccess(
          session,
          invitationDays === undefined ? undefined : Number(invitationDays),
        );
        const document = selectFacts(whole, { properties: property, user });
        if (page !== undefined) await page(document);
        else await (forReview === true ? printReview : printReport)(document, session);
        await noteUnknown(document, session);
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
  if (html === undefined && policy !== undefined)
    throw usageError('--policy needs --html.', serviceLine(session.globals, 'access', 'check', policy));
  if (policy === undefined && hidden === true) throw usageError('--hidden needs --policy.');
  if (html === undefined && force) throw usageError('--force needs --html.');
  if (html === undefined) return undefined;
  if (forReview === true) throw usageError('--for-review makes a table, and --html a page: use one of them.');
  if (policy !== undefined && (property !== undefined || user !== undefined))
    throw usageError('--policy judges the whole account: leave out --property and --user.');
  const { checkPage, writePage } = await import('./html.ts');
  checkPage(html, force, session);
  const { openPolicy, judgeAccess } = await import('./policy.ts');
  const opened = policy === undefined ? undefined : await openPolicy(policy, session, hidden);
  return async (document: AccessDocument) => {
    const judged = opened && (await judgeAccess(opened, document, session));
    await writePage(html, { document, judged, force }, session);
  };
}

async function printReview({ access, items }: AccessDocument, { out }: Session): Promise<void> {
  const { reviewRows } = await import('../../people/review.ts');
  await out.records(
    reviewShape,
    pagesOf(reviewRows(items), (row) => ({ ...row })),
    { access },
  );
}

async function printReport(document: AccessDocument, { out, context }: Session): Promise<void> {
  const { access, items } = document;
  const facts = pagesOf(items, (fact) => fact);
  await out.records(shapeOf(document), facts, { access });
  if (context.stderr.isTerminal && !context.presentation.json)
    await out.note(access.selected?.user === undefined ? summaryOf(items) : personOf(items));
}

async function noteUnknown({ access }: AccessDocument, { out }: Session): Promise<void> {
  if (access.unknown === 0) return;
  const rows = counted(access.unknown, 'entry', 'entries');
  await out.warn(`The service does not show the whole access of ${rows}.`);
}

/** `Ben Schuster: active, without MFA. ben@example.com: invited (3 days ago).` */
function personOf(items: readonly Fact[]): string {
  const texts = byHolder(items).map(([{ name, email, state, mfa, age_days: days }]) => {
    const secured = mfa === null ? '' : `, ${mfa ? 'with' : 'without'} MFA`;
    const ago = days === undefined ? '' : ` (${counted(days, 'day')} ago)`;
    return neutraliseLine(`${name || email}: ${state}${secured}${ago}.`);
  });
  return texts.join(' ');
}
