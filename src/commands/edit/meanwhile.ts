import { canonical } from '../../apply/canonical.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { ServiceRecord } from '../../records.ts';
import { changesBetween } from './changes.ts';
import { nameOf } from './text.ts';

/** Returns when a record is what it was. @throws {CliError} `changed_meanwhile`, exit 6, naming the fields that are not. */
export function refuseIfChanged(
  name: string,
  before: ServiceRecord,
  now: ServiceRecord,
  again: string,
): void {
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
