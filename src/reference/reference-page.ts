import { type About, exitCodesOf } from '../cli/described-command.ts';
import { contractOperations, type OperationId, operations } from '../service/operations.ts';
import { effectSentence } from './command-records.ts';
import { type ArgumentModel, allOf, type CommandModel, type FlagModel } from './model.ts';
import { argumentOf, type CommandNode } from './surface.ts';
import type { Taken } from './values.ts';

const SHARED = 'Flags of all commands';
const TOPICS = 'Topics';
/** The topic that says what exit codes mean. */
const EXIT_CODES = 'exit-codes';

/** Topics of help, as they are printed, by name. */
export type Topics = Readonly<Record<string, string>>;

/** docs/reference.md: every command, its flags, examples and exit codes, the shared flags once, and the topics of help. */
export function referencePage(root: CommandModel, topics: Topics): string {
  const commands = allOf(root).slice(1);
  return `${[
    '# Reference',
    `${prose(root.description)} This page is made of the program itself (${code('npm run generate')}); ${code(
      'innctl commands --json',
    )} says the same to other programs, and ${code('innctl help <command>')} in a terminal.`,
    contents(root, topics),
    `## ${SHARED}`,
    'They stand before or after the command.',
    ...groupsOf(root.flags).flatMap(([name, flags]) => [
      ...(name === '' ? [] : [`**${prose(name)}**`]),
      flagTable(flags),
    ]),
    ...commands.map(sectionOf),
    `## ${TOPICS}`,
    ...Object.entries(topics).map(topicOf),
  ].join('\n\n')}\n`;
}

function contents(root: CommandModel, topics: Topics): string {
  const link = (indent: string, text: string, heading: string, summary = '') =>
    `${indent}- [${prose(text)}](${anchorOf(heading)})${summary === '' ? '' : `: ${prose(summary)}`}`;
  return [
    link('', SHARED, SHARED),
    ...allOf(root)
      .slice(1)
      .map((command) =>
        link('  '.repeat(command.path.length - 1), command.path.join(' '), titleOf(command), command.summary),
      ),
    link('', TOPICS, TOPICS),
    ...Object.keys(topics).map((name) => link('  ', name, topicTitle(name))),
  ].join('\n');
}

function sectionOf(command: CommandModel): string {
  const { about, path, aliases, description, arguments: values, flags } = command;
  const effect = effectSentence(about);
  return [
    `${path.length > 1 ? '###' : '##'} ${titleOf(command)}`,
    prose([description, ...(effect === undefined ? [] : [effect])].join(' ')),
    ...(aliases.length === 0 ? [] : [`Also: ${aliases.map((alias) => code(alias)).join(', ')}`]),
    codeBlock('text', [usageLine(command)]),
    codeBlock(
      'sh',
      about.examples.map((example) => `innctl ${example}`),
    ),
    ...(values.length === 0
      ? []
      : [
          table(
            ['argument', 'what it is'],
            values.map((value) => [code(argumentWord(value)), prose(argumentText(value))]),
          ),
        ]),
    ...(flags.length === 0 ? [] : [flagTable(flags)]),
    ...(effect === undefined
      ? []
      : [`[Exit codes](${anchorOf(topicTitle(EXIT_CODES))}): ${exitCodeList(about)}`]),
  ].join('\n\n');
}

function flagTable(flags: readonly FlagModel[]): string {
  return table(
    ['flag', 'what it does'],
    flags.map((flag) => [code(flag.flags), prose(flagText(flag))]),
  );
}

function topicOf([name, text]: readonly [string, string]): string {
  return [`### ${topicTitle(name)}`, codeBlock('text', text.trimEnd().split('\n'))].join('\n\n');
}

function titleOf({ path }: CommandModel): string {
  return `innctl ${path.join(' ')}`;
}

function topicTitle(name: string): string {
  return `innctl help ${name}`;
}

/** A text as code, whatever is in it; it must be one line. */
function code(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1);
  const pad = fence.length > 1 ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** Lines as a block of code of a language. */
function codeBlock(language: string, lines: readonly string[]): string {
  const runs = lines.join('\n').match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(2, ...runs.map(({ length }) => length)) + 1);
  return [`${fence}${language}`, ...lines, fence].join('\n');
}

/** A text as words: nothing in it is markup. */
function prose(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>#|~]/g, '\\$&');
}

/** A table; cells are Markdown already, in which a bar would end the cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(withoutBars).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** Where a link to a heading leads. */
export function anchorOf(heading: string): string {
  return `#${heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')}`;
}

/** Also within code, as GitHub wants it. */
function withoutBars(cell: string): string {
  return cell.replaceAll(/(?<!\\)\|/g, '\\|');
}

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

/** The command as it is typed: `innctl properties get <id> [flags]`. */
function usageLine({ path, arguments: values, commands, flags }: CommandModel): string {
  const rest = commands.length > 0 ? ['<command>'] : values.map(argumentWord);
  const hasFlags = flags.length > 0 || path.length === 0;
  return ['innctl', ...path, ...rest, ...(hasFlags ? ['[flags]'] : [])].join(' ');
}

/** An argument as usage lines write it. */
function argumentWord({ name, isRequired, isVariadic }: ArgumentModel): string {
  const word = isVariadic ? `${name}...` : name;
  return isRequired ? `<${word}>` : `[${word}]`;
}

/** What a flag is for, and of its value what the description does not say already. */
export function flagText({ description, value }: FlagModel): string {
  if (value === undefined) return description;
  const text = [description, ...choicesIn(value, `${value.placeholder} ${description}`)].join('; ');
  const isSaid = value.default === undefined || description.includes('(default:');
  return isSaid ? text : `${text} (default: ${value.default})`;
}

/** What an argument is for, and the words it may be where the description does not name them. */
export function argumentText(argument: ArgumentModel): string {
  return [argument.description, ...choicesIn(argument, argument.description)].join('; ');
}

/** Flags by the heading under which help shows them, in the order of their first flag. */
function groupsOf(flags: readonly FlagModel[]): readonly (readonly [string, readonly FlagModel[]])[] {
  const groups = new Map<string, readonly FlagModel[]>();
  for (const flag of flags) {
    const name = flag.group ?? '';
    groups.set(name, [...(groups.get(name) ?? []), flag]);
  }
  return [...groups];
}

/** `0, 1, 2`. */
function exitCodeList(about: About): string {
  return exitCodesOf(about).join(', ');
}

function choicesIn({ values }: Taken, description: string): readonly string[] {
  if (values.kind !== 'choices') return [];
  const areSaid = values.choices.every((choice) => new RegExp(`\\b${choice}\\b`).test(description));
  if (areSaid) return [];
  return [`${values.isOpen === true ? 'such as' : 'one of'} ${values.choices.join(', ')}`];
}
