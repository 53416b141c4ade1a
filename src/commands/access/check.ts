import { serviceCommand } from '../../cli/described-command.ts';
import { CliError, Concluded } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { groupBy, pagesOf } from '../../model/records.ts';
import { counted } from '../../model/text.ts';
import { workflowErrors, writeStepSummary } from '../../out/github.ts';
import type { OutlineLine } from '../../out/outline.ts';
import type { Shape } from '../../out/output.ts';
import type { Finding } from '../../people/policy.ts';
import type { Excepted } from '../../people/policy-rules.ts';
import { serviceLine } from '../lines.ts';
import { readAccess } from './gather.ts';
import { judgeAccess, openPolicy } from './policy.ts';

/**
 * `access check <policy.yaml>`: what is against a policy, and what cannot be judged, with the command that mends it.
 *
 * Reads what `access report` reads, and the roles if the policy names some.
 */
export function checkAccess(context: Context) {
  return serviceCommand(
    'check',
    'reads',
    [
      'access check policy.yaml',
      'access check policy.yaml --json',
      'access check policy.yaml -o csv > findings.csv',
    ],
    ['pending'],
  )
    .summary('check access by a policy')
    .description(
      'Check who can do what by a policy: who may be an account admin, who needs a second factor, who works here and more. ' +
        'Exits with 10 if there are findings. Each shows the command that mends it.',
    )
    .argument('<policy>', 'the policy (YAML); - for stdin')
    .action(
      withSession(context, async (session, path) => {
        const policy = await openPolicy(path, session);
        const document = await readAccess(session);
        const { findings, excepted } = await judgeAccess(policy, document, session);
        await printFindings(findings, excepted, policy.name, session);
        if (findings.length > 0) throw new Concluded(ExitCode.pending);
      }),
    );
}

const findingShape: Shape = {
  noun: ['finding', 'findings'],
  id: 'rule',
  columns: [
    { field: 'rule', header: 'Rule' },
    {
      field: 'result',
      header: 'Result',
      tones: new Map([
        ['violated', 'error'],
        ['unknown', 'warning'],
      ]),
    },
    { field: 'email', header: 'E-mail' },
    { field: 'property', header: 'Property' },
    { field: 'message', header: 'Finding' },
    { field: 'mend', header: 'Mend' },
    { field: 'line', header: 'Line' },
    { field: 'ran_out', header: 'Exception ran out' },
  ],
};

/** A finding as it is printed: `mend` is a command line. */
type Printed = Omit<Finding, 'mend'> & { readonly mend: string };

/** What a terminal shows: the findings of each rule. */
function* outlineOf(findings: readonly Printed[]): Generator<OutlineLine> {
  for (const [rule, alike] of groupBy(findings, (finding) => finding.rule)) {
    yield { sign: '#', text: `${rule} (line ${alike[0].line})` };
    for (const finding of alike) yield lineOf(finding);
  }
}

function lineOf({ result, mend, ran_out: ranOut, ...finding }: Printed): OutlineLine {
  const [sign, tone] = result === 'violated' ? (['!', 'error'] as const) : (['?', 'warning'] as const);
  const late = ranOut === undefined ? [] : [`Its exception ran out on ${ranOut}.`];
  return { sign, tone, text: sentenceOf(finding), below: [...late, mend] };
}

/** `ben@example.com at BER is Accountant and FrontDesk at one property.` */
function sentenceOf({ email, property, message }: Pick<Finding, 'email' | 'property' | 'message'>): string {
  const who = [email, property].filter((each) => each !== null).join(' at ');
  return who === '' ? message : `${who} ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

async function printFindings(
  findings: readonly Finding[],
  excepted: readonly Excepted[],
  name: string,
  session: Session,
): Promise<void> {
  const { out, context, globals } = session;
  const { json } = context.presentation;
  const printed = (each: Finding) => ({
    ...each,
    mend: serviceLine(globals, ...each.mend),
  });
  const rows = findings.map(printed);
  const facts = { policy: name, excepted: excepted.map(printed) };
  await out.records(
    findingShape,
    pagesOf(rows, (row) => ({ ...row })),
    facts,
    outlineOf(rows),
  );
  const problems = findings.map((finding) => ({
    field: `${name}: line ${finding.line}`,
    reason: sentenceOf(finding),
  }));
  const counts = {
    violated: count(findings, 'violated'),
    unknown: count(findings, 'unknown'),
    excepted: excepted.length,
  };
  await writeStepSummary({ title: 'innctl access check', counts, problems }, context, out.warn);
  if (json) return;
  if (context.env['GITHUB_ACTIONS'] === 'true')
    await context.stderr.write(workflowErrors(new CliError('findings', '', { details: problems }), context));
  await out.note(sumOf(counts, excepted));
}

function count(findings: readonly Finding[], result: Finding['result']): number {
  return findings.filter((finding) => finding.result === result).length;
}

function sumOf(
  { violated, unknown }: Readonly<Record<Finding['result'], number>>,
  excepted: readonly Excepted[],
): string {
  const all = violated + unknown;
  const [first] = excepted.map(({ until }) => until).sort();
  const parts = [all === 0 ? 'Nothing was found.' : `${counted(all, 'finding')}.`];
  if (unknown > 0) parts.push(`${unknown} of them cannot be judged.`);
  if (first !== undefined) parts.push(`Excepted: ${excepted.length}, the first until ${first}.`);
  return parts.join(' ');
}
