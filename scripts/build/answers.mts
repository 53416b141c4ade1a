import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import manifest from '../../package.json';
import { placeOf } from '../../src/commands/completion/place.ts';
import { pageModel } from '../../src/commands/help/page.ts';
import type { Context } from '../../src/context.ts';
import { buildProgram } from '../../src/program.ts';
import { scripts } from '../../src/reference/completions/scripts.ts';
import type { Answers } from '../../src/start/answers.ts';

/** What is answered without the program, as the program would answer it. */
export async function answers(): Promise<Answers> {
  const { version } = manifest;
  const root: CommandUnknownOpts = buildProgram({ version } as Context, () => {});
  const commands = below(root, []);
  return {
    version,
    pages: Object.fromEntries(
      commands.map(({ command, words }) => [
        words.join(' '),
        JSON.stringify(pageModel(command, command.createHelp())),
      ]),
    ),
    aliases: Object.fromEntries(
      commands.flatMap(({ command, words }) =>
        command.aliases().map((alias) => [[...words.slice(0, -1), alias].join(' '), words.join(' ')]),
      ),
    ),
    groups: commands
      .filter(({ command }) => command.commands.length > 0)
      .map(({ words }) => words.join(' ')),
    completions: Object.fromEntries(
      (Object.keys(scripts) as (keyof typeof scripts)[]).map((shell) => [
        shell,
        { file: scripts[shell].file, place: placeOf(shell) },
      ]),
    ),
  };
}

interface Found {
  readonly command: CommandUnknownOpts;
  /** Those that lead to it from the root, which has none. */
  readonly words: readonly string[];
}

function below(command: CommandUnknownOpts, words: readonly string[]): readonly Found[] {
  return [{ command, words }, ...command.commands.flatMap((child) => below(child, [...words, child.name()]))];
}
