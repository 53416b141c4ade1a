import { serviceCommand } from '../../cli/described-command.ts';
import { CliError, Concluded } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { groupBy, pagesOf } from '../../model/records.ts';
import { counted } from '../../model/text.ts';
import type { Finding } from '../../people/policy.ts';
import type { Judged } from '../../people/policy-rules.ts';
import { workflowErrors, writeStepSummary } from '../../print/github.ts';
import { columnsOf } from '../../print/labels.ts';
import type { OutlineLine } from '../../print/outline.ts';
import type { Shape } from '../../print/output.ts';
import { hiddenFlag } from '../plan/flags.ts';
import { readAccess } from './gather.ts';
import { judgeAccess, openPolicy } from './policy.ts';

/**
 * `access check <policy.yaml>`: what is against a policy, and what cannot be judged, with the command that mends it.
 *
 * Reads what `access report` reads, and the roles if the policy names some.
 */
export function checkAccess(context: Context) {
  return serviceCommand('check', 'reads', [
    'access check policy.yaml',
    'access check policy.yaml --json',
    'access check policy.yaml -o csv > findings.csv',
  ])
    .exitsWith('pending')
    .summary('check access by a policy')
    .description(
      'Check who can do what by a policy: who may be an account admin, who needs a second factor, who works here and more. ' +
        'Exits with 10 if there are findings. Each shows the command that mends it.',
    )
    .argument('<policy>', 'the policy (YAML); - for stdin')
    .option(...hiddenFlag)
    .action(
      withSession(context, async (session, path, { hidden }) => {
        const policy = await openPolicy(path, session, hidden);
        const document = await readAccess(session);
        const judged = await judgeAccess(policy, document, session);
        await printFindings(judged, policy.name, session);
        if (judged.findings.length > 0) throw new Concluded(ExitCode.pending);
      }),
    );
}

const findingShape: Shape = {
  noun: ['finding', 'findings'],
  id: 'rule',
  columns: columnsOf('rule result email property message mend line ran_out', [
    { field: 'result', header: 'Result', tones: { violated: 'error', unknown: 'warning' } },
    { field: 'message', header: 'Finding' },
    { field: 'ran_out', header: 'Exception ran out' },
  ]),
};

/** What a terminal shows: the findings of each rule. */
function* outlineOf(findings: readonly Finding[]): Generator<OutlineLine> {
  for (const [rule, alike] of groupBy(findings, (finding) => finding.rule)) {
    yield { sign: '#', text: `${rule} (line ${alike[0].line})` };
    for (const finding of alike) {
      const { result, mend, ran_out: ranOut } = finding;
      const late = ranOut === undefined ? [] : [`Its exception ran out on ${ranOut}.`];
      yield { ...signs[result], text: sentenceOf(finding), below: [...late, mend] };
    }
  }
}

const signs = {
  violated: { sign: '!', tone: 'error' },
  unknown: { sign: '?', tone: 'warning' },
} as const;

/** `ben@example.com at BER is Accountant and FrontDesk at one property.` */
function sentenceOf({ email, property, message }: Finding): string {
  const who = [email, property].filter((each) => each !== null).join(' at ');
  return who === '' ? message : `${who} ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

async function printFindings({ findings, excepted }: Judged, name: string, session: Session): Promise<void> {
  const { out, context } = session;
  const rows = pagesOf(findings, (finding) => ({ ...finding }));
  await out.records(findingShape, rows, { policy: name, excepted }, outlineOf(findings));
  const problems = findings.map((finding) => ({
    field: `${name}: line ${finding.line}`,
    reason: sentenceOf(finding),
  }));
  const unknown = findings.filter(({ result }) => result === 'unknown').length;
  const counts = { violated: findings.length - unknown, unknown, excepted: excepted.length };
  await writeStepSummary({ title: 'innctl access check', counts, problems }, context, out.warn);
  if (context.presentation.json) return;
  if (context.env['GITHUB_ACTIONS'] === 'true')
    await context.annotations.write(
      workflowErrors(new CliError('findings', '', { details: problems }), context),
    );
  const [first] = excepted.map(({ until }) => until).sort();
  await out.note(
    [
      findings.length === 0 ? 'Nothing was found.' : `${counted(findings.length, 'finding')}.`,
      ...(unknown > 0 ? [`${unknown} of them cannot be judged.`] : []),
      ...(first === undefined ? [] : [`Excepted: ${excepted.length}, the first until ${first}.`]),
    ].join(' '),
  );
}
