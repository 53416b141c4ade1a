import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '../../src/sandbox/faults.ts';
import type { Ended } from '../bin/home.ts';
import { settlingLine, wordsOf } from '../helpers/shell-words.ts';
import { type Moment, moments } from './gateway.ts';
import { type Program, withProgram } from './program.ts';
import { journalIn, problemsAfter, unheardOf } from './verify.ts';

/** Where a seed is killed. */
export interface Place {
  readonly moment: Moment | 'while journalling';
  /** How far the run has come, from 0 to 1. */
  readonly share: number;
  /** Where in a line of the journal it dies, when it dies there. */
  readonly how: How;
  /** The service does not show yet, when the run is resumed, what it created last, heard of or not. */
  readonly isSlowToShow: boolean;
  /** The journal is gone before the run is resumed, and its id is told instead. */
  readonly isJournalLost: boolean;
}

const hows = ['torn', 'unsynced', 'synced'] as const;
type How = (typeof hows)[number];

/** How a place was survived; no problems are what is wanted. */
export interface Survival {
  readonly place: Place;
  readonly problems: readonly string[];
  readonly seconds: number;
}

/** The addresses and the id of a run are not always of the same length, and its journal is neither. */
const JOURNAL_SLACK = 100;

/** How many of the last creations a service is slow to show. */
const LATE = 16;

const preload = join(import.meta.dirname, 'dies-writing.cjs');

/** Places spread evenly over the moments and over the run, the same for the same number. */
export function placesOf(
  count: number,
  seed: number,
  isJournalLost: (index: number) => boolean,
): readonly Place[] {
  const random = seededRandom(seed);
  const all = [...moments, 'while journalling'] as const;
  const each = Math.ceil(count / all.length);
  return Array.from({ length: count }, (_, index) => ({
    // Neither list is empty, and the remainder is within it.
    moment: all[index % all.length] as Place['moment'],
    share: (Math.floor(index / all.length) + random()) / each,
    how: hows[Math.floor(index / all.length) % hows.length] as How,
    // Each of them waits, so that they are few; over many places they meet every moment.
    isSlowToShow: index % 7 === 5,
    isJournalLost: isJournalLost(index),
  }));
}

/** A place in words. */
export function placeText({ moment, share, how, isSlowToShow, isJournalLost }: Place): string {
  return [
    moment === 'while journalling' ? `${moment}, ${how}` : moment,
    `at ${(100 * share).toFixed(1)} %`,
    ...(isSlowToShow ? ['the service slow to show'] : []),
    ...(isJournalLost ? ['the journal lost'] : []),
  ].join(', ');
}

/** How many bytes the journal of the whole seed has when nobody disturbs it. */
export async function journalBytes(): Promise<number> {
  return withProgram(async (program) => {
    const problems = await problemsAfter(program, await program.apply());
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return Buffer.byteLength(await journalIn(program.journal));
  });
}

/** Kills a seed of a thousand rows at a place, and resumes it. */
export async function survive(place: Place, bytes: number): Promise<Survival> {
  const start = performance.now();
  return withProgram(async (program) => {
    const { service } = program;
    const flags = place.isJournalLost ? ['--run-id', 'the-seed'] : [];
    const killed = await killedAt(place, program, bytes, flags);
    await service.gateway.quiet();
    service.gateway.strike(undefined);
    if (place.isSlowToShow) service.gateway.conceal(await lateOf(place, program));
    if (place.isJournalLost) await rm(program.journal, { recursive: true, force: true });
    const ended = await settled(program, { flags });
    const problems = [
      ...(killed.exitCode === null
        ? []
        : [`was not killed, and ended with ${killed.exitCode}: ${killed.stderr}`]),
      ...(await problemsAfter(program, ended)),
    ];
    return { place, problems, seconds: (performance.now() - start) / 1_000 };
  });
}

/** Kills one seed so many times in a row, and lets it end. */
export async function surviveInARow(times: number): Promise<readonly string[]> {
  return withProgram(async (program) => {
    const { gateway } = program.service;
    const alive: string[] = [];
    for (let index = 0; index < times; index += 1) {
      const moment = moments[index % moments.length] ?? 'after the commit';
      const ended = await program.applyKilled((kill) => {
        // With those that are under way together, fewer than ten rows get done before each death.
        gateway.strike({ moment, write: 1 + (index % 6), kill });
        return { workers: 4 };
      });
      if (ended.exitCode !== null)
        alive.push(`run ${index + 1} ended with ${ended.exitCode}: ${ended.stderr}`);
      await gateway.quiet();
    }
    gateway.strike(undefined);
    return [...alive, ...(await problemsAfter(program, await settled(program, {})))];
  });
}

/** What nobody heard of, and what was created last. */
async function lateOf({ isJournalLost }: Place, program: Program): Promise<ReadonlySet<string>> {
  const unheard = isJournalLost ? [] : await unheardOf(program);
  return new Set([...unheard, ...[...program.service.gateway.ledger.creations.keys()].slice(-LATE)]);
}

/** The same command, and what its exit 8 asks for: twice more at most, once all is shown, inviting again whom no list shows. */
async function settled(program: Program, options: Parameters<Program['apply']>[0]): Promise<Ended> {
  let ended = await program.apply(options);
  for (let more = 0; more < 2 && ended.exitCode === 8; more += 1) {
    const hint = wordsOf(settlingLine(ended.stderr));
    program.service.gateway.conceal(new Set());
    if (hint.includes('resend')) await program.innctl(hint);
    ended = await program.apply(options);
  }
  return ended;
}

function killedAt({ moment, share, how }: Place, program: Program, bytes: number, flags: readonly string[]) {
  if (moment === 'while journalling') {
    const env = {
      DIES_WRITING: program.journal,
      DIES_AT: String(1 + Math.floor(share * (bytes - JOURNAL_SLACK))),
      DIES_HOW: how,
    };
    return program.apply({ flags, env, node: ['--require', preload] });
  }
  return program.applyKilled((kill) => {
    const write = 1 + Math.floor(share * program.seed.rows);
    program.service.gateway.strike({ moment, write, kill });
    return { flags };
  });
}
