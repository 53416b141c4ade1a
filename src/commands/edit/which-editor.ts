import { usageError } from '../../cli/errors.ts';
import type { LocalSession } from '../../cli/session.ts';
import { sameCommand } from '../../out/text.ts';

/**
 * The command line of the editor: VISUAL, else EDITOR, which run wherever they are set; else the one that every system
 * has, where a person is. With --no-input none.
 *
 * @param instead something to type that needs no editor.
 * @throws {CliError} exit 2 when nobody is to be asked for anything, or when there is neither an editor nor a person.
 */
export function chosenEditor(
  { context, mayAsk, settings }: Pick<LocalSession, 'context' | 'mayAsk' | 'settings'>,
  instead: string,
): string {
  const { env, platform, argv } = context;
  if (settings().noInput.value) {
    throw usageError('--no-input says that nobody is there, and an editor needs somebody.', instead);
  }
  const named = [env['VISUAL'], env['EDITOR']].find((each = '') => each.trim() !== '');
  if (named !== undefined) return named;
  if (mayAsk()) return platform === 'win32' ? 'notepad' : 'vi';
  throw usageError(
    'No editor is named: set EDITOR to its command line.',
    `EDITOR=nano ${sameCommand(argv)}\nOr without an editor: ${instead}`,
  );
}
