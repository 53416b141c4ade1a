import { structuredPatch } from 'diff';
import { CliError, detailsFor, invalidInput, OutcomeUnknown } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { type Context, Interruption } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { reasonOf } from '../../fs/read.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { openPaint, type Paint } from '../../out/paint.ts';
import { neutralise, sameCommand } from '../../out/text.ts';
import { toYaml } from '../../out/yaml.ts';
import { canonical } from '../../seed/canonical.ts';
import { WouldSend } from '../../service/send.ts';
import { withValue } from '../options.ts';
import { type Change, changesBetween, problemsIn, type Subject } from './changes.ts';
import { nameOf, readText } from './text.ts';
import { createTextFile, openTextFile, type TextFile } from './text-file.ts';

/** A record that is open in an editor. */
interface Open {
  readonly subject: Subject;
  readonly record: ServiceRecord;
  /** What can be changed, as the text has it when nothing was. */
  readonly before: ServiceRecord;
  readonly file: TextFile;
  readonly editor: string;
  readonly session: Session;
}

/** What the command line says of the text. */
interface EditChoices {
  /** As `chosenEditor` gives it. */
  readonly editor: string;
  /** A text to begin with instead of the record's own. */
  readonly file: string | undefined;
}

/** What became of the text. */
interface Edited {
  readonly after: ServiceRecord;
  readonly changes: readonly Change[];
}

/**
 * Opens a record in an editor, and sends what was changed once it was seen and consented to, if the record still is
 * what it was. A text that was not sent is kept, and what goes on with it told.
 */
export async function editRecord(
  subject: Subject,
  { editor, file: given }: EditChoices,
  session: Session,
): Promise<void> {
  const { context, folders } = session;
  const kept = given === undefined ? undefined : openTextFile(given, folders.state);
  const record = await subject.read();
  const draft = draftOf(subject, record);
  const before = readText(draft, { name: subject.name, record, isText: subject.isText })?.fields ?? {};
  const label = `${subject.kind}-${subject.id}`;
  const file = kept ?? createTextFile(draft, { state: folders.state, label, uuid: context.uuid() });
  const report = await sendEdited({ subject, record, before, file, editor, session }).catch(
    keeping(file, subject, session),
  );
  // The text goes even where the report cannot be printed; where it stays, what was sent is said first.
  await report().finally(() => removeOr(session, file));
}

/** The service has it by now: a disk that does not let a text go makes no failure of that. */
async function removeOr({ out }: Session, file: TextFile): Promise<void> {
  try {
    file.remove();
  } catch (cause) {
    await out.warn(`Could not remove ${file.path}, which is not needed any more: ${reasonOf(cause)}.`);
  }
}

/** @returns reports what was sent, or that nothing was. */
async function sendEdited(open: Open): Promise<() => Promise<void>> {
  const { subject, record, session } = open;
  const { after, changes } = await editUntilRight(open);
  if (changes.length === 0) {
    return () => session.out.done(`Nothing was changed in ${subject.name}.`, subject.unchanged);
  }
  await tell(open, after);
  await subject.consent(changes, record);
  refuseIfChanged(subject.name, record, await subject.read(), sameCommand(session.context.argv));
  return subject.send(changes, record);
}

/** JSON has room for one document on stderr; programs ask --dry-run. */
async function tell({ subject, before, session }: Open, after: ServiceRecord): Promise<void> {
  const { context, globals, out } = session;
  if (context.presentation.json) return;
  if (session.mayAsk() && globals.dryRun !== true) {
    await out.note(`This is what will be sent to ${subject.destination()}:`);
  }
  await showDifference(subject.name, before, after, context);
}

/** A person may correct a wrong text. */
async function editUntilRight(open: Open): Promise<Edited> {
  const { session, subject } = open;
  for (;;) {
    await runEditor(open);
    try {
      return await readEdited(open);
    } catch (error) {
      const isWrong = error instanceof CliError && error.exitCode === ExitCode.usage;
      if (!isWrong || !session.mayAsk()) throw error;
      await session.out.warn(error.message);
      if (!(await session.context.prompter.confirm('Edit again?'))) throw declined(subject);
    }
  }
}

/** @throws {CliError} exit 1 when it does not end well; the `Interruption` when the run is to end. */
async function runEditor({ editor, file, session }: Open): Promise<void> {
  const { edit, signal } = session.context;
  const exitCode = await edit(editor, file.path);
  signal.throwIfAborted();
  if (exitCode === 0) return;
  const how = exitCode === undefined ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
  throw new CliError('editor_failed', `The editor ${how}: ${editor}; nothing was sent.`, {
    hint: exitCode === 127 ? 'Set EDITOR to the command line of an editor that is there.' : undefined,
  });
}

/** @throws {CliError} exit 2 naming all that is wrong. */
async function readEdited({ subject, record, before, file }: Open): Promise<Edited> {
  const { isText } = subject;
  const written = readText(file.read(), { name: file.path, record, isText });
  if (written === undefined) return { after: before, changes: [] };
  const fixed = subject.fixedIn(record);
  const after = withoutFields(written.fields, fixed);
  const changes = subject.changesBetween(before, after);
  const problems = await problemsIn({ subject, record, before, after, written, changes });
  const details = problems.flatMap(({ field, reason }) => {
    const line = written.lineOf(field);
    return detailsFor(nameOf(field), line === undefined ? reason : `${reason} (line ${line})`);
  });
  if (details.length > 0) throw invalidInput(details);
  return { after, changes };
}

