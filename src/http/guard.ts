import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { createProtection, type Protected } from './protection.ts';

/** What an operation does to what it names; `destroys`: nothing brings back what was there. */
export type OperationEffect = 'reads' | 'creates' | 'changes' | 'destroys';

/** A write that is about to go out, as guards see it. */
export interface Intent {
  readonly effect: OperationEffect;
  /** What the path names, and of a raw request the query and the property ids of the body, decoded: `['BER']`. */
  readonly ids: readonly string[];
  /** What it does, as the end of `Could not ...`. */
  readonly does: string;
}

/**
 * Returns when the write may go out.
 *
 * @throws {CliError} `blocked`, exit 11, naming the rule and where it is set.
 */
export type Guard = (intent: Intent) => void;

/** How much is forbidden whatever it is about: each level forbids what the one before it does, and more. */
export const safetyLevels = ['none', 'no-delete', 'no-update', 'read-only'] as const;
export type SafetyLevel = (typeof safetyLevels)[number];

/** What a rule says and where it is set: `profile chain`, `INNCTL_PROTECT`. */
export interface Rule<T> {
  readonly value: T;
  readonly source: string;
}

/** All that the settings forbid. Lists come one for each place that gives one; all of them count. */
export interface GuardRules {
  readonly safety: Rule<SafetyLevel>;
  /** Patterns of ids that nothing is written to. */
  readonly protect: readonly Rule<readonly string[]>[];
  /** Days on which nothing is written: `2026-12-20` or `2026-12-20..2027-01-06`, both ends included. */
  readonly freeze: readonly Rule<readonly string[]>[];
}

interface GuardOptions {
  /** The days that it is now, `2026-12-20`; a write is frozen on any of them. */
  readonly days: () => readonly string[];
  /** Something to type that shows how a rule is set. */
  readonly hint: (rule: keyof GuardRules) => string;
}

interface Objection {
  readonly rule: keyof GuardRules;
  /** Why not, as a part of a sentence. */
  readonly reason: string;
}

const forbids = {
  none: () => false,
  'no-delete': (effect) => effect === 'destroys',
  'no-update': (effect) => effect === 'destroys' || effect === 'changes',
  'read-only': () => true,
} as const satisfies Record<SafetyLevel, (effect: OperationEffect) => boolean>;

/** A guard that names everything that stands against a write at once. It is asked for writes alone. */
export function buildGuard(rules: GuardRules, { days, hint }: GuardOptions): Guard {
  const protectionOf = createProtection(rules.protect);
  return ({ effect, ids, does }) => {
    const objections = [
      ...objectionOfSafety(rules.safety, effect),
      ...objectionsOfProtection(ids.flatMap((id) => protectionOf(id) ?? [])),
      ...objectionsOfFreeze(rules.freeze, days),
    ];
    const [first] = objections;
    if (first === undefined) return;
    const reasons = objections.map(({ reason }) => reason).join(', and ');
    throw new CliError('blocked', `Could not ${does}: ${reasons}; nothing was sent.`, {
      exitCode: ExitCode.blocked,
      hint: hint(first.rule),
    });
  };
}

function objectionOfSafety(
  { value, source }: GuardRules['safety'],
  effect: OperationEffect,
): readonly Objection[] {
  return forbids[value](effect) ? [{ rule: 'safety', reason: `safety is ${value} (${source})` }] : [];
}

/** What is named in path and query, and once more in the body, is told once. */
function objectionsOfProtection(found: readonly Protected[]): readonly Objection[] {
  const reasons = found.map(({ word, pattern, source }) => `${word} is protected by ${pattern} (${source})`);
  return [...new Set(reasons)].map((reason) => ({ rule: 'protect', reason }));
}

function objectionsOfFreeze(freeze: GuardRules['freeze'], days: () => readonly string[]) {
  if (freeze.length === 0) return [];
  const now = days();
  return freeze.flatMap(({ value, source }): readonly Objection[] => {
    const range = value.find((each) => now.some((day) => includes(each, day)));
    return range === undefined ? [] : [{ rule: 'freeze', reason: `writes are frozen ${range} (${source})` }];
  });
}

/** Days that are written alike are ordered like their texts. */
function includes(range: string, day: string): boolean {
  const [from = '', to = from] = range.split('..');
  return from <= day && day <= to;
}
