import type { Context } from '../../model/ports.ts';
import { localCommand } from '../../session/command-line.ts';

/** `version`: the same as --version. @param say receives the version. */
export function versionCommand(context: Context, _verb: string | undefined, say: (text: string) => void) {
  return localCommand('version', 'reads', ['version', 'version --json'])
    .summary('print the version')
    .description('Print the version of innctl. The same as --version.')
    .action(() => say(`${context.version}\n`));
}
