import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { childOf, localCommand, topicNames, wordsOf } from '../../cli/described-command.ts';
import { type CliError, usageError } from '../../cli/errors.ts';
import { ExitCode, exitCodeMeanings } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { settings } from '../../config/settings.ts';
import { nearest } from '../../model/names.ts';
import { quote } from '../../model/text.ts';
import { faultKinds } from '../../sandbox/faults.ts';
import { safetyLevels } from '../../service/guard.ts';
import { columnFor, flagSections, linesOf, pageText, type Row, reflow } from './page.ts';

/**
 * `help [words...]`: help for a command or a topic. Needs no settings.
 *
 * @param say receives the help page.
 */
export function helpCommand(context: Context, _verb: string | undefined, say: (text: string) => void) {
  return localCommand('help', 'reads', ['help properties create', 'help exit-codes'])
    .summary('show help for a command or topic')
    .description(`Show help for a command, or for one of the topics: ${topicNames.join(', ')}.`)
    .argument('[words...]', 'a command or topic')
    .action(async (words, _options, command) => {
      const topic = words.length === 1 ? topicNames.find((name) => name === words[0]) : undefined;
      const { columns } = context.stdout;
      const root = command.parent ?? command;
      if (topic !== undefined) say(reflow(topics[topic](columns, root), columns));
      else find(words, root).outputHelp();
    });
}

/** @throws {CliError} exit 2 when the words name no command. */
function find(words: readonly string[], root: CommandUnknownOpts): CommandUnknownOpts {
  return words.reduce((command, word) => {
    const child = childOf(command, word);
    if (child === undefined) throw unknownWord(word, words, command);
    return child;
  }, root);
}

/** The hint is a similar page, or that of the last command. */
function unknownWord(word: string, words: readonly string[], command: CommandUnknownOpts): CliError {
  const names = command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
  const similar = nearest(word, command.parent === null ? [...names, ...topicNames] : names) ?? '';
  const [, ...known] = wordsOf(command);
  const page = [...known, childOf(command, similar)?.name() ?? similar].filter(Boolean);
  return usageError(
    `There is no command or topic ${quote(words.join(' '))}.`,
    ['innctl help', ...page].join(' '),
  );
}

/** Help topics by name. Each function returns the text for a terminal of `width` columns. */
export const topics: Readonly<
  Record<(typeof topicNames)[number], (width: number, root: CommandUnknownOpts) => string>
> = {
  environment,
  'exit-codes': exitCodes,
  faults,
  flags,
  formatting,
  safety,
};

function exitCodes(): string {
  const lines = Object.entries(exitCodeMeanings).map(([code, meaning]) => `${code.padStart(5)}  ${meaning}`);
  return ['Exit codes', '', ...lines, ''].join('\n');
}

/** The flags that all commands share. */
function flags(width: number, root: CommandUnknownOpts): string {
  const description = 'The global flags: all commands accept them, before or after the command.';
  const sections = flagSections(root, root.createHelp());
  return pageText(
    { description, usage: 'innctl <command> [flags]', sections, examples: [], foot: [] },
    width,
  );
}

function faults(width: number): string {
  const kinds = Object.entries(faultKinds).sort();
  return `Faults of the sandbox

With --fault, requests to "innctl sandbox serve" fail in these ways:

${linesOf(kinds, width, columnFor(kinds, width)).join('\n')}

They hit every request but those for a token, unless limited by nth=3,
rate=0.05, times=2, method=POST or operation=createProperty (operation=token for
tokens). lag hits reads of properties, of what they let, and of invitations.

  innctl sandbox serve --fault drop-after:method=POST,rate=0.05
`;
}

function environment(width: number): string {
  const rows = settings.map(({ env, summary }): Row => [env, summary]);
  const variables = linesOf(rows, width, columnFor(rows, width)).join('\n');
  return `Environment variables

${variables}

A flag overrides a variable, and a variable overrides the profile. Exceptions:
the strictest of all INNCTL_SAFETY, INNCTL_PROTECT and INNCTL_FREEZE values
applies, and all --expect-account values must match.

innctl also reads HTTPS_PROXY, HTTP_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS,
XDG_CONFIG_HOME, XDG_STATE_HOME, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR
and TERM. Login opens BROWSER if INNCTL_BROWSER is not set. If CI is set, innctl
never prompts. ACCESSIBLE=1 and TERM=dumb disable table borders and redrawing of
the screen. NODE_TLS_REJECT_UNAUTHORIZED=0 disables all requests over TLS.

With GITHUB_ACTIONS=true, what the runner would take as a command (:: at the
beginning of a line, ##[) is escaped. Problems of files are also printed as
workflow commands (::error file=,line=), with paths relative to GITHUB_WORKSPACE,
unless errors are JSON. plan, apply and the imports append their sum and failures to
the file GITHUB_STEP_SUMMARY.
`;
}

