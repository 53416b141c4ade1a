import { serviceCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { units } from '../inventory/kind.ts';
import { printCount, printInventory, withUnitFilters } from '../inventory/listing.ts';
import { argumentFor, checkingExistence, showing } from '../inventory/reading.ts';
import { withListFlags } from '../list.ts';

const EXPANSIONS = units.expansions.join(', ');

/** `units list`: GET /inventory/v1/units, page by page. The service shows only active units unless asked. */
export function listUnits(context: Context) {
  const command = serviceCommand(
    'list ls',
    'reads',
    [
      'units list --property BER --group DBL',
      'units list --property BER --condition Dirty --occupied false',
      'units list --status All --json',
    ],
    ['ambiguous'],
  )
    .summary('list units')
    .description('List the units of the account, or of a property.');
  return withListFlags(
    withUnitFilters(command).option('--expand <names>', `include related data: ${EXPANSIONS}`, collectList),
  ).action(withSession(context, (session, options) => printInventory(units, options, session)));
}

/** `units get <id>`: GET /inventory/v1/units/{id}. */
export function getUnit(context: Context) {
  return serviceCommand(
    'get show',
    'reads',
    [
      'units get --property BER 201',
      'units get --property BER 201 202 --json',
      'units get --property BER 201 --languages all --expand actions',
    ],
    ['ambiguous'],
  )
    .summary('show a unit')
    .description('Show a unit, optionally with its texts in other languages and related data.')
    .argument(...argumentFor(units))
    .option('--property <id>', 'find the unit by its name at this property')
    .option('--languages <codes>', 'languages of texts: en,de, or all (repeatable)', collectList)
    .option('--expand <names>', `include related data: ${EXPANSIONS}`, collectList)
    .action(showing(context, units));
}

/** `units exists <id>`: HEAD /inventory/v1/units/{id}. */
export function unitExists(context: Context) {
  return serviceCommand('exists', 'reads', ['units exists BER-LIT', 'units exists BER-LIT --json'])
    .summary('check if a unit exists')
    .description('Check if a unit exists. Exits with 3 if it does not.')
    .argument('<id>', 'id of the unit')
    .action(checkingExistence(context, units));
}

/** `units count`: GET /inventory/v1/units/$count. */
export function countUnits(context: Context) {
  const command = serviceCommand(
    'count',
    'reads',
    ['units count --property BER', 'units count --property BER --group DBL --occupied --json'],
    ['ambiguous'],
  )
    .summary('count units')
    .description('Print the number of units of the account, or of a property.');
  return withUnitFilters(command).action(
    withSession(context, (session, options) => printCount(units, options, session)),
  );
}
