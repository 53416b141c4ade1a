import { CliError, ExitCode } from '../model/errors.ts';
import type { Context } from '../model/ports.ts';
import { quote, sameName } from '../model/text.ts';
import { sameCommand } from '../print/text.ts';
import type { LocalSession } from './session.ts';

/** What needs consent by name. */
export interface Consent {
  /** What will be done, as a sentence: `This deletes property BER.` */
  readonly sentence: string;
  /** For each record, what counts as consent; the first name is asked for. */
  readonly names: readonly (readonly [string, ...string[]])[];
  /** What --confirm gave, each with one name or several with commas between them. */
  readonly given: readonly string[];
  /** What it may name besides. */
  readonly others?: readonly string[];
}

type Consenting = Pick<LocalSession, 'context' | 'globals' | 'mayAsk'>;

/** Asks a person for a yes. @throws {CliError} exit 11 for no. */
export async function askForYes(question: string, { prompter }: Pick<Context, 'prompter'>): Promise<void> {
  if (!(await prompter.confirm(question))) throw declined('Nothing was done.');
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
  await askForYes(question, context);
}

/**
 * Prompts for the name of a record, or for the number of several, unless --confirm names each of them.
 *
 * @throws {CliError} exit 11 otherwise.
 */
export async function confirmByName(
  { sentence, names, given, others = [] }: Consent,
  { context, globals, mayAsk }: Consenting,
): Promise<void> {
  if (globals.dryRun === true) return;
  const known = new Set([...names.flat(), ...others].map(asConsent));
  const words = given.flatMap((word) => (known.has(asConsent(word)) ? [word] : word.split(',')));
  const unknown = words.filter((word) => !known.has(asConsent(word)));
  const wanted = names.length === 1 ? names.flat() : [String(names.length)];
  const [answer = ''] = wanted;
  if (unknown.length > 0) {
    const why = names.length === 1 ? `not ${quote(answer)}` : 'which is not part of it';
    throw missing(`${sentence} --confirm says ${unknown.map(quote).join(', ')}, ${why}.`);
  }
  const confirmed = new Set(words.map(asConsent));
  const isLeft = (each: readonly string[]) => !each.some((name) => confirmed.has(asConsent(name)));
  const left = names.filter(isLeft).map(([name]) => name);
  if (left.length === 0) return;
  if (left.length < names.length || !mayAsk()) {
    const shown = left.some((name) => name.includes(',')) ? left : [left.join(',')];
    const flags = shown.flatMap((word) => ['--confirm', word]);
    throw missing(
      `${sentence} That needs consent by name.`,
      `To consent, for which --yes is not enough: ${sameCommand(context.argv, ...flags)}`,
    );
  }
  const typed = await context.prompter.text(`${sentence} Type ${answer} to confirm`);
  if (!wanted.map(asConsent).includes(asConsent(typed.trim())))
    throw declined(`${quote(typed)} is not ${answer}; nothing was done.`);
}

/** The form of a name for consent: an e-mail address in any case, and any other name as it is. */
export function asConsent(name: string): string {
  return name.includes('@') ? sameName(name) : name;
}

function missing(sentence: string, hint?: string): CliError {
  return new CliError('consent_missing', sentence, { exitCode: ExitCode.blocked, hint });
}

function declined(sentence: string): CliError {
  return new CliError('declined', sentence, { exitCode: ExitCode.blocked });
}
