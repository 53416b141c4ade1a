import { serviceCommand } from '../../cli/described-command.ts';
import { CliError, Concluded } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { pagesOf } from '../../model/records.ts';
import { counted } from '../../model/text.ts';
import { workflowErrors, writeStepSummary } from '../../out/github.ts';
import type { Checked, Shape } from '../../out/output.ts';
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
  // The records are findings.
  checked: (record) => checkedOf(record as unknown as Printed),
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

function checkedOf({ rule, result, message, mend, ran_out: ranOut, ...about }: Printed): Checked {
  const late = ranOut === undefined ? '' : `; its exception ran out on ${ranOut}`;
  return {
    result: result === 'violated' ? 'fail' : 'warn',
    name: whoOf(about),
    detail: `${message} (${rule}${late})`,
    hint: mend,
  };
}

function whoOf({ email, property }: Pick<Finding, 'email' | 'property'>): string {
  if (email === null) return property ?? 'the account';
  return property === null ? email : `${email} at ${property}`;
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
  await out.records(findingShape, pagesOf(findings, printed), {
    policy: name,
    excepted: excepted.map(printed),
  });
  const problems = findings.map((finding) => ({
    field: `${name}: line ${finding.line}`,
    reason: `${whoOf(finding)}: ${finding.message}`,
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
  const [until] = excepted.map((each) => each.until).sort();
  const accepted =
    until === undefined
      ? ''
      : ` ${counted(excepted.length, 'finding is', 'findings are')} excepted, one until ${until}.`;
  await out.note(
    `${counted(counts.violated, 'finding')}, and ${counts.unknown} that cannot be judged.${accepted}`,
  );
}

function count(findings: readonly Finding[], result: Finding['result']): number {
  return findings.filter((finding) => finding.result === result).length;
}
