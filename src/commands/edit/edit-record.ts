import { rmSync } from 'node:fs';
import { createTwoFilesPatch } from 'diff';
import { CliError, invalidInput, OutcomeUnknown, usageError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { type Context, Interruption } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { reasonOf } from '../../fs/read.ts';
import { type Difference, differencesBetween, stepOf } from '../../model/diff.ts';
import type { PatchStep } from '../../model/patch.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { capitalised } from '../../model/text.ts';
import { openPaint, type Paint } from '../../out/paint.ts';
import { aboutRecord, neutralise, sameCommand } from '../../out/text.ts';
import { toYaml } from '../../out/yaml.ts';
import { WouldSend } from '../../service/send.ts';
import { serviceLine, withValue } from '../lines.ts';
import { type EditRules, nameOf, type Problem, problemsIn, readText } from './edited.ts';
import { createTextFile, isWorthKeeping, openTextFile, readTextFile, type TextFile } from './text-file.ts';

/** A record to edit, and how to send its changes. */
export interface Subject {
  readonly kind: 'property' | 'user';
  readonly id: string;
  /** Its name on the command line: an id, or an e-mail address. */
  readonly reference: string;
  /** Flags needed to continue with a saved text. */
  readonly flags: readonly string[];
  /** Comments above the fields, one per line. */
  readonly advice: readonly string[];
  rulesFor(record: ServiceRecord): EditRules;
  /** The facts if nothing was sent. */
  readonly unchanged: ServiceRecord;
  read(): Promise<ServiceRecord>;
  /** The problems of the new values. */
  valueProblems(differences: readonly Difference[]): readonly Problem[];
  /** @throws {CliError} exit 11 without consent. */
  consent(steps: readonly PatchStep[], record: ServiceRecord): Promise<void>;
  /** @returns reports what was sent. */
  send(steps: readonly PatchStep[], record: ServiceRecord): Promise<() => Promise<void>>;
}

/** Command group and area of each kind of record. */
const kinds = {
  property: { group: 'properties', area: 'inventory' },
  user: { group: 'users', area: 'identity' },
} as const;

/** A record that is open in an editor. */
interface Open {
  readonly subject: Subject;
  readonly rules: EditRules;
  readonly record: ServiceRecord;
  /** The editable fields before the edit. */
  readonly before: ServiceRecord;
  readonly file: TextFile;
  readonly editor: string;
  readonly session: Session;
}

/**
 * Opens a record in an editor, shows the changes, asks for consent and sends them, unless the record has changed
 * meanwhile. A text that was not sent is kept, and the error says how to continue with it.
 *
 * @param editor from `chosenEditor`.
 * @param given path of a text to start from instead of the record.
 */
export async function editRecord(
  subject: Subject,
  editor: string,
  given: string | undefined,
  session: Session,
): Promise<void> {
  const { context, folders } = session;
  const kept = given === undefined ? undefined : openTextFile(given, folders.state);
  const record = await subject.read();
  const rules = subject.rulesFor(record);
  const draft = draftOf(subject, record, rules.fixed, placeOf(subject, session));
  const before = readText(draft, nameIn(subject), record, rules)?.fields ?? {};
  const label = `${subject.kind}-${subject.id}`;
  const file = kept ?? createTextFile(draft, folders.state, label, context.uuid());
  const report = await sendEdited({ subject, rules, record, before, file, editor, session }).catch(
    (error: unknown) => keepText(error, file, subject, session),
  );
  // The text is removed even if the report cannot be printed. A failure to remove it is reported after what was sent.
  await report().finally(() => removeText(session, file));
}

/** A failure is only a warning: the record was changed. */
async function removeText({ out }: Session, { path, isOurs }: TextFile): Promise<void> {
  try {
    if (isOurs) rmSync(path, { force: true });
  } catch (cause) {
    await out.warn(`Could not remove ${path}, which is no longer needed: ${reasonOf(cause)}.`);
  }
}

/** @returns a function that reports what was sent, if anything. */
async function sendEdited(open: Open): Promise<() => Promise<void>> {
  const { subject, rules, record, session } = open;
  const name = nameIn(subject);
  const { after, differences } = await editUntilRight(open);
  if (differences.length === 0)
    return () => session.out.done(`Nothing was changed in ${name}.`, subject.unchanged);
  await show(open, after);
  const steps = differences.map((each) => stepOf(each, rules.spec));
  await subject.consent(steps, record);
  const changed = differencesBetween(record, await subject.read(), rules.spec);
  if (changed.length > 0) throw changedMeanwhile(name, changed, sameCommand(session.context.argv));
  return subject.send(steps, record);
}

/** Prints nothing with JSON, where stderr holds one document; programs use --dry-run. */
async function show({ subject, before, session }: Open, after: ServiceRecord): Promise<void> {
  const { context, globals, out } = session;
  if (context.presentation.json) return;
  if (session.mayAsk() && globals.dryRun !== true)
    await out.note(`This will be sent to ${session.destination(kinds[subject.kind].area)}:`);
  await showDifference(nameIn(subject), before, after, context);
}

/** Reopens the editor for an invalid text, if the user agrees. */
async function editUntilRight(open: Open): ReturnType<typeof readEdited> {
  const { session, subject } = open;
  for (;;) {
    await runEditor(open);
    try {
      return await readEdited(open);
    } catch (error) {
      const isWrong = error instanceof CliError && error.exitCode === ExitCode.usage;
      if (!isWrong || !session.mayAsk()) throw error;
      await session.out.warn(error.message);
      if (await session.context.prompter.confirm('Edit again?')) continue;
      throw new CliError('declined', `Nothing was sent to ${nameIn(subject)}.`, {
        exitCode: ExitCode.blocked,
      });
    }
  }
}

/** @throws {CliError} exit 1 if the editor fails; the `Interruption` if the run is interrupted. */
async function runEditor({ editor, file, session }: Open): Promise<void> {
  const { edit, signal } = session.context;
  const exitCode = await edit(editor, file.path);
  signal.throwIfAborted();
  if (exitCode === 0) return;
  const how = exitCode === undefined ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
  throw new CliError('editor_failed', `The editor ${how}: ${editor}; nothing was sent.`, {
    hint: exitCode === 127 ? 'Set EDITOR to the command line of an installed editor.' : undefined,
  });
}

/**
 * The editable fields of the text, and what they change.
 *
 * @throws {CliError} exit 2 with all problems.
 */
async function readEdited({ subject, rules, record, before, file, session }: Open) {
  const written = readText(readTextFile(file.path), file.path, record, rules);
  if (written === undefined) return { after: before, differences: [] };
  const after = withoutFields(written.fields, rules.fixed);
  const differences = differencesBetween(before, after, rules.spec);
  const ofValues = rules.validates ? subject.valueProblems(differences) : [];
  const command = `${kinds[subject.kind].group} update`;
  const addingAt = (pointer: string) =>
    serviceLine(session.globals, ...aboutRecord(command, subject.reference, '--add', `${pointer}=JSON`));
  const details = problemsIn({ record, written, after, differences }, rules, ofValues, addingAt);
  if (details.length > 0) throw invalidInput(details);
  return { after, differences };
}

/** Adds to an error how to continue with a changed text that was not sent. */
async function keepText(
  error: unknown,
  file: TextFile,
  { kind, reference, flags }: Subject,
  { out, context, globals }: Session,
): Promise<never> {
  const isKept = isWorthKeeping(file);
  // The text contains the change: the same command finds it carried out, or sends it.
  if (error instanceof OutcomeUnknown) {
    const argv = isKept ? withValue(context.argv, '--file', file.path) : context.argv;
    throw error.withHint(sameCommand(argv));
  }
  if (!isKept) throw error;
  const words = aboutRecord(`${kinds[kind].group} edit`, reference, ...flags, '--file', file.path);
  const sentence = `Your text is kept; to continue: ${serviceLine(globals, ...words)}`;
  if (error instanceof CliError)
    throw error.withHint(error.hint === undefined ? sentence : `${error.hint}\n${sentence}`);
  if (error instanceof Interruption) {
    const { signal, exitCode } = error;
    const facts = { exitCode, hint: sentence, cause: error };
    throw new CliError('interrupted', `Interrupted by ${signal}.`, facts);
  }
  // A dry run is not a failure.
  await (error instanceof WouldSend ? out.note(sentence) : out.warn(sentence));
  throw error;
}

/**
 * The text to edit: editable fields as YAML, below comments with the identity and the fixed fields.
 *
 * @param place where the record is stored.
 */
export function draftOf(
  subject: Pick<Subject, 'kind' | 'reference' | 'advice'>,
  record: ServiceRecord,
  fixed: readonly string[],
  place: string,
): string {
  const shown = Object.entries(record).filter(([name]) => fixed.includes(name));
  const comments = [
    `${capitalised(nameIn(subject))} (${place}).`,
    'Change the values below, save, and close the editor: you then see the difference before it is sent.',
    'Removing a line removes its value. An unchanged or empty text sends nothing.',
    ...subject.advice,
    ...(shown.length === 0 ? [] : ['', 'Read-only:']),
    ...(shown.length === 0 ? [] : toYaml(Object.fromEntries(shown)).trimEnd().split('\n')),
  ];
  return `${comments.map((line) => `# ${line}`.trimEnd()).join('\n')}\n\n${toYaml(withoutFields(record, fixed))}`;
}

/** In the middle of a sentence: `property BER`. */
function nameIn({ kind, reference }: Pick<Subject, 'kind' | 'reference'>): string {
  return `${kind} ${reference}`;
}

/** Where a record is stored: `the sandbox`, or the profile and the URL. */
function placeOf({ kind }: Subject, { settings }: Session): string {
  const { sandbox, profile, baseUrl, identityUrl } = settings();
  if (sandbox) return 'the sandbox';
  const url = (kind === 'property' ? baseUrl : identityUrl)?.value;
  return [profile && `profile ${profile.value}`, url].filter(Boolean).join(', ');
}

/** The record without some of its fields. */
function withoutFields(record: ServiceRecord, names: readonly string[]): ServiceRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

/** @param again a command line that edits the current record. */
function changedMeanwhile(name: string, changed: readonly Difference[], again: string): CliError {
  const details = changed.map(({ path }) => ({ field: nameOf(path), reason: 'was changed meanwhile' }));
  const fields = details.map(({ field }) => field).join(', ');
  const sentence = `Somebody else changed ${name} meanwhile (${fields}); nothing was sent.`;
  return new CliError('changed_meanwhile', sentence, {
    exitCode: ExitCode.refused,
    details,
    hint: `Edit it as it is now: ${again}`,
  });
}

/** Maximum number of different lines; comparing more takes too long. */
const MOST_DIFFERENT = 2_000;

/** Lines around each difference. */
const AROUND = 3;

/** Shows on stderr what an edit changes, as a unified diff of YAML. */
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

/** The values with fields in the order of another record, so that moved fields are no difference. */
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
  const patch = createTwoFilesPatch('', '', before, after, undefined, undefined, limits);
  if (patch === undefined) return [`More than ${MOST_DIFFERENT} lines of ${name} differ.`];
  const hunks = patch.slice(patch.indexOf('@@'), -1);
  return [`--- ${name}, as it is`, `+++ ${name}, as edited`, ...hunks.split('\n')];
}

/** Colours repeat what the first character says. */
function painted(line: string, paint: Paint): string {
  if (line.startsWith('--- ') || line.startsWith('+++ ')) return paint.title(line);
  if (line.startsWith('-')) return paint.error(line);
  return line.startsWith('+') || line.startsWith('@@') ? paint.hint(line) : line;
}

/**
 * The command line of the editor: VISUAL, else EDITOR, else, on a terminal, the system's default.
 *
 * @param instead a command that needs no editor.
 * @throws {CliError} exit 2 with --no-input, or without an editor and a terminal.
 */
export function chosenEditor({ context, mayAsk, settings }: Session, instead: string): string {
  const { env, platform, argv } = context;
  if (settings().noInput.value) throw usageError('An editor cannot be opened with --no-input.', instead);
  const named = [env['VISUAL'], env['EDITOR']].find((each = '') => each.trim() !== '');
  if (named !== undefined) return named;
  if (mayAsk()) return platform === 'win32' ? 'notepad' : 'vi';
  throw usageError(
    'No editor is set: set EDITOR to its command line.',
    `EDITOR=nano ${sameCommand(argv)}\nOr without an editor: ${instead}`,
  );
}