function declined({ name }: Subject): CliError {
  return new CliError('declined', `Nothing was sent to ${name}.`, { exitCode: ExitCode.blocked });
}

/**
 * Tells what goes on with the text when it was not sent.
 *
 * @returns for `catch`; every error goes on.
 */
function keeping(file: TextFile, subject: Subject, { out, context }: Session) {
  return async (error: unknown): Promise<never> => {
    const isKept = file.isWorthKeeping();
    // The text holds what was sent: with it the same command finds that it is there, or sends it.
    if (error instanceof OutcomeUnknown) {
      const argv = isKept ? withValue(context.argv, '--file', file.path) : context.argv;
      throw error.settledBy(sameCommand(argv), isKept ? `Your text is kept in ${file.path}.` : undefined);
    }
    if (!isKept) throw error;
    const sentence = `Your text is kept; to go on with it: ${subject.resumedBy(file.path)}`;
    if (error instanceof CliError) {
      throw error.withHint(error.hint === undefined ? sentence : `${error.hint}\n${sentence}`);
    }
    if (error instanceof Interruption) {
      const { signal, exitCode } = error;
      throw new CliError('interrupted', `Interrupted by ${signal}.`, {
        exitCode,
        hint: sentence,
        cause: error,
      });
    }
    // A dry run has ended as it should.
    await (error instanceof WouldSend ? out.note(sentence) : out.warn(sentence));
    throw error;
  };
}

/** The text that is edited: what can be changed as YAML, and above it, in comments, what it is and what cannot. */
export function draftOf(subject: Subject, record: ServiceRecord): string {
  const fixed = subject.fixedIn(record);
  const shown = Object.keys(record).filter((name) => fixed.includes(name));
  const constant = Object.fromEntries(shown.map((name) => [name, record[name]]));
  const comments = [
    `${subject.name.charAt(0).toUpperCase()}${subject.name.slice(1)} (${subject.place}).`,
    'Change the values below, save, and close the editor: you then see the difference before it is sent.',
    'A line that you take away takes its value away. A text without a change, or an empty one, sends nothing.',
    ...subject.advice,
    ...(shown.length === 0 ? [] : ['', 'Not to be changed here:', ...linesOf(constant)]),
  ];
  return `${comments.map((line) => `# ${line}`.trimEnd()).join('\n')}\n\n${toYaml(withoutFields(record, fixed))}`;
}

/** The record without some of its fields. */
function withoutFields(record: ServiceRecord, names: readonly string[]): ServiceRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

function linesOf(record: ServiceRecord): readonly string[] {
  return toYaml(record).trimEnd().split('\n');
}

/** Returns when a record is what it was. @throws {CliError} `changed_meanwhile`, exit 6, naming the fields that are not. */
function refuseIfChanged(name: string, before: ServiceRecord, now: ServiceRecord, again: string): void {
  if (canonical(before) === canonical(now)) return;
  const details = changesBetween(before, now).map(({ field }) => ({
    field: nameOf(field),
    reason: 'was changed meanwhile',
  }));
  const fields = details.map(({ field }) => field).join(', ');
  throw new CliError(
    'changed_meanwhile',
    `Somebody else changed ${name} meanwhile (${fields}); nothing was sent.`,
    { exitCode: ExitCode.refused, details, hint: `Edit it as it is now: ${again}` },
  );
}

/** Lines that differ, beyond which comparing takes too long. */
const MOST_DIFFERENT = 2_000;

/** Lines around each difference. */
const AROUND = 3;

/** Shows on stderr what becomes of a record, as a unified difference of its YAML; `name` is how its head calls it. */
export async function showDifference(
  name: string,
  before: ServiceRecord,
  after: ServiceRecord,
  { stderr, presentation }: Pick<Context, 'stderr' | 'presentation'>,
): Promise<void> {
  const paint = await openPaint(presentation.colour);
  const lines = differenceOf(name, toYaml(before), toYaml(inOrderOf(before, after)));
  await stderr.write(lines.map((line) => `${painted(neutralise(line), paint)}\n`).join(''));
}

/** The same values, fields in the order of another record: that they moved is no difference. */
function inOrderOf(model: ServiceRecord, record: ServiceRecord): ServiceRecord {
  const names = [...new Set([...Object.keys(model), ...Object.keys(record)])];
  const present = names.filter((name) => Object.hasOwn(record, name));
  return Object.fromEntries(
    present.map((name) => {
      const [value, like] = [record[name], Object.hasOwn(model, name) ? model[name] : undefined];
      return [name, isRecord(value) && isRecord(like) ? inOrderOf(like, value) : value];
    }),
  );
}

function differenceOf(name: string, before: string, after: string): readonly string[] {
  const limits = { context: AROUND, maxEditLength: MOST_DIFFERENT };
  const patch = structuredPatch(name, name, before, after, undefined, undefined, limits);
  if (patch === undefined) return [`More than ${MOST_DIFFERENT} lines of ${name} differ.`];
  const hunks = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  return [`--- ${name}, as it is`, `+++ ${name}, as edited`, ...hunks];
}

/** The sign in front says the same. */
function painted(line: string, paint: Paint): string {
  if (line.startsWith('--- ') || line.startsWith('+++ ')) return paint.title(line);
  if (line.startsWith('-')) return paint.error(line);
  return line.startsWith('+') || line.startsWith('@@') ? paint.hint(line) : line;
}
