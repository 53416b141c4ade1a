import { quote } from '../checks/text.ts';
import { type Kind, type Place, placeText, sameName } from './entry.ts';
import { nouns } from './kind.ts';
import type { Problems } from './problems.ts';

interface Named {
  readonly kind: Kind;
  readonly name: string;
  readonly place: Place;
}

/** Remembers every name, and reports the second thing that has it in whichever case of letters. */
export function createDuplicates(problems: Problems): (named: Named) => void {
  const first = new Map<string, Named>();
  return (named) => {
    const key = keyOf(named);
    const before = first.get(key);
    if (before === undefined) first.set(key, named);
    else problems.add(fieldOf(named), reasonOf(before, named));
  };
}

/** A person is either invited or has access already, so that both kinds share the addresses. */
function keyOf({ kind, name }: Named): string {
  return `${kind === 'property' ? 'property' : 'person'}:${sameName(name)}`;
}

function fieldOf({ kind, name }: Named): string {
  if (kind === 'property') return 'code';
  return kind === 'user' && !name.includes('@') ? 'subject_id' : 'email';
}

function reasonOf(before: Named, named: Named): string {
  const as = before.name === named.name ? '' : `, as ${quote(named.name)},`;
  const places = `stands at ${placeText(before.place)} and${as} at ${placeText(named.place)}`;
  if (before.kind === named.kind) return `${quote(before.name)} ${places}`;
  const [one, other] = [nouns[before.kind][0], nouns[named.kind][0]];
  return `${quote(before.name)} ${places}, as ${one} and as ${other}: a person is either invited or has access`;
}
