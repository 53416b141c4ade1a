import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { unitAttributes } from '../inventory/kind.ts';
import { printInventory } from '../inventory/listing.ts';
import { argumentFor, checkingExistence, showing } from '../inventory/reading.ts';
import { withListFlags } from '../list.ts';

/** `unit-attributes list`: GET /inventory/v1/unit-attributes, page by page. */
export function listUnitAttributes(context: Context) {
  const command = serviceCommand('list ls', 'reads', ['unit-attributes list', 'unit-attributes list --json'])
    .summary('list unit attributes')
    .description('List the unit attributes of the account.');
  return withListFlags(command).action(
    withSession(context, (session, options) => printInventory(unitAttributes, options, session)),
  );
}

/** `unit-attributes get <id>`: GET /inventory/v1/unit-attributes/{id}. */
export function getUnitAttribute(context: Context) {
  return serviceCommand('get show', 'reads', [
    'unit-attributes get BWIXREDA',
    'unit-attributes get BWIXREDA --json',
  ])
    .summary('show a unit attribute')
    .description('Show a unit attribute.')
    .argument(...argumentFor(unitAttributes))
    .action(showing(context, unitAttributes));
}

/** `unit-attributes exists <id>`: HEAD /inventory/v1/unit-attributes/{id}. */
export function unitAttributeExists(context: Context) {
  return serviceCommand('exists', 'reads', [
    'unit-attributes exists BWIXREDA',
    'unit-attributes exists BWIXREDA --json',
  ])
    .summary('check if a unit attribute exists')
    .description('Check if a unit attribute exists. Exits with 3 if it does not.')
    .argument('<id>', 'id of the unit attribute')
    .action(checkingExistence(context, unitAttributes));
}
