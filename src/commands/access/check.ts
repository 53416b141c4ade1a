import { dirname } from 'node:path';
import { hiddenFlag } from '../../change/flags.ts';
import { serviceFlags } from '../../change/lines.ts';
import { readAddresses } from '../../files/people-file.ts';
import { hinting, readText } from '../../fs/read.ts';
import { CliError, Concluded, ExitCode, usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { groupBy, onePage } from '../../model/records.ts';
import { counted, sameName } from '../../model/text.ts';
import type { AccessDocument } from '../../people/access-document.ts';
import { type Finding, type ReadPolicy, readPolicy } from '../../people/policy.ts';
import { isNamed, type Judged, judge, namedRoles } from '../../people/policy-rules.ts';
import { workflowErrors, writeStepSummary } from '../../print/github.ts';
import { columnsOf } from '../../print/labels.ts';
import type { OutlineLine } from '../../print/outline.ts';
import type { Shape } from '../../print/output.ts';
import { readAll } from '../../service/paging.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { readAccess } from './gather.ts';

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
  const rows = findings.map((finding) => ({ ...finding }));
  await out.records(findingShape, onePage(rows), { policy: name, excepted }, outlineOf(findings));
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
  const parts = [
    findings.length === 0 ? 'Nothing was found.' : `${counted(findings.length, 'finding')}.`,
    unknown > 0 && `${unknown} of them cannot be judged.`,
    excepted.length > 0 && `Excepted: ${excepted.length}.`,
  ];
  await out.note(parts.filter(Boolean).join(' '));
}

/** A policy with the files that it names. */
interface OpenedPolicy extends ReadPolicy {
  /** How messages name it. */
  readonly name: string;
  /** The addresses of the people who work here; `undefined` without that rule. */
  readonly employees: readonly string[] | undefined;
}

/**
 * Reads a policy and the table of employees beside it. Sends nothing.
 *
 * @param path `-` is stdin.
 * @param hidden what is hidden in a workbook of employees is read, too.
 * @throws {CliError} exit 2 with all that is wrong in the policy, or else in the table.
 */
export async function openPolicy(path: string, session: Session, hidden?: true): Promise<OpenedPolicy> {
  const { stdin } = session.context;
  const open = async () => {
    const { name, text } = await readText(path, stdin);
    return { ...readPolicy(text, name), name };
  };
  const read = await open().catch(hinting('innctl schema access-policy prints what a policy may have.'));
  const { employees } = read.policy;
  const reading = { stdin, hidden, warn: session.out.warn, now: session.context.clock.now() };
  const folder = path === '-' ? '.' : dirname(path);
  return { ...read, employees: employees && (await readAddresses(employees, folder, reading)) };
}

/** Tells who works here by a policy. @throws {CliError} like `openPolicy`, and without the rule employees. */
export async function openEmployees(path: string, session: Session, hidden?: true) {
  const { employees, policy, name } = await openPolicy(path, session, hidden);
  if (employees === undefined)
    throw usageError(`--policy needs the rule employees, which ${name} does not have.`);
  const working = new Set(employees.map(sameName));
  return (email: string) => working.has(sameName(email)) || isNamed(email, policy.employees?.except ?? []);
}

/** Judges an account by a policy. Reads the list of roles if the policy names some. */
export async function judgeAccess(opened: OpenedPolicy, document: AccessDocument, session: Session) {
  const { api, context } = session;
  return judge(opened, {
    facts: document.items,
    properties: document.access.properties,
    employees: opened.employees,
    roles: namedRoles(opened.policy).length === 0 ? [] : await roleNames(api),
    dialect: api.dialect,
    flags: serviceFlags(session.globals),
    now: context.clock.now(),
  });
}

/** All texts of the roles: the contract does not say which field is the name. */
async function roleNames({ roles }: Session['api']): Promise<readonly string[]> {
  const pages = roles.list({}, { limit: Number.POSITIVE_INFINITY });
  const records = await readAll(pages, 'roles', 'tell which roles there are');
  return records.flatMap(Object.values).filter((value) => typeof value === 'string');
}
