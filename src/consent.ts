import { quote } from './checks/text.ts';
import { CliError } from './errors.ts';
import { ExitCode } from './exit-codes.ts';
import type { GlobalOptions } from './global-options.ts';
import type { Prompter } from './prompter.ts';
import { shellLine } from './render/shell.ts';

/** What is to be consented to by name. */
export interface Consent {
  /** What will be done, as a sentence: `This deletes property BER.` */
  readonly sentence: string;
  /** What counts as consent; the first one is asked for. */
  readonly names: readonly [string, ...string[]];
  /** What --confirm gave. */
  readonly given: string | undefined;
}

/** Who can be asked, and what was said already. */
interface Consenting {
  readonly prompter: Prompter;
  readonly globals: Pick<GlobalOptions, 'yes' | 'dryRun'>;
  readonly mayAsk: boolean;
}

/** Returns when the person says yes, or --yes did. @throws {CliError} exit 11 otherwise. */
export async function confirm(question: string, { prompter, globals, mayAsk }: Consenting): Promise<void> {
  if (globals.yes === true || globals.dryRun === true) return;
  if (!mayAsk) throw missing(`This needs consent: ${question}`, 'Add --yes to consent.');
  if (!(await prompter.confirm(question))) throw declined();
}

/** Returns when the person typed one of the names, or --confirm did. @throws {CliError} exit 11 otherwise. */
export async function confirmByName(
  { sentence, names, given }: Consent,
  { prompter, globals, mayAsk }: Consenting,
): Promise<void> {
  const [name] = names;
  if (globals.dryRun === true || (given !== undefined && names.includes(given))) return;
  if (given !== undefined) throw missing(`${sentence} --confirm says ${quote(given)}, not ${quote(name)}.`);
  if (!mayAsk) {
    throw missing(
      `${sentence} That needs consent by name.`,
      `Add --confirm ${shellLine([name])} to consent; --yes is not enough.`,
    );
  }
  const typed = await prompter.text(`${sentence} Type ${name} to go on`);
  if (!names.includes(typed.trim())) throw declined();
}

function missing(sentence: string, hint?: string): CliError {
  return new CliError('consent_missing', sentence, { exitCode: ExitCode.blocked, hint });
}

function declined(): CliError {
  return new CliError('declined', 'Nothing was done.', { exitCode: ExitCode.blocked });
}
