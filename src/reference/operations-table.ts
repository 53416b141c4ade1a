import { contractOperations, type OperationId, operations } from '../api/operations.ts';
import { argumentOf, type CommandNode } from './surface.ts';

/** The command that carries out each operation. */
const commandOf = {
  listInvitations: 'invitations list',
  createInvitation: 'invitations create',
  deleteInvitation: 'invitations delete',
  listRoles: 'roles list',
  listUsers: 'users list',
  getUser: 'users get',
  updateUser: 'users update',
  getCurrentUser: 'users me',
  listProperties: 'properties list',
  createProperty: 'properties create',
  countProperties: 'properties count',
  getProperty: 'properties get',
  propertyExists: 'properties exists',
  updateProperty: 'properties update',
  deleteProperty: 'properties delete',
  listCountries: 'countries list',
} as const satisfies Record<OperationId, string>;

const area = { identity: '{identity_url}', inventory: '{base_url}' } as const;

/**
 * Every operation as a row of a Markdown table: what one types, what goes over the wire, what it does.
 *
 * @param root the command tree, in which every operation must have its command.
 */
export function operationsTable(root: CommandNode): string {
  // The keys of the table are the ids by definition.
  const rows = (Object.keys(operations) as OperationId[]).map((id) => {
    const { method, path, does, area: where } = operations[id];
    const note = id in contractOperations ? '' : ' (dialect apaleo)';
    return `| \`${usageOf(commandOf[id], root)}\` | \`${method} ${area[where]}${path}\` | ${does}${note} |`;
  });
  return ['| command | request | what it does |', '|---|---|---|', ...rows].join('\n');
}

/** The command with its arguments. A bar would end the cell of a table. */
function usageOf(command: string, root: CommandNode): string {
  const found = command.split(' ').reduce((node, word) => {
    const child = node.commands.find((each) => each.name() === word);
    if (child === undefined) throw new Error(`There is no command ${command}.`);
    return child;
  }, root);
  return [command, ...found.registeredArguments.map(argumentOf)].join(' ').replaceAll('|', '\\|');
}
