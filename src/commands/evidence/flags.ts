import type { Detail } from '../../cli/errors.ts';

/** Flags of commands that keep evidence. */
export const evidenceFlags = {
  evidence: ['--evidence <folder>', 'write what is done to a file for each person'],
  reason: ['--reason <text>', 'why, for the evidence'],
  ticket: ['--ticket <text>', 'the ticket, for the evidence'],
} as const;

/** Those flags as given. */
export interface EvidenceFlags {
  readonly evidence?: string | undefined;
  readonly reason?: string | undefined;
  readonly ticket?: string | undefined;
}

/** The problems of the flags: why and for which ticket is told to nothing but the evidence. */
export function evidenceProblems({ evidence, reason, ticket }: EvidenceFlags): readonly Detail[] {
  if (evidence === '') return [{ field: '--evidence', reason: 'is not the name of a folder' }];
  const alone = Object.entries({ '--reason': reason, '--ticket': ticket }).filter(
    ([, text]) => text !== undefined,
  );
  return evidence === undefined
    ? alone.map(([field]) => ({ field, reason: 'is for the evidence: give --evidence too' }))
    : [];
}
