import type { Row } from '../../change/consent.ts';
import { settleCreations } from '../../change/creation-rules.ts';
import { accessProblems } from '../../change/flags.ts';
import { wholeViews } from '../../change/inventory-row.ts';
import { type Item, isPending, type Link } from '../../change/item.ts';
import { serviceLine } from '../../change/lines.ts';
import { idIn, listingOf, once, openPeople, orMissing } from '../../change/listing.ts';
import { strangersIn } from '../../change/plan.ts';
import { changeRows, type GivenConsent, unsent } from '../../change/rows.ts';
import { type Deed, deedsOf, type Seen, textsIn, turned } from '../../change/undo.ts';
import { listed } from '../../files/entry.ts';
import type { History, Sent } from '../../journal/history.ts';
import { targetText } from '../../journal/line.ts';
import { CliError, ExitCode, refuseInvalid, usageError } from '../../model/errors.ts';
import { type HotelKind, isKind, kinds, kindText, resources } from '../../model/kinds.ts';
import { groupBy, isRecord, withoutHoles } from '../../model/records.ts';
import { sameName } from '../../model/text.ts';
import type { Session } from '../../session/session.ts';
import { runningIn } from '../runs/runs.ts';
import { theWrites } from './writes.ts';

/** @throws {CliError} exit 2 for a run at another service, exit 6 while it is running; what `changeRows` throws. */
export async function undo(session: Session, reference: string, flags: GivenConsent): Promise<void> {
  const { out } = session;
  const journal = await session.journal();
  refuseInvalid(accessProblems(flags));
  const { id, run, sent, path } = await theWrites(session, reference);
  const { profile, base_url: url } = run.start;
  // A journal is that of one account of one service.
  if (path !== (await journal.path())) {
    const choice = url === 'sandbox' ? ({ sandbox: true } as const) : withoutHoles({ profile });
    const hint = Object.keys(choice).length === 0 ? undefined : serviceLine(choice, 'undo', reference);
    throw usageError(
      `${reference} was sent to ${targetText(run.start)}, and not with these credentials.`,
      hint,
    );
  }
  const pid = runningIn(run);
  if (pid !== undefined)
    throw new CliError('running', `It is still running, with the pid ${pid}; nothing was sent.`, {
      exitCode: ExitCode.refused,
    });
  for (const { does } of sent.filter(({ kind }) => !isKind(kind)))
    await out.warn(`Not undone, because no command makes it: ${does}.`);
  const rows = await unsent(rowsFor(sent, session));
  const isLossy = ({ reason, ...item }: Item) =>
    reason !== undefined && (isPending(item) || item.action === 'cannot_change');
  const lossy = rows.map(({ item }) => item).filter(isLossy);
  for (const [reason, some] of groupBy(lossy, (item) => item.reason))
    await out.warn(`${listed(some.map(({ kind, name }) => `${kindText(kind)} ${name}`))}: ${reason}.`);
  const does_not_come_back = lossy.map(({ kind, name, reason }) => ({ kind, name, reason }));
  await changeRows(rows, { ...flags, facts: { undoes: id, does_not_come_back } }, session);
}

/** Compares what was done with what is there now. */
async function rowsFor(sent: readonly Sent[], session: Session): Promise<readonly Row[]> {
  const { api, context } = session;
  const history = await (await session.journal()).read();
  const requests = new Set(sent.map(({ id }) => id));
  // No answer says the ids of units that were created together.
  const withId = (deed: Deed): Deed => {
    const { creation, id } = history.recall(deed.kind, deed.name) ?? {};
    return { ...deed, id: deed.id ?? (requests.has(creation?.sent.id ?? '') ? id : undefined) };
  };
  // What others name comes first.
  const deeds = kinds.flatMap((kind) =>
    deedsOf(sent)
      .filter((deed) => deed.kind === kind)
      .map(withId),
  );
  const look = openLook(deeds, history, session);
  const links = new Map<string, Link>();
  const items: Item[] = [];
  for (const deed of deeds) {
    const item = turned(deed, { ...(await look(deed)), linkOf: (id) => links.get(id) ?? { id } });
    const { kind, name, id = deed.id } = item;
    if (deed.did === 'delete' && deed.id !== undefined && id !== undefined)
      links.set(deed.id, item.action === 'create' ? { kind, name } : { id });
    items.push(item);
  }
  const rules = { memory: history, honoursKeys: api.trustsKeys, now: context.clock.now };
  const settled = await settleCreations(items, api, rules);
  const deleted = items.filter(({ action }) => action === 'delete');
  const homes = new Set(deleted.flatMap(({ kind, name }) => (kind === 'property' ? sameName(name) : [])));
  return settled.map((ruled, place) => {
    const { kind, name, id, action } = ruled;
    const item = action === 'create' ? { ...ruled, reason: items[place]?.reason } : ruled;
    const isInside = kind.startsWith('unit') && homes.has(sameName(name.replace(/\/.*/, '')));
    const isSevere = action === 'delete' && kind !== 'invitation' && !isInside;
    return { item, names: [id ?? []].flat(), severe: isSevere ? ['deletes', ''] : undefined };
  });
}

/** Reads what there is now of the record of a deed, each list once. */
function openLook(deeds: readonly Deed[], history: History, { api }: Session) {
  const { dialect } = api;
  const people = openPeople(api);
  const listing = once((kind: HotelKind, home: string) => orMissing(listingOf(kind, home, api)));
  const called = async (kind: HotelKind, home: string, name: string) =>
    (await listing(kind, home))?.withName(name) ?? [];
  const created = new Set(deeds.flatMap(({ did, id }) => (did === 'create' ? id : [])));
  return async ({ kind, name, id, did, before, after, changes }: Deed): Promise<Omit<Seen, 'linkOf'>> => {
    const about = { past: history.recall(kind, name), dialect, idOf: (word: string) => word };
    if (kind === 'user') return { ...about, now: await orMissing(api.users.read(id ?? name)) };
    if (kind === 'invitation') {
      const [[now], [user]] = [await people.invitations(name), await people.users(name)];
      return { ...about, now, user };
    }
    const read = async (own: unknown) => {
      if (typeof own !== 'string') return undefined;
      if (kind === 'property') return orMissing(api.properties.read(own, dialect.allLanguages));
      return orMissing(api[resources[kind]].read(own, wholeViews[kind]));
    };
    const now = await read(id);
    const strangers =
      kind === 'property' && did === 'create' && now ? await strangersIn(String(id), created, api) : [];
    const shown = [now, before, after].filter(isRecord);
    const [home = ''] = shown.flatMap((each) => idIn(each['property']) ?? textsIn([each['property_id']]));
    const own = kind === 'unit' || kind === 'unit_group' ? name.replace(/^[^/]*\//, '') : name;
    const [other] = now === undefined && did !== 'change' ? await called(kind, home, own) : [];
    const ids = new Map<string, string>();
    for (const { field, from, to } of kind === 'unit' ? changes : []) {
      const of = field === 'attributes' ? 'unit_attribute' : 'unit_group';
      const words = field === 'attributes' || field === 'unit_group_id' ? textsIn([from, to].flat()) : [];
      for (const word of words)
        for (const each of await called(of, home, word)) ids.set(word, String(each['id']));
    }
    const idOf = (word: string) => ids.get(word) ?? word;
    return { ...about, now, strangers, idOf, other: other && (await read(other['id'])) };
  };
}
