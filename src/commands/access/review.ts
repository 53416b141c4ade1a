import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { targetIn } from '../../change/rows.ts';
import { readPeople } from '../../files/people-file.ts';
import { readInput } from '../../fs/read.ts';
import { preparePrivateFolder, replaceFile } from '../../fs/replace.ts';
import { CliError, detailsFor, ExitCode, invalidInput, refuseInvalid } from '../../model/errors.ts';
import { hashOf } from '../../model/json-text.ts';
import type { Context } from '../../model/ports.ts';
import { groupBy, onePage } from '../../model/records.ts';
import { counted, quote, textProblem } from '../../model/text.ts';
import { checkEvidenceFolder, openEvidence } from '../../people/evidence.ts';
import { closeReview, judgeReview } from '../../people/review.ts';
import * as reviews from '../../people/review-folder.ts';
import { cellsOf, csvText, exactWording } from '../../print/cells.ts';
import { columnsOf } from '../../print/labels.ts';
import { neutralise, prettyJson } from '../../print/text.ts';
import { DescribedCommand, localCommand, serviceCommand } from '../../session/command-line.ts';
import { type LocalSession, type Session, withLocalSession, withSession } from '../../session/session.ts';
import { columns, namesOf, writtenRow } from './apply.ts';
import { readAccess } from './gather.ts';
import { reviewShape } from './shape.ts';

const START = 'access review start 2026-H2 --to reviews/2026-h2';
const CLOSE = 'access review close';

/** `access review ...`: a review of all access, in sheets that several people fill in. */
export function reviewCommands(context: Context) {
  const start = serviceCommand('start', 'reads', [START, `${START} --by inviter`])
    .summary('write the sheets of a review')
    .description(
      'Write the sheets of a review into a new folder: a CSV for each property, or for each person who invited somebody, with a row for each person and property. Fill in the column decision: keep, revoke, disable or withdraw. scope.json says what is reviewed; leave it as it is.',
    )
    .argument('<name>', 'name of the review, which no other review in the evidence folder has')
    .option('--to <folder>', 'new or empty folder for the sheets')
    .addOption(new Option('--by <what>', 'a sheet for each').choices(reviews.divisions).default('property'))
    .action(withSession(context, startReview));
  const status = localCommand('status', 'reads', ['access review status reviews/2026-h2'])
    .exitsWith('notFound', 'refused')
    .summary('show which rows have no decision')
    .description('Show which rows have no decision. Exits with 6 if anything but decisions was changed.')
    .argument('<folder>', 'folder of the review')
    .action(withLocalSession(context, showStatus));
  const close = serviceCommand('close', 'reads', [
    `${CLOSE} reviews/2026-h2 --approved-by "Hanna Kraus, GM" --evidence evidence/`,
  ])
    .summary('keep an approved review as evidence')
    .description(
      'Keep an approved review as one document of evidence: each row with its decision, what was done, what is so now, and who approved. Exits with 6 while a row has no decision, or a decision was not carried out. A review is closed once.',
    )
    .argument('<folder>', 'folder of the review')
    .option('--approved-by <name>', 'who approves the review')
    .option('--evidence <folder>', 'folder that keeps the evidence')
    .action(withSession(context, closeFolder));
  const group = new DescribedCommand('review', { examples: [START, 'access review status reviews/2026-h2'] })
    .summary('review who can do what')
    .description('Review who can do what, in sheets that are filled in, carried out and closed.');
  return group.addCommand(start).addCommand(status).addCommand(close);
}

