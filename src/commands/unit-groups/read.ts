import { serviceCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { unitGroups } from '../inventory/kind.ts';
import { printCount, printInventory, withGroupFilters } from '../inventory/listing.ts';
import { argumentFor, checkingExistence, showing } from '../inventory/reading.ts';
import { withListFlags } from '../list.ts';

const EXPANSIONS = unitGroups.expansions.join(', ');

/** `unit-groups list`: GET /inventory/v1/unit-groups, page by page. */
export function listUnitGroups(context: Context) {
  const command = serviceCommand('list ls', 'reads', [
    'unit-groups list --property BER',
    'unit-groups list --type BedRoom,MeetingRoom --json',
    'unit-groups list --expand connectedUnitGroups -o ndjson',
  ])
    .summary('list unit groups')
    .description('List the unit groups of the account, or of a property.');
  return withListFlags(
    withGroupFilters(command).option('--expand <names>', `include related data: ${EXPANSIONS}`, collectList),
  ).action(withSession(context, (session, options) => printInventory(unitGroups, options, session)));
}

/** `unit-groups get <id>`: GET /inventory/v1/unit-groups/{id}. */
export function getUnitGroup(context: Context) {
  return serviceCommand(
    'get show',
    'reads',
    [
      'unit-groups get BER-DBL',
      'unit-groups get --property BER DBL --languages all',
      'unit-groups get BER-DBL --expand connectedUnitGroups --json',
    ],
    ['ambiguous'],
  )
    .summary('show a unit group')
    .description('Show a unit group, optionally with its texts in other languages and related data.')
    .argument(...argumentFor(unitGroups))
    .option('--property <id>', 'find the group by its code at this property')
    .option('--languages <codes>', 'languages of texts: en,de, or all (repeatable)', collectList)
    .option('--expand <names>', `include related data: ${EXPANSIONS}`, collectList)
    .action(showing(context, unitGroups));
}

/** `unit-groups exists <id>`: HEAD /inventory/v1/unit-groups/{id}. */
export function unitGroupExists(context: Context) {
  return serviceCommand('exists', 'reads', [
    'unit-groups exists BER-DBL',
    'unit-groups exists BER-DBL --json',
  ])
    .summary('check if a unit group exists')
    .description('Check if a unit group exists. Exits with 3 if it does not.')
    .argument('<id>', 'id of the unit group')
    .action(checkingExistence(context, unitGroups));
}

/** `unit-groups count`: GET /inventory/v1/unit-groups/$count. */
export function countUnitGroups(context: Context) {
  const command = serviceCommand('count', 'reads', [
    'unit-groups count --property BER',
    'unit-groups count --type BedRoom --json',
  ])
    .summary('count unit groups')
    .description('Print the number of unit groups of the account, or of a property.');
  return withGroupFilters(command).action(
    withSession(context, (session, options) => printCount(unitGroups, options, session)),
  );
}
