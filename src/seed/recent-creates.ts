import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { withLock } from '../fs/lock.ts';
import { preparePrivateFolder, refuseLink } from '../fs/private-folder.ts';
import { replaceFile, sweepDrafts } from '../fs/replace.ts';
import { hashOf } from '../model/canonical.ts';
import { parsedJson } from '../model/json-text.ts';
import { sameName } from '../model/text.ts';
import { shellLine } from '../print/text.ts';
import { type Target, writtenTarget } from './target.ts';
import { isUsable } from './visibility.ts';

/** Within this time, a repeated command is the same creation. */
const RECENT_MS = 10 * 60_000;

/** Milliseconds since the epoch; later ones have no date. */
const time = v.pipe(v.number(), v.maxValue(Date.UTC(9999, 11, 31)));

const creationSchema = v.object({
  /** Digests of the account, of the creation, and of its name. */
  target: v.string(),
  about: v.string(),
  name: v.string(),
  /** When it was first and last sent. */
  since: time,
  at: time,
  /** The idempotency key; empty if there is none. */
  key: v.string(),
  isAnswered: v.boolean(),
  /** Digest of the id in the answer, which may contain anything. */
  id: v.optional(v.string()),
  /** Whether it has been visible. */
  isSeen: v.optional(v.boolean()),
  /** The status of a failure that the service may store under the key. */
  status: v.optional(v.number()),
});

const fileSchema = v.object({ version: v.literal(1), creations: v.array(creationSchema) });

/** A creation by a single command; written before the request is sent. */
export type RecentCreation = Readonly<v.InferOutput<typeof creationSchema>>;

/** One creation of a single command. */
export interface CreationAbout {
  readonly kind: 'property' | 'invitation';
  readonly target: Target;
  /** A code or e-mail address. */
  readonly name: string;
  /** The request body, if another body means another creation. */
  readonly body?: unknown;
}

/** Where recent creations are stored. */
export interface RecentPlace {
  readonly state: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** The file that holds the creations of the last ten minutes. */
function recentPath(state: string): string {
  return join(state, 'recent-creations.json');
}

/**
 * Changes a recent creation; it is on the disk when this resolves.
 *
 * @param change maps the stored creation, if any, to the new one; `undefined` removes it.
 * @returns the creation as stored before.
 * @throws {CliError} exit 2 when the file is corrupt; `busy`, exit 7; the system's error.
 */
export async function changeRecent(
  about: CreationAbout,
  place: RecentPlace,
  change: (
    before: RecentCreation | undefined,
    fresh: Omit<RecentCreation, 'key'>,
  ) => RecentCreation | undefined,
): Promise<RecentCreation | undefined> {
  const digests = digestsOf(about);
  const at = place.now();
  let before: RecentCreation | undefined;
  await rewrite(place, (all) => {
    before = all.find((each) => each.about === digests.about);
    const after = change(before, { ...digests, since: at, at, isAnswered: false });
    return [...all.filter((each) => each !== before), ...(after === undefined ? [] : [after])];
  });
  return before;
}

/** Removes a deleted record: by the id in the answer, or by its name. @throws like `changeRecent`. */
export async function forgetRecent(
  { target, id }: { readonly target: Target; readonly id?: string },
  place: RecentPlace,
): Promise<void> {
  if (!existsSync(recentPath(place.state))) return;
  const account = hashOf(writtenTarget(target));
  const name = id === undefined ? undefined : hashOf(sameName(id));
  const isMeant = (each: RecentCreation) => id === undefined || each.id === hashOf(id) || each.name === name;
  await rewrite(place, (all) => all.filter((each) => each.target !== account || !isMeant(each)));
}

function digestsOf({ kind, target, name, body }: CreationAbout) {
  const account = hashOf(writtenTarget(target));
  const named = hashOf(sameName(name));
  return { target: account, name: named, about: hashOf({ account, kind, named, body }) };
}

async function rewrite(
  { state, now, signal }: RecentPlace,
  change: (all: readonly RecentCreation[]) => readonly RecentCreation[],
): Promise<void> {
  const path = recentPath(state);
  preparePrivateFolder(state);
  const update = () => {
    const creations = change(readRecent(path, now()));
    sweepDrafts(path, 0);
    replaceFile(path, `${JSON.stringify({ version: 1, creations })}\n`, { lasting: true });
  };
  await withLock(path, update, { signal });
}

/** The creations that have not expired; a time in the future (the clock was set back) has not. */
function readRecent(path: string, now: number): readonly RecentCreation[] {
  refuseLink(path);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const text = found.isFile() ? readFileSync(path, 'utf8') : '';
  const { success, output } = v.safeParse(fileSchema, parsedJson(text));
  // A damaged file this old has only expired creations.
  if (!success && found.isFile() && now - found.mtimeMs > RECENT_MS) return [];
  if (!success) throw corrupt(path);
  return output.creations.filter(
    ({ at, since }) => now - at < RECENT_MS && isUsable({ since, isSpent: false }, now),
  );
}

function corrupt(path: string): CliError {
  const sentence = `${path} is damaged: it says which creations of the last ten minutes must not be sent twice. Nothing was sent.`;
  const hint = shellLine(['rm', path]);
  return new CliError('corrupt_memory', sentence, { exitCode: ExitCode.usage, hint });
}