/** Reads what `access report` reads. @throws {CliError} exit 2 for a folder with files; as `readAccess`. */
async function startReview(session: Session, name: string, { to = '', by }: { to?: string; by: string }) {
  const { out, context, globals } = session;
  refuseInvalid([...detailsFor('<name>', textProblem(name, 100)), ...detailsFor('--to', textProblem(to))]);
  const [other] = existsSync(to) ? readdirSync(to) : [];
  const reason = other && `${to} has files (${quote(other)}): name a new or empty folder`;
  refuseInvalid(detailsFor('--to', reason));
  const { account } = await targetIn(session, { prune: false });
  const access = JSON.parse(context.redactor.text(JSON.stringify(await readAccess(session))));
  const scope = reviews.scopeOf(access, { name, by, account });
  const sheets = groupBy(scope.items, ({ sheet }) => `${sheet}.csv`);
  const what = `${counted(sheets.size, 'sheet')} with ${counted(scope.count, 'row')} to ${to}`;
  const facts = { review: scope.review, folder: to, count: scope.count, sheets: [...sheets.keys()] };
  if (globals.dryRun === true) return out.unsent(`Would write ${what}.`, facts);
  preparePrivateFolder(to);
  const { columns: shown } = reviewShape;
  for (const [file, items] of sheets) {
    const rows = items.map((item) => cellsOf(item, shown, exactWording).map(neutralise));
    replaceFile(join(to, file), csvText([shown.map(({ field }) => field), ...rows]), { lasting: true });
  }
  // The scope is the last: the folder of a start that was killed is no review.
  replaceFile(join(to, reviews.SCOPE), prettyJson(scope), { lasting: true });
  await out.done(`Wrote ${what}. Fill in the column decision of each row.`, facts);
}

const sheetShape = { noun: ['sheet', 'sheets'], columns: columnsOf('sheet rows decided open') } as const;

async function showStatus(session: LocalSession, folder: string) {
  const { scope, rows, paths, review } = await openReview(folder, session);
  const { problems, empty } = judgeReview(rows, scope.items);
  refuseInvalid(problems);
  const undecided = new Set(empty);
  const sheets = paths.map((path) => {
    const own = rows.filter(({ place }) => place.file === path);
    const open = own.filter((row) => undecided.has(row)).length;
    return { sheet: basename(path), rows: own.length, decided: own.length - open, open };
  });
  const open = empty.map(({ place: { file, number: line }, ...row }) => ({ file, line, ...row }));
  await session.out.records(sheetShape, onePage(sheets), { review, open });
  const rest = `${counted(empty.length, 'row')} without a decision: ${namesOf(empty)}.`;
  await session.out.note(empty.length === 0 ? 'Every row is decided.' : rest);
}

const LARGEST = 64 * 1_048_576;

/**
 * A review as it is now: its rows with their decisions.
 *
 * @throws {CliError} exit 3 without a review; `review_changed`, exit 6, with what is not as it was written.
 */
async function openReview(folder: string, { context, out }: LocalSession) {
  const path = join(folder, reviews.SCOPE);
  const none = { exitCode: ExitCode.notFound, hint: `innctl ${START}` };
  if (!existsSync(path)) throw new CliError('not_found', `There is no review in ${folder}.`, none);
  const read = async () => {
    const scope = reviews.readScope(Buffer.from(await readInput(path, context.stdin, LARGEST)).toString());
    if (scope === undefined) throw invalidInput([{ field: path, reason: 'was changed' }]);
    const paths = [...new Set(scope.items.map(({ sheet }) => sheetAt(join(folder, sheet))))];
    const all = [...columns, ...reviews.shown.map((name) => ({ name }))];
    const table = await readPeople(paths, all, { context, warn: out.warn, ignoresOthers: true });
    const written = table.rows.map(({ place, fields }) => {
      const others = reviews.shown.map((name) => [name, [fields[name] ?? ''].flat().join(', ')]);
      return { ...writtenRow({ place, fields }), ...Object.fromEntries(others) };
    });
    const { changed, rows } = reviews.compareSheets(scope, written, paths);
    refuseInvalid(changed);
    const digests = { sheets_sha256: table.sha256, sha256: hashOf([scope.review.digest, table.sha256]) };
    return { scope, paths, rows, review: { ...scope.review, ...digests } };
  };
  const hint = 'Restore it from a backup, and change decision, reviewer and comment alone.';
  return read().catch(refusing('review_changed', `The review in ${folder} is not as it was started`, hint));
}

