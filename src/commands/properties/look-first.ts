import { listedWithCode, readByCode } from '../../apply/find-property.ts';
import { codeOf, usableId } from '../../apply/property-index.ts';
import { quote } from '../../checks/text.ts';
import { CliError } from '../../errors.ts';
import type { ServiceRecord } from '../../records.ts';
import type { Session } from '../../session.ts';
import { alreadyExists, type LookFlags, lookFirst, sinceText } from '../already.ts';

/** Refusals that may mean that the code is taken. */
const conflicting = new Set([409, 412, 422]);

/** Looks for the code of a property before it is created, each code once. */
export function openLook(flags: LookFlags, session: Session) {
  const { ifNotExists } = flags;
  const isWanted = flags.check || ifNotExists === true;
  const { api, context, out } = session;
  let looked: string | undefined;
  let isAbsent = false;
  const tell = async (code: string, found: ServiceRecord) => {
    const id = usableId(found['id']);
    const since = found['created'];
    const shown = codeOf(found) ?? code;
    const sentence = `There is a property with the code ${quote(shown)} already${id === undefined ? '' : `: ${id}`}${sinceText(since)}.`;
    if (ifNotExists === true) return out.done(sentence, { id, code: shown, created: false, since });
    const named = { id, code: shown, created: since };
    const details = Object.entries(named).flatMap(([field, value]) =>
      typeof value === 'string' ? [{ field, reason: value }] : [],
    );
    throw alreadyExists(sentence, details, context.argv);
  };
  return {
    /**
     * Whether it is there, and that was told as a result (--if-not-exists).
     *
     * @throws {CliError} `already_exists`, exit 6, when it is there otherwise.
     */
    async isThere({ code }: ServiceRecord): Promise<boolean> {
      if (!isWanted || typeof code !== 'string' || code.trim() === '' || code === looked) return false;
      looked = code;
      const whether = `whether there is a property with the code ${quote(code)} already`;
      const sight = await lookFirst(() => listedWithCode(code, api), whether, flags, session);
      if (sight?.found !== undefined) {
        await tell(code, sight.found);
        return true;
      }
      isAbsent = sight !== undefined && sight.doubt === undefined;
      if (sight?.doubt !== undefined && ifNotExists === true)
        await out.warn(`Could not look ${whether}: ${sight.doubt}.`);
      return false;
    },
    /** Whether the list showed that no property had the code. */
    wasAbsent: () => isAbsent,
    /** The service refused it: the same, where it was because the code is taken by one that no list shows. */
    async isTaken({ code }: ServiceRecord, refusal: unknown): Promise<boolean> {
      const isConflict = refusal instanceof CliError && conflicting.has(refusal.status ?? 0);
      if (!isConflict || ifNotExists !== true || typeof code !== 'string') return false;
      const found = await readByCode(code, api);
      if (found !== undefined) await tell(code, found);
      return found !== undefined;
    },
  };
}
