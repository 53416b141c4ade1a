import { agreed, type Belief, type Beliefs, believe, differences, found } from './model.ts';
import { type Command, type History, type Name, names, namesOf } from './steps.ts';
import { MINUTE, type Outcome, openWorld, type World } from './world.ts';

/** Until then, what was sent may still show. */
const DOUBT = 15 * MINUTE;
const MOST_REPEATS = 3;

/** How each verb may end at all, and in the end. */
const exits = {
  apply: { ever: [0, 6, 7, 8, 9], last: [0] },
  create: { ever: [0, 6, 7, 8, 9], last: [0, 6] },
  delete: { ever: [0, 3, 7, 8], last: [0, 3] },
  resend: { ever: [0, 3, 6, 7, 8, 9], last: [0, 3] },
} as const;

/**
 * Runs a history, and holds what its commands said against what is there.
 *
 * @param program the path of the bundled `process.mts`.
 * @throws {Error} with the transcript.
 */
export async function check(history: History, program: string): Promise<void> {
  await using world = await openWorld(history, program);
  try {
    await live(history, world);
  } catch (error) {
    throw new Error([String(error), ...world.transcript].join('\n'), { cause: error });
  }
}

async function live({ steps, ...service }: History, world: World): Promise<void> {
  const mayRepeat = isUnprotected({ steps, ...service });
  const isForgetting = isForgetful({ steps, ...service });
  const twins = new Set<Name>();
  let beliefs: Beliefs = new Map(names.map((name) => [name, { isThere: false }]));
  /** Compares; of what is there twice, though nothing protects it, no more is promised than that it is reported. */
  const compare = async () => {
    const records = await world.records();
    for (const name of names) if (mayRepeat && found(name, records).length > 1) twins.add(name);
    for (const name of twins) beliefs = new Map([...beliefs, [name, { isThere: undefined }]]);
    const wrong = differences(beliefs, records).filter(({ name }) => !twins.has(name));
    if (wrong.length > 0) throw new Error(wrong.map(({ name, what }) => `${name} ${what}`).join('\n'));
  };
  const go = async (commands: readonly Command[], disturbance = {}) => {
    const outcomes = await world.run(commands, disturbance);
    for (const outcome of outcomes) await judge(outcome, outcomes.length === 1, service, world);
    const either = agreed(believed(beliefs, outcomes), believed(beliefs, outcomes.toReversed()));
    const after = outcomes.length > 1 ? withMailsUnderWay(either, outcomes) : either;
    beliefs = isForgetting ? ofAnyVersion(beliefs, after, commands) : after;
    await compare();
    return outcomes;
  };
  const done: (readonly Command[])[] = [];
  for (const { minutes, command: given, alongside: other, ...disturbance } of steps) {
    const command = typeof given === 'number' ? done.at(-Math.min(given, done.length))?.[0] : given;
    if (command === undefined) continue;
    const beside = other === 0 ? command : other;
    const commands = typeof beside === 'object' ? [command, beside] : [command];
    world.wait(minutes * MINUTE);
    await go(commands, disturbance);
    done.push(commands);
  }
  world.wait(service.lagMs + DOUBT);
  await compare();
  for (const command of done.at(-1) ?? []) {
    for (let turn = 1; !touches(command, twins); turn += 1) {
      const [outcome] = await go([command]);
      if (exits[command.verb].last.some((exit) => exit === outcome?.exitCode)) break;
      if (turn === MOST_REPEATS) throw new Error(`${command.verb} does not end well`);
      world.wait(DOUBT + MINUTE);
    }
  }
  await reportTwins(twins, world);
}

/** Whether nothing protects what is created, so that it may be there twice. */
function isUnprotected({ steps, ignoresKeys = false, runId = false }: History): boolean {
  return ignoresKeys || steps.some(({ machine = 0, forgets }) => !runId && (machine > 0 || forgets));
}

function believed(beliefs: Beliefs, outcomes: readonly Outcome[]): Beliefs {
  return outcomes.reduce((before, { command, exitCode }) => believe(before, command, exitCode), beliefs);
}

/** A resend that read the journal before another command withdrew the invitation may send it after that, and say that it is open. */
function withMailsUnderWay(beliefs: Beliefs, outcomes: readonly Outcome[]): Beliefs {
  const resends = outcomes.filter(({ command, exitCode }) => command.verb === 'resend' && exitCode === 8);
  const open = resends.flatMap(({ command }) => namesOf(command));
  return new Map([...beliefs, ...open.map((name): [Name, Belief] => [name, { isThere: undefined }])]);
}

/** Whether a journal may be missing what else was sent: then no one can tell who made what is there after a lost answer. */
function isForgetful({ steps }: History): boolean {
  return steps.some(({ machine = 0, forgets = false }) => machine > 0 || forgets);
}

/** What was in doubt, or is about two commands at once, may be that of either. */
function ofAnyVersion(before: Beliefs, after: Beliefs, [one, other]: readonly Command[]): Beliefs {
  const shared = one && other ? namesOf(one).filter((name) => namesOf(other).includes(name)) : [];
  const isDoubted = (name: Name) => shared.includes(name) || before.get(name)?.isThere === undefined;
  return new Map(
    [...after].map(([name, belief]) => [name, isDoubted(name) ? { ...belief, version: undefined } : belief]),
  );
}

function touches(command: Command, twins: ReadonlySet<Name>): boolean {
  const isPruning = command.verb === 'apply' && command.prune && twins.size > 0;
  return isPruning || namesOf(command).some((name) => twins.has(name));
}

/** Whether a command may end so, and if it was alone, whether what it found, or did not find, is true. */
async function judge(
  { command, exitCode }: Outcome,
  isAlone: boolean,
  { lagMs }: Pick<History, 'lagMs'>,
  world: World,
): Promise<void> {
  const { verb } = command;
  if (exitCode !== null && !exits[verb].ever.some((exit) => exit === exitCode))
    throw new Error(`${verb} must not end in ${exitCode}`);
  const [name, ...more] = namesOf(command);
  if (name === undefined || verb === 'apply' || (verb === 'create' && more.length > 0) || !isAlone) return;
  const [record] = found(name, await world.records());
  const isShown = record !== undefined && Date.parse(record.created) <= world.now() - lagMs;
  if (exitCode === 3 && isShown) throw new Error(`${name} was said not to be found, and is shown`);
  if (exitCode === 6 && record === undefined) throw new Error(`${name} was said to be there, and is not`);
}

/** An apply that wants what is there twice ends in 9, and names both. */
async function reportTwins(twins: ReadonlySet<Name>, world: World): Promise<void> {
  const records = await world.records();
  const all = [...twins].map((name) => ({ name, twins: found(name, records) }));
  const left = all.filter(({ twins: { length } }) => length > 1);
  if (left.length === 0) return;
  const rows = Object.fromEntries(left.map(({ name, twins: [one] }) => [name, one?.version]));
  const [outcome] = await world.run([{ verb: 'apply', rows, prune: false }]);
  const ids = left.flatMap(({ twins: records }) => records.map(({ id }) => id));
  if (outcome?.exitCode !== 9 || !ids.every((id) => outcome.printed.includes(id)))
    throw new Error(`apply must end in 9, and name ${ids.join(', ')}`);
}