type Opened = Awaited<ReturnType<typeof openReview>>;

/** @param bare a path without its ending. */
function sheetAt(bare: string): string {
  const [one, other] = [`${bare}.csv`, `${bare}.xlsx`].filter((each) => existsSync(each));
  if (one === undefined) throw invalidInput([{ field: `${bare}.csv`, reason: 'is missing' }]);
  refuseInvalid(detailsFor(one, other && `is there as ${other}, too: keep one of them`));
  return one;
}

/** For `catch`: what is wrong with a review, as a refusal of it. */
function refusing(code: string, sentence: string, hint: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CliError) || error.exitCode !== ExitCode.usage) throw error;
    const { message, details } = error;
    const options = { exitCode: ExitCode.refused, details, hint: error.hint ?? hint };
    throw new CliError(code, `${sentence}: ${message}`, options);
  };
}

type CloseFlags = { approvedBy?: string; evidence?: string };

/** Reads what `access report` reads; a review that is closed already is not judged again. */
async function closeFolder(session: Session, folder: string, { approvedBy = '', evidence = '' }: CloseFlags) {
  const { context, globals, out } = session;
  const problems = [approvedBy, evidence].map((text) => textProblem(text));
  refuseInvalid([...detailsFor('--approved-by', problems[0]), ...detailsFor('--evidence', problems[1])]);
  checkEvidenceFolder(evidence, context.uid);
  const opened = await openReview(folder, session);
  const { name, sha256 } = opened.review;
  const facts = { review: name, closed: true, sha256, approved_by: approvedBy, evidence };
  const hint = 'Decide each row, and carry the decisions out with innctl access apply.';
  const refused = refusing('review_open', `The review ${name} cannot be closed`, hint);
  if (globals.dryRun === true) {
    await judgeClosing(opened, session).catch(refused);
    return out.unsent(`Would close the review ${name}.`, { ...facts, closed: false });
  }
  const options = { ...context, now: context.clock.now, clean: context.redactor.text };
  const chain = await openEvidence(evidence, { job: CLOSE }, [], options);
  try {
    const earlier = chain.finished(opened);
    const isSame = earlier?.approved_by === approvedBy && earlier.review?.sha256 === sha256;
    const reason = `has the review with other sheets, or another approval: ${earlier?.approved_by}`;
    const details = detailsFor(`line ${earlier?.number} of the evidence`, reason);
    if (earlier !== undefined && !isSame) refused(invalidInput(details, 'Start a review with another name.'));
    const closed = earlier ? undefined : await judgeClosing(opened, session).catch(refused);
    if (closed) chain.finish({ ...closed, approved_by: approvedBy });
    const how = closed ? `Closed the review ${name}` : `The review ${name} is closed already`;
    await out.done(`${how}, approved by ${approvedBy}; its evidence is in ${evidence}.`, facts);
  } finally {
    chain.close();
  }
}

/** The document of a review that is closed. @throws {CliError} exit 2 while it is not decided and carried out. */
async function judgeClosing({ scope, rows, review }: Opened, session: Session) {
  refuseInvalid(judgeReview(rows, scope.items).problems);
  const service = await targetIn(session, { prune: false });
  // Access that another account does not have would look revoked. Texts of unknown accounts are not compared.
  const isKnown = [review, service].every(({ account }) => account.startsWith('account '));
  const other = (['identity_url', 'base_url', 'account'] as const).find(
    (field) => review[field] !== service[field] && (isKnown || field !== 'account'),
  );
  const reason = other && `is ${service[other]}, and that of the review ${review[other]}`;
  refuseInvalid(detailsFor(other ?? '', reason), 'Choose the profile of the review with --profile.');
  const { open, closed, notReviewed } = closeReview(rows, (await readAccess(session)).items);
  refuseInvalid(open);
  if (notReviewed.length > 0)
    await session.out.warn(`Access without a row, not reviewed or gained since: ${namesOf(notReviewed)}.`);
  return { service, review: { ...review, rows: closed.length, not_reviewed: notReviewed }, rows: closed };
}
