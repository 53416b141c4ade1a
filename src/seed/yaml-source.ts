import { isMap, isNode, isScalar, LineCounter, visit, type Document as YamlDocument } from 'yaml';
import { decodeFile } from '../fs/decode.ts';
import { FileProblem } from '../fs/read.ts';
import {
  documentsIn,
  isEmptyDocument,
  isInexact,
  keepSources,
  type Mistake,
  mistakesIn,
  plainValue,
  repeatedNamesIn,
} from '../fs/yaml.ts';
import { quote } from '../model/text.ts';
import type { Document, Path } from './grammar.ts';
import { truthFields } from './names.ts';
import type { Problems } from './problems.ts';
import type { SourceText } from './read.ts';
import { survey } from './survey.ts';

/**
 * The documents of a YAML 1.2 text; empty ones are skipped. Plain scalars are their
 * source texts, except under `extra`, in truths, and null. Mistakes go to the problems.
 *
 * @throws {FileProblem} where it is empty, or has what no entry may hold.
 */
export function* documentsInYaml({ name, bytes }: SourceText, problems: Problems): Generator<Document> {
  const lines = new LineCounter();
  let isEmpty = true;
  for (const document of documentsIn(decodeFile(bytes, name), name, lines)) {
    if (isEmptyDocument(document)) continue;
    isEmpty = false;
    const placeAt = (offset: number) =>
      ({ file: name, unit: 'line', number: lines.linePos(offset).line }) as const;
    const complain = ({ offset, reason }: Mistake) => problems.addAt(placeAt(offset), { reason });
    const mistakes = mistakesIn(document);
    mistakes.forEach(complain);
    if (mistakes.length > 0) continue;
    repeatedNamesIn(document).forEach(complain);
    keepSources(document, truthFields);
    inexactNumbersIn(document).forEach(complain);
    const value = plainValue(document, name);
    const { problem } = survey(value);
    if (problem !== undefined) throw new FileProblem(name, problem);
    yield { value, placeOf: (path) => placeAt(offsetAt(document, path)) };
  }
  if (isEmpty) throw new FileProblem(name, 'is empty');
}

/** Values that are still numbers, and would be sent as others. */
function inexactNumbersIn(document: YamlDocument): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  visit(document, {
    Scalar: (part, scalar) => {
      if (part === 'key' || !isInexact(scalar)) return;
      const reason = `has the number ${quote(scalar.source ?? '')}, which would be sent as another one; write it in quotes`;
      mistakes.push({ offset: scalar.range?.[0] ?? 0, reason });
    },
  });
  return mistakes;
}

/** Where the name of a part of a manifest stands, or the entry at a path. */
function offsetAt(document: YamlDocument, path: Path): number {
  const { contents } = document;
  const [name] = path;
  const part =
    path.length === 1 && isMap(contents)
      ? contents.items.find(({ key }) => isScalar(key) && String(key.value) === name)?.key
      : undefined;
  const node = part ?? (path.length === 0 ? contents : document.getIn(path, true));
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
