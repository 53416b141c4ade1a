import { Interruption } from '../../context.ts';
import { CliError, detailsFor, invalidInput, OutcomeUnknown } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { reasonOf } from '../../files/reason.ts';
import { WouldSend } from '../../http/send.ts';
import type { ServiceRecord } from '../../records.ts';
import { sameCommand } from '../../render/shell.ts';
import type { Session } from '../../session.ts';
import { withValue } from '../one-line.ts';
import type { Change } from './changes.ts';
import { showDifference } from './difference.ts';
import { draftOf, withoutFields } from './draft.ts';
import { refuseIfChanged } from './meanwhile.ts';
import { problemsIn } from './problems.ts';
import type { Subject } from './subject.ts';
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
