import { type Spread, spreadOf } from './spread.mts';

/** One run. */
export interface Sample {
  /** Wall time from its start to its end. */
  readonly ms: number;
  /** From the first creation request at the service to the last response. */
  readonly createMs?: number;
  /** How many requests the service got. */
  readonly requests?: number;
}

/** One way to do a task. */
export interface Way {
  readonly name: string;
  readonly run: () => Sample | Promise<Sample>;
  /** Runs once more and returns the peak memory; only some ways support it. */
  readonly peakBytes?: () => number | Promise<number>;
}

/** A task with several ways to do it; the first one is innctl. */
export interface Task {
  readonly name: string;
  readonly ways: readonly Way[];
}

/** The number of rounds: at least one, and none starts after the time limit. */
export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
}

/** The measurements of one way. */
export interface Figure {
  readonly task: string;
  readonly way: string;
  readonly rounds: number;
  readonly ms: Spread;
  /** Multiples of plain Node in the same round. */
  readonly toNode: Spread;
  /** The time of the first way of the task as a multiple of this one's in the same round; none for the first way. */
  readonly firstToThis?: Spread;
  readonly createMs?: Spread;
  readonly peakMiB?: Spread;
  readonly requests?: Spread;
}

/** By task; plain Node comes first. */
type Round = ReadonlyMap<Task, ReadonlyMap<Way, Sample>>;

const MEBIBYTE = 1024 * 1024;
const MOST_PEAKS = 3;

/**
 * Runs all ways in turn, so that a slower machine affects all of them, and plain Node before each task. The
 * first round is a warm-up and is not counted.
 */
export async function measure(bare: Way, tasks: readonly Task[], effort: Effort): Promise<readonly Figure[]> {
  await takeTurns(bare, tasks);
  const rounds: Round[] = [];
  const end = performance.now() + effort.seconds * 1000;
  while (rounds.length === 0 || (rounds.length < effort.rounds && performance.now() < end)) {
    rounds.push(await takeTurns(bare, tasks));
  }
  const figures: Figure[] = [bareFigure(bare, rounds)];
  for (const task of tasks) {
    for (const way of task.ways) {
      const peaks = await peaksOf(way, Math.min(rounds.length, MOST_PEAKS));
      figures.push({ ...figureOf(way, task, bare, rounds), ...peaks });
    }
  }
  return figures;
}

async function takeTurns(bare: Way, tasks: readonly Task[]): Promise<Round> {
  const round = new Map<Task, ReadonlyMap<Way, Sample>>();
  for (const task of tasks) {
    const turns = new Map<Way, Sample>();
    for (const way of [bare, ...task.ways]) turns.set(way, await way.run());
    round.set(task, turns);
  }
  return round;
}

function bareFigure(bare: Way, rounds: readonly Round[]): Figure {
  const turns = rounds.flatMap((round) => [...round.values()]);
  const ms = spreadOf(turns.map((each) => each.get(bare)?.ms ?? Number.NaN));
  return { task: 'nothing', way: bare.name, rounds: turns.length, ms, toNode: spreadOf([1]) };
}

async function peaksOf({ peakBytes }: Way, times: number): Promise<Pick<Figure, 'peakMiB'>> {
  if (peakBytes === undefined) return {};
  const peaks: number[] = [];
  while (peaks.length < times) peaks.push((await peakBytes()) / MEBIBYTE);
  return { peakMiB: spreadOf(peaks) };
}

function figureOf(way: Way, task: Task, bare: Way, rounds: readonly Round[]): Figure {
  const turns = rounds.flatMap((round) => round.get(task) ?? []);
  const [first = way] = task.ways;
  const msOf = (other: Way) => turns.map((each) => each.get(other)?.ms ?? Number.NaN);
  const ratios = (over: readonly number[], under: readonly number[]) =>
    spreadOf(over.map((ms, index) => ms / (under[index] ?? Number.NaN)));
  const requests = turns.map((each) => each.get(way)?.requests).filter((count) => count !== undefined);
  const createMs = turns.map((each) => each.get(way)?.createMs).filter((ms) => ms !== undefined);
  return {
    task: task.name,
    way: way.name,
    rounds: turns.length,
    ms: spreadOf(msOf(way)),
    toNode: ratios(msOf(way), msOf(bare)),
    ...(way !== first && { firstToThis: ratios(msOf(first), msOf(way)) }),
    ...(createMs.length > 0 && { createMs: spreadOf(createMs) }),
    ...(requests.length > 0 && { requests: spreadOf(requests) }),
  };
}