function safety(): string {
  return `Safety

Harmful writes need confirmation. Withdrawing an invitation, removing
properties from a user, and granting or revoking full access need a yes, or
--yes. Deleting, setting live, archiving and resetting a property, and disabling
a user need the name, typed at the prompt or given with --confirm <name>; --yes
is not enough. Without a terminal, missing confirmation is exit ${ExitCode.blocked}. "api" needs
the same for the paths it knows.
Other destructive paths (archive, reset, any other DELETE or "-actions" path)
and set-live need --confirm with the id in the path.

A command with several references ("users disable ben eva") shows its plan and
asks once: for a yes, or --yes; where one needs the name, for their number, or
--confirm with each name.

A command with files of many rows shows its plan and needs a yes, or --yes.
Deleting or disabling from files also needs --max-deletes <n>.

Lock-out protection: disabling or demoting your own user, or the last enabled
account admin, is blocked (exit ${ExitCode.blocked}), also from files. --allow-lockout <e-mail>
allows it for one person; give the full address.

Guards block writes, including "api", before anything is sent (exit ${ExitCode.blocked}). Set them
in a profile (innctl config set <key> <value>) or in a variable; the strictest
value applies:

  safety   INNCTL_SAFETY   ${safetyLevels.join(', ')}:
                           block nothing, deletions, deletions and updates, or
                           every write
  protect  INNCTL_PROTECT  block writes with these ids in path, query or body,
                           and to what they contain (BER-DBL): BER,LIVE-*
  freeze   INNCTL_FREEZE   block writes on these days, in local time or UTC:
                           2026-12-20..2027-01-06

With --expect-account <name> (INNCTL_EXPECT_ACCOUNT, expect_account), innctl does
nothing, not even read, unless the token belongs to this account: exit ${ExitCode.blocked}.
An account is called by the name that the service shows; if it shows none, by the
id of the user, or of the client. The sandbox is "sandbox".

A guard that is set and empty is exit 2. "protect" covers ids of properties,
unit groups, units and users, and e-mail addresses; it does not cover access: a
person can still be given a protected property. "no-delete" also blocks
"people offboard --strip".

--dry-run shows the write without sending it; it still sends reads. Updates and
deletions are verified by reading back, and reported as confirmed, not yet
visible or not readable; --no-verify skips this. A write without a response is
settled by its idempotency key or by reading. If its outcome stays unknown, the
exit code is ${ExitCode.unknown} and the hint is a command that settles it: run it unchanged, up
to three times. An invitation that no list shows is sent again only by
"invitations resend". Every write is in a journal before it is sent; "history"
lists them.
`;
}

/** The help topic `formatting`, at most 80 columns wide. */
export function formatting(): string {
  return `Output formats

On a terminal, a list is printed as a table, or as cards if the terminal is very
narrow; a single record is a card. In a pipe, a list is printed as tab-separated
rows without a header, with full values and the dates of the service. Results go
to stdout, everything else to stderr.

  -o, --output <format>  or INNCTL_OUTPUT, or innctl config set output <format>
    table   a table; on a narrow terminal, long cells other than ids are cut,
            then the least important columns are left out, and counted below it;
            columns without any value are not shown
    wide    a table with all columns and whole cells, also in a pipe
    cards   one block per record, nothing cut
    json    one document; a list is {"count": 3, "items": [...]}, with
            "has_more": true if --limit cut it
    ndjson  one record per line, printed as pages arrive
    csv     for spreadsheets: a header, then rows; a single record has the
            columns field,value
    tsv     tab-separated rows; tab, newline and backslash in a cell are
            escaped as \\t, \\n and \\\\
    yaml    the JSON document as YAML
    In cells, the properties of a user include the roles at each one:
    BER: FrontDesk, Auditor; MUC: Auditor; VIE: none. A property without a colon
    has unknown roles. In JSON and YAML, a user has properties, a list of ids,
    and property_roles, a list of {"id", "roles"}; --fields selects either.

  --json             same as --output json; also prints errors as JSON

  --fields <fields>  print only these fields, in this order, in every format:
    innctl properties list --fields id,location.city
    innctl users list --fields email,property_roles.0.roles -o csv
    A dot selects a nested field, a number an entry of a list. A missing field
    is null, or an empty cell. A field that no record has is exit 2, unless it
    is a known field of its kind: tax_id, location.city, name.de.

  --query <expression>  filter the JSON document with a JMESPath expression,
                        after --fields; prints errors as JSON
    innctl properties list --query 'items[?status==\`Live\`].name'
    innctl users list --query 'length(items[?enabled])'
    innctl invitations list --query "items[?created<'2026-10-23'].email"
    < and > compare two strings, such as dates, or two numbers. For the
    language, see https://jmespath.site.

  -r, --raw          with --query: print strings without quotes, one per line:
    innctl properties list --query 'items[].id' -r

  -q, --quiet        print only ids, one per line; writes print no sentence:
    innctl properties list -q | xargs -n1 innctl properties get
    List entries without an id are skipped with a warning; other results without
    an id are printed as usual.

  --no-headers       omit the header row of tables and csv

Colors repeat what the text says. They follow --color, or else INNCTL_COLOR,
NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR=0 and TERM=dumb, or else whether
the output is a terminal. ACCESSIBLE=1 and TERM=dumb disable table borders.
Control and invisible characters are shown as \\u{1b}, in JSON and YAML as
their escapes.
`;
}
