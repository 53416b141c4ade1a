import { quote, sameName } from '../model/text.ts';
import { sameCommand } from '../out/text.ts';
import { CliError } from './errors.ts';
import { ExitCode } from './exit-codes.ts';
import type { GlobalOptions } from './flags.ts';
import type { Context } from './ports.ts';

/** What needs consent by name. */
export interface Consent {
  /** What will be done, as a sentence: `This deletes property BER.` */
  readonly sentence: string;
  /** What counts as consent; the first one is asked for. */
  readonly names: readonly [string, ...string[]];
  /** What --confirm gave. */
  readonly given: string | undefined;
}

/** What a confirmation needs of a session. */
interface Consenting {
  readonly context: Context;
  readonly globals: GlobalOptions;
  mayAsk(): boolean;
}

/**
 * Asks for a yes, unless --yes or --dry-run is given.
 *
 * @param note sentences for the error if no question can be asked.
 * @throws {CliError} exit 11 otherwise.
 */
export async function confirm(
  question: string,
  { context, globals, mayAsk }: Consenting,
  note?: string,
): Promise<void> {
  if (globals.yes === true || globals.dryRun === true) return;
  if (!mayAsk()) {
    const { argv } = context;
    const input = argv.includes('-') ? ' (with the same input)' : '';
    throw missing(
      `This needs consent: ${question}${note === undefined ? '' : ` ${note}`}`,
      `To consent: ${sameCommand(argv, '--yes')}${input}`,
    );
  }
  if (!(await context.prompter.confirm(question))) throw declined('Nothing was done.');
}

/**
 * Like `confirm` after prompts, whose answers may be edited.
 *
 * @returns whether to edit them first.
 * @throws {CliError} exit 11 for no.
 */
export async function confirmOrEdit(question: string, { context, globals }: Consenting): Promise<boolean> {
  if (globals.yes === true || globals.dryRun === true) return false;
  const answer = await context.prompter.text(`${question} (y/N/edit)`, {
    check: (text) => (isAnswer(text) ? undefined : 'Answer yes, no or edit; Enter alone is no.'),
  });
  const [letter = 'n'] = answer.trim().toLowerCase();
  if (letter === 'n') throw declined('Nothing was done.');
  return letter === 'e';
}

function isAnswer(text: string): boolean {
  return /^(?:y|yes|n|no|e|edit)?$/i.test(text.trim());
}

/** Prompts for one of the names, unless --confirm gives it. @throws {CliError} exit 11 otherwise. */
export async function confirmByName(
  { sentence, names, given }: Consent,
  { context, globals, mayAsk }: Consenting,
): Promise<void> {
  const [name] = names;
  const isName = (word: string) => names.map(asConsent).includes(asConsent(word));
  if (globals.dryRun === true || (given !== undefined && isName(given))) return;
  if (given !== undefined) throw missing(`${sentence} --confirm says ${quote(given)}, not ${quote(name)}.`);
  if (!mayAsk()) {
    throw missing(
      `${sentence} That needs consent by name.`,
      `To consent, for which --yes is not enough: ${sameCommand(context.argv, '--confirm', name)}`,
    );
  }
  const typed = await context.prompter.text(`${sentence} Type ${name} to confirm`);
  if (!isName(typed.trim())) throw declined(`${quote(typed)} is not ${name}; nothing was done.`);
}

/** What needs consent by name, for several records. */
export interface ConsentToEach {
  /** What will be done: `This deletes 2 properties: BER, MUC.` */
  readonly sentence: string;
  /** For each record, what --confirm may say; the first name is suggested. */
  readonly names: readonly (readonly [string, ...string[]])[];
  /** What --confirm gave, each with one name or several with commas between them. */
  readonly given: readonly string[];
}

/**
 * Prompts for the number of records, unless --confirm names each of them.
 *
 * @throws {CliError} exit 11 otherwise.
 */
export async function confirmEach(
  { sentence, names, given }: ConsentToEach,
  { context, globals, mayAsk }: Consenting,
): Promise<void> {
  if (globals.dryRun === true) return;
  const known = new Set(names.flat().map(asConsent));
  const words = given.flatMap((word) => (known.has(asConsent(word)) ? [word] : word.split(',')));
  const others = words.filter((word) => !known.has(asConsent(word)));
  if (others.length > 0)
    throw missing(`${sentence} --confirm says ${others.map(quote).join(', ')}, which is not part of it.`);
  const confirmed = new Set(words.map(asConsent));
  const left = names
    .filter((each) => !each.some((name) => confirmed.has(asConsent(name))))
    .map(([name]) => name);
  if (left.length === 0) return;
  if (given.length > 0 || !mayAsk()) {
    const flags = (left.some((name) => name.includes(',')) ? left : [left.join(',')]).flatMap((word) => [
      '--confirm',
      word,
    ]);
    throw missing(
      `${sentence} That needs consent by name.`,
      `To consent, for which --yes is not enough: ${sameCommand(context.argv, ...flags)}`,
    );
  }
  const count = String(names.length);
  const typed = await context.prompter.text(`${sentence} Type ${count} to confirm`);
  if (typed.trim() !== count) throw declined(`${quote(typed)} is not ${count}; nothing was done.`);
}

/** The form of a name for consent: an e-mail address in any case, and any other name as it is. */
export function asConsent(name: string): string {
  return name.includes('@') ? sameName(name) : name;
}

function missing(sentence: string, hint?: string): CliError {
  return new CliError('consent_missing', sentence, { exitCode: ExitCode.blocked, hint });
}

/** The error after a no. */
export function declined(sentence: string): CliError {
  return new CliError('declined', sentence, { exitCode: ExitCode.blocked });
}
