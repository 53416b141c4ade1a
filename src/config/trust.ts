import { existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { shellLine } from '../out/text.ts';
import type { ConfigDocument } from './file.ts';
import { octal } from './stored-file.ts';

const ROOT = 0;

const NOT_RUN = 'its credential_command was not run';
const NOT_REWRITTEN = 'config.json has a credential_command, and was not rewritten';

/**
 * Lets a command line of config.json run only where no other user could have written it: neither the file nor its folder may be
 * changed by others, and both belong to the user or to root.
 *
 * @param path config.json, which is there.
 * @param uid who runs this; `undefined` on Windows, where modes mean nothing.
 * @returns what root is warned of, whose settings may be those of another user, as in containers.
 * @throws {CliError} `untrusted_config`, exit 2, naming the file or the folder.
 */
export function checkTrust(path: string, uid: number | undefined): string | undefined {
  if (uid === undefined) return undefined;
  const found = placesOf(path);
  for (const { place, stats } of found) refuseOpen(place, stats, NOT_RUN);
  const foreign = found.find(({ stats }) => stats.uid !== uid && stats.uid !== ROOT);
  if (foreign === undefined) return undefined;
  const sentence = `${foreign.place} belongs to another user (${foreign.stats.uid})`;
  if (uid === ROOT) return `${sentence}, and its credential_command runs as root.`;
  throw untrusted(`${sentence}; ${NOT_RUN}`, shellLine(['chown', String(uid), foreign.place]));
}

/**
 * Keeps a command line that others may have written from being trusted later: writing config.json closes it and its folder
 * to them.
 *
 * @throws {CliError} `untrusted_config`, exit 2, naming the file or the folder.
 */
export function refuseToClose(path: string, { profiles }: ConfigDocument): void {
  if (platform() === 'win32' || !existsSync(path)) return;
  if (!Object.values(profiles).some((profile) => profile['credential_command'] !== undefined)) return;
  for (const { place, stats } of placesOf(path)) refuseOpen(place, stats, NOT_REWRITTEN);
}

function placesOf(path: string): readonly { readonly place: string; readonly stats: Stats }[] {
  const real = realpathSync(path);
  const places = [...new Set([path, dirname(path), real, dirname(real)])];
  return places.map((place) => ({ place, stats: statSync(place) }));
}

function refuseOpen(place: string, { mode }: Stats, consequence: string): void {
  if ((mode & 0o022) === 0) return;
  throw untrusted(
    `${place} can be changed by other users (mode ${octal(mode)}); ${consequence}`,
    shellLine(['chmod', 'go-w', place]),
  );
}

function untrusted(sentence: string, remedy: string): CliError {
  return new CliError('untrusted_config', `${sentence}.`, {
    exitCode: ExitCode.usage,
    hint: `Look at the command (innctl config explain credential_command), then: ${remedy}`,
  });
}
