import { DescribedCommand } from '../../cli/described-command.ts';
import { Concluded, invalidInput, usageError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { notInContract } from '../../service/operations.ts';
import { idDetails, lookAt } from './by-id.ts';

/**
 * `properties exists <id>`: check if a property exists; exit 3 if not.
 *
 * HEAD /inventory/v1/properties/{id}, which is not in the contract.
 */
export function propertyExists(context: Context) {
  return new DescribedCommand('exists', {
    effect: 'reads',
    on: 'service',
    examples: ['properties exists BER', 'properties exists BER --json'],
  })
    .summary('check if a property exists')
    .description('Check if a property exists. Exits with 3 if it does not.')
    .argument('<id>', 'id of the property')
    .action(
      withSession(context, async ({ api, out, globals }, id) => {
        if (api.dialect.further.propertyExists === undefined) {
          throw usageError(`properties exists ${notInContract}.`, lookAt(id, globals));
        }
        const details = await idDetails(id, api);
        if (details.length > 0) throw invalidInput(details);
        const exists = await api.properties.exists(id);
        const isQuiet = globals.quiet === true;
        if (exists) return out.line(isQuiet ? id : `Property ${id} exists.`, { id, exists });
        if (!isQuiet) await out.line(`There is no property ${id}.`, { id, exists });
        throw new Concluded(ExitCode.notFound);
      }),
    );
}
