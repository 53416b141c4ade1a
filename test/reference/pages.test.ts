import { expect, test } from 'vitest';
import { manualPages } from '../../src/reference/manual.ts';
import { allOf, type CommandModel } from '../../src/reference/model.ts';
import { anchorOf, referencePage } from '../../src/reference/reference-page.ts';
import { commandModel } from './tree.ts';

const topics = { 'exit-codes': 'Exit codes\n\n    0  done\n', safety: 'Safety\n\n```\n' };

/** A command whose every text tries to be markup. */
const hostile: CommandModel = {
  path: ['strange'],
  aliases: [],
  summary: '.Sh INJECTED \\fBbold\\fP "quoted"',
  description: "Reads `a|b`. 'tis <b>not</b> | a *table*. .Sh is no heading.",
  about: { effect: 'reads', examples: ['.so /etc/passwd', "'strange `x` \\n ```", '--name "Grand Hôtel"'] },
  arguments: [
    {
      name: 'No',
      description: '| a bar, and a _line_',
      isRequired: true,
      isVariadic: true,
      values: { kind: 'choices', choices: ['one', 'two'], isOpen: true },
      several: undefined,
    },
  ],
  flags: [
    {
      flags: '--mode <a|b>',
      short: undefined,
      long: '--mode',
      description: '.Bl -tag',
      value: { placeholder: 'a|b', values: { kind: 'text' }, several: undefined, default: 4 },
      group: undefined,
    },
  ],
  commands: [],
};

const tree = await commandModel();
const root: CommandModel = { ...tree, commands: [hostile] };

test('every command and topic has a section, and every link of the contents leads to one', () => {
  const page = referencePage(tree, topics);
  const anchors = [...page.matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
  const links = [...page.matchAll(/\]\((#[^)]*)\)/g)].map(([, link]) => link);

  expect(new Set(anchors).size).toBe(anchors.length);
  expect([...new Set(links)].toSorted()).toEqual(anchors.toSorted());
  expect(anchors).toEqual(
    expect.arrayContaining(
      allOf(tree)
        .slice(1)
        .map(({ path }) => `#innctl-${path.join('-')}`),
    ),
  );
});

test('shared flags stand in the reference once', () => {
  expect(referencePage(tree, topics).match(/^\| `--sandbox` \|/gm)).toHaveLength(1);
});

test('a section shows usage, examples, arguments, flags and exit codes', () => {
  const page = referencePage(root, topics);

  expect(page.slice(page.indexOf('## innctl strange'), page.indexOf('## Topics'))).toBe(`## innctl strange

Reads \\\`a\\|b\\\`. 'tis \\<b\\>not\\</b\\> \\| a \\*table\\*. .Sh is no heading. Read-only.

\`\`\`text
innctl strange <No...> [flags]
\`\`\`

\`\`\`\`sh
innctl .so /etc/passwd
innctl 'strange \`x\` \\n \`\`\`
innctl --name "Grand Hôtel"
\`\`\`\`

| argument | what it is |
|---|---|
| \`<No...>\` | \\| a bar, and a \\_line\\_; such as one, two |

| flag | what it does |
|---|---|
| \`--mode <a\\|b>\` | .Bl -tag (default: 4) |

[Exit codes](#innctl-help-exit-codes): 0, 1, 2, 130, 143

`);
  expect(page).toContain('````text\nSafety\n\n```\n````\n');
});

test('in a manual page nothing that a text says is a macro or an escape', () => {
  const page = manualPages(root, '1.2.3').get('innctl-strange.1');

  expect(page).toBe(`.Dd November 1, 2026
.Dt INNCTL-STRANGE 1
.Os
.Sh NAME
.Nm innctl-strange
.Nd .Sh INJECTED \\efBbold\\efP \\(dqquoted\\(dq
.Sh SYNOPSIS
.Nm innctl
.Cm strange
.Ar \\&No ...
.Op Ar flags
.Sh FIRST EXAMPLES
.Bd -literal -offset indent
innctl .so /etc/passwd
innctl \\(aqstrange \\(gax\\(ga \\en \\(ga\\(ga\\(ga
innctl \\-\\-name \\(dqGrand H\\[u00F4]tel\\(dq
.Ed
.Sh DESCRIPTION
Reads \\(gaa|b\\(ga.
\\(aqtis <b>not</b> | a *table*.
\\&.Sh is no heading.
Read\\-only.
.Pp
The arguments are as follows:
.Bl -tag -width Ds
.It Ar \\&No
| a bar, and a _line_; such as one, two
.El
.Pp
The flags are as follows:
.Bl -tag -width Ds
.It Fl \\-mode Ar a|b
\\&.Bl \\-tag (default: 4)
.El
.Pp
Flags that all commands share are described in
.Xr innctl 1 .
.Sh EXIT STATUS
.Bl -tag -width 000 -compact
.It 0
done
.It 1
failed (an error of the service or of innctl)
.It 2
invalid usage or input; nothing was sent
.It 130
interrupted (SIGINT)
.It 143
terminated (SIGTERM)
.El
.Sh SEE ALSO
.Xr innctl 1
`);
});

test('there is a manual page for the program, for each group and for each command', () => {
  const pages = manualPages(tree, '1.2.3');

  expect([...pages.keys()]).toEqual(allOf(tree).map(({ path }) => `${['innctl', ...path].join('-')}.1`));
  expect(pages.get('innctl.1')).toMatch(/^This is version 1\.2\.3\.$/m);
  expect(pages.get('innctl.1')).toMatch(/^\.Sh ENVIRONMENT$/m);
  expect(pages.get('innctl.1')).toMatch(/^\.It Ev INNCTL_PROFILE$/m);
});
